/* The loops of `network.h` for one SIMD width; included once for each, with

   WIDTH: how many floats a register holds, LANES or a half or a quarter of it;
   MAX_ROWS, TILE_COLUMNS(rows): the rows, and for so many rows the columns, whose sums the registers hold;
   POOL_VECTORS: the vectors of filters whose sums of windows they hold;
   NAMED(name): the name for this width; TARGET: the function attribute that selects the instruction set.

   Each sum adds its terms in an order that does not depend on WIDTH, so that the widths differ only where the compiler
   has no fused multiply-add (SSE2), in the last digits.

   All arrays are in C order; of a matrix in panels, PANEL columns (the last: those that are left) stand together, each
   panel (inner, PANEL). */

#define Floats NAMED(Floats)
#define Integers NAMED(Integers)
typedef float Floats __attribute__((vector_size(4 * WIDTH), aligned(4)));
typedef int32_t Integers __attribute__((vector_size(4 * WIDTH), aligned(4)));

#define LOAD(address) (*(const Floats *)(address))
#define STORE(address) (*(Floats *)(address))

/* For each lane: a where the condition holds, else b. */
#define SELECT(condition, a, b) ((Floats)(((condition) & (Integers)(a)) | (~(condition) & (Integers)(b))))
#define MAX(a, b) SELECT((a) > (b), a, b)

/* ---- matrix products --------------------------------------------------------------------------------------------- */

/* out = bias + a times `columns` columns of a panel; `rows` and `columns` are constants where this is inlined.
   `panel_stride`: from one row of the panel to the next. */
INLINED void NAMED(tile)(const float *bias, ptrdiff_t bias_stride, const float *a, ptrdiff_t a_stride,
                         const float *panel, ptrdiff_t panel_stride, ptrdiff_t inner, float *out, ptrdiff_t out_stride,
                         const int rows, const int columns)
{
    const int vectors = columns / WIDTH;
    Floats sums[24];
    UNROLLED for (int row = 0; row < rows; row++)
        UNROLLED for (int vector = 0; vector < vectors; vector++)
            sums[row * vectors + vector] = LOAD(bias + row * bias_stride + vector * WIDTH);
    for (ptrdiff_t term = 0; term < inner; term++) {
        Floats weights[8];
        UNROLLED for (int vector = 0; vector < vectors; vector++)
            weights[vector] = LOAD(panel + term * panel_stride + vector * WIDTH);
        UNROLLED for (int row = 0; row < rows; row++) {
            const float factor = a[row * a_stride + term];
            UNROLLED for (int vector = 0; vector < vectors; vector++)
                sums[row * vectors + vector] += weights[vector] * factor;
        }
    }
    UNROLLED for (int row = 0; row < rows; row++)
        UNROLLED for (int vector = 0; vector < vectors; vector++)
            STORE(out + row * out_stride + vector * WIDTH) = sums[row * vectors + vector];
}

/* The same for all columns of a panel. */
INLINED void NAMED(panel)(const float *bias, ptrdiff_t bias_stride, const float *a, ptrdiff_t a_stride,
                          const float *panel, ptrdiff_t columns, ptrdiff_t inner, float *out, ptrdiff_t out_stride,
                          const int rows)
{
    ptrdiff_t column = 0;
    for (; column + TILE_COLUMNS(rows) <= columns; column += TILE_COLUMNS(rows))
        NAMED(tile)(bias + column, bias_stride, a, a_stride, panel + column, columns, inner, out + column, out_stride,
                    rows, TILE_COLUMNS(rows));
    for (; TILE_COLUMNS(rows) > LANES && column < columns; column += LANES)
        NAMED(tile)(bias + column, bias_stride, a, a_stride, panel + column, columns, inner, out + column, out_stride,
                    rows, LANES);
}

/* out (rows, columns) = bias + a (rows, inner) times a matrix in panels; `bias` may be `out`, its stride may be 0. */
TARGET
static void NAMED(gemm)(const float *bias, ptrdiff_t bias_stride, const float *a, ptrdiff_t a_stride,
                        const float *panels, ptrdiff_t inner, ptrdiff_t columns, float *out, ptrdiff_t out_stride,
                        ptrdiff_t rows)
{
    for (ptrdiff_t begin = 0; begin < rows; begin += ROWS) /* few enough to stay in the cache for all panels */
        for (ptrdiff_t column = 0; column < columns; column += PANEL) {
            const ptrdiff_t end = rows - begin < ROWS ? rows : begin + ROWS;
            const ptrdiff_t width = columns - column < PANEL ? columns - column : PANEL;
            for (ptrdiff_t row = begin; row < end; row += MAX_ROWS) {
#define CASE(count) \
    NAMED(panel)(bias + row * bias_stride + column, bias_stride, a + row * a_stride, a_stride, \
                 panels + column * inner, width, inner, out + row * out_stride + column, out_stride, count)
                switch (end - row) {
                case 1: CASE(1); break;
                case 2: CASE(2); break;
#if MAX_ROWS > 3
                case 3: CASE(3); break;
                case 4: CASE(4); break;
                case 5: CASE(5); break;
#endif
                default: CASE(MAX_ROWS);
                }
#undef CASE
            }
        }
}

/* ---- convolution over words and max pooling ---------------------------------------------------------------------- */

/* The maxima of a few vectors of filters over the windows of a string; `width` and `vectors` are constants.

   Each word is read once: partial[place] is the sum, so far, of the window in which the next word has that place. */
INLINED void NAMED(pool_string)(const float *table, ptrdiff_t columns, ptrdiff_t filters, const int32_t *words,
                                ptrdiff_t length, ptrdiff_t windows, const float *bias, float *out, const int width,
                                const int vectors)
{
    Floats partial[MAX_KERNEL_WIDTH * POOL_VECTORS], best[POOL_VECTORS];
    UNROLLED for (int sum = 0; sum < (width - 1) * vectors; sum++)
        partial[sum] = (Floats){0};
    UNROLLED for (int vector = 0; vector < vectors; vector++) {
        best[vector] = (Floats){0};
        if (length >= windows) /* no window is only padding, which gives 0 */
            best[vector] -= __builtin_inff();
    }
    if (length > windows + width - 1)
        length = windows + width - 1;
    for (ptrdiff_t at = 0; at < length; at++) {
        const float *word = table + words[at] * columns;
        UNROLLED for (int vector = 0; vector < vectors; vector++) {
            Floats sum = LOAD(word + (width - 1) * filters + vector * WIDTH);
            if (width > 1)
                sum = partial[(width - 2) * vectors + vector] + sum;
            UNROLLED for (int place = width - 2; place > 0; place--)
                partial[place * vectors + vector] =
                    partial[(place - 1) * vectors + vector] + LOAD(word + place * filters + vector * WIDTH);
            if (width > 1)
                partial[vector] = LOAD(word + vector * WIDTH);
            if (at >= width - 1)
                best[vector] = MAX(best[vector], sum);
        }
    }
    UNROLLED for (int place = 0; place < width - 1; place++) /* windows that end in padding */
        if (length > place && length - place <= windows)
            UNROLLED for (int vector = 0; vector < vectors; vector++)
                best[vector] = MAX(best[vector], partial[place * vectors + vector]);
    UNROLLED for (int vector = 0; vector < vectors; vector++)
        STORE(out + vector * WIDTH) = best[vector] + LOAD(bias + vector * WIDTH);
}

INLINED void NAMED(pool_strings)(const float *table, ptrdiff_t filters, const int32_t *words, const int64_t *begins,
                                 ptrdiff_t strings, ptrdiff_t windows, const float *bias, float *out, ptrdiff_t stride,
                                 const int width)
{
    for (ptrdiff_t string = 0; string < strings; string++)
        for (ptrdiff_t filter = 0; filter < filters; filter += POOL_VECTORS * WIDTH) {
#define CASE(count) \
    NAMED(pool_string)(table + filter, width * filters, filters, words + begins[string], \
                       begins[string + 1] - begins[string], windows, bias + filter, out + string * stride + filter, \
                       width, count)
#if POOL_VECTORS > 2
            const ptrdiff_t vectors = (filters - filter) / WIDTH;
            if (vectors == 1)
                CASE(1);
            else if (vectors == 2)
                CASE(2);
            else if (vectors == 3)
                CASE(3);
            else
#endif
                CASE(POOL_VECTORS);
#undef CASE
        }
}

/* See conv_max_pool in _network.pyx. */
TARGET
static void NAMED(conv_max_pool)(const float *table, ptrdiff_t width, ptrdiff_t filters, const int32_t *words,
                                 const int64_t *begins, ptrdiff_t strings, ptrdiff_t windows, const float *bias,
                                 float *out, ptrdiff_t stride)
{
#define CASE(constant) \
    NAMED(pool_strings)(table, filters, words, begins, strings, windows, bias, out, stride, constant)
    switch (width) {
    case 1: CASE(1); break;
    case 3: CASE(3); break;
    case 5: CASE(5); break;
    case 7: CASE(7); break;
    default: CASE((int)width);
    }
#undef CASE
}

/* ---- steps of the LSTM ------------------------------------------------------------------------------------------- */

/* exp(2 x), for x clipped to -9.4 to 9.4: a power of two times a polynomial. */
TARGET INLINED Floats NAMED(exp2x)(Floats x)
{
    const float to_integer = 12582912.0f; /* 1.5 * 2^23: adding it leaves no fraction */
    const Floats limit = (Floats){0} + 27.0f;
    x *= 2.88539008f; /* 2 / ln 2 */
    x = SELECT(x > limit, limit, x);
    x = SELECT(x < -limit, -limit, x);
    const Floats power = x + to_integer;
    x -= power - to_integer;
    Floats sum = x * 1.54035304e-4f + 1.33335581e-3f; /* ln(2)^n / n! */
    sum = sum * x + 9.61812911e-3f;
    sum = sum * x + 5.55041087e-2f;
    sum = sum * x + 2.40226507e-1f;
    sum = sum * x + 6.93147181e-1f;
    sum = sum * x + 1.0f;
    return (Floats)((Integers)sum + ((Integers)power << 23));
}

/* One step: update cell and state, (hidden,), from the pre-activations of the gates i, f, o and g, (4 * hidden,).

   With I = tanh(i) and so on the cell becomes ((1 + F) cell + (1 + I) G) / 2, the state (1 + O) tanh(cell); each is one
   fraction of exponentials. */
TARGET
static void NAMED(lstm_cell)(const float *gates, ptrdiff_t hidden, float *cell, float *state)
{
    for (ptrdiff_t unit = 0; unit < hidden; unit += WIDTH) {
        const Floats i = NAMED(exp2x)(LOAD(gates + unit));
        const Floats f = NAMED(exp2x)(LOAD(gates + hidden + unit));
        const Floats o = NAMED(exp2x)(LOAD(gates + 2 * hidden + unit));
        const Floats g = NAMED(exp2x)(LOAD(gates + 3 * hidden + unit));
        const Floats divisor = (i + 1.0f) * (g + 1.0f);
        const Floats next = (f * LOAD(cell + unit) * divisor + i * (g - 1.0f) * (f + 1.0f)) / (divisor * (f + 1.0f));
        const Floats c = NAMED(exp2x)(next);
        STORE(cell + unit) = next;
        STORE(state + unit) = 2.0f * o * (c - 1.0f) / ((o + 1.0f) * (c + 1.0f));
    }
}

/* out (count, columns) = sums of the first columns of rows of a table, whose rows are `stride` floats apart.

   For each of `blocks`, (count,), one row is added for each line of ids (kinds, id_stride). The rows of the next block
   are prefetched, since they may be anywhere. */
TARGET
static void NAMED(gather_sum)(const float *table, ptrdiff_t stride, const int64_t *ids, ptrdiff_t kinds,
                              ptrdiff_t id_stride, const ptrdiff_t *blocks, ptrdiff_t count, ptrdiff_t columns,
                              float *out)
{
    for (ptrdiff_t at = 0; at < count; at++, out += columns) {
        const int64_t *id = ids + blocks[at], *next_id = ids + blocks[at + 1 < count ? at + 1 : at];
        for (ptrdiff_t kind = 0; kind < kinds; kind++) {
            const float *row = table + id[kind * id_stride] * stride, *next = table + next_id[kind * id_stride] * stride;
            for (ptrdiff_t column = 0; column < columns; column += LANES) {
                __builtin_prefetch(next + column);
                UNROLLED for (ptrdiff_t place = column; place < column + LANES; place += WIDTH)
                    STORE(out + place) = kind ? LOAD(out + place) + LOAD(row + place) : LOAD(row + place);
            }
        }
    }
}

/* The dot product of vectors whose size is a multiple of LANES. */
TARGET
static float NAMED(dot)(const float *a, const float *b, ptrdiff_t size)
{
    Floats sums[LANES / WIDTH] = {{0}};
    float total = 0.0f;
    for (ptrdiff_t term = 0; term < size; term += LANES)
        UNROLLED for (int vector = 0; vector < LANES / WIDTH; vector++)
            sums[vector] += LOAD(a + term + vector * WIDTH) * LOAD(b + term + vector * WIDTH);
    for (int lane = 0; lane < LANES; lane++)
        total += sums[lane / WIDTH][lane % WIDTH];
    return total;
}

static const Kernels NAMED(kernels) = {NAMED(gemm), NAMED(conv_max_pool), NAMED(lstm_cell), NAMED(gather_sum),
                                       NAMED(dot)};

#undef Floats
#undef Integers
#undef LOAD
#undef STORE
#undef SELECT
#undef MAX
#undef WIDTH
#undef MAX_ROWS
#undef TILE_COLUMNS
#undef POOL_VECTORS
#undef NAMED
#undef TARGET

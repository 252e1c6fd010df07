/* The loops of `network.h` for one width of vectors; included once for each, with

   WIDTH: how many numbers a processor of this kind takes at once, LANES or a half or a quarter of it;
   MOST_ROWS, COLUMNS_OF(rows): of how many rows, and of how many columns for so many rows, its registers hold sums;
   GROUP: for how many vectors of filters they hold the sums of windows;
   NAMED(name): the name for this width; FOR_PROCESSOR: the attribute of functions for it.

   All arrays are in C order; of a matrix in panels, PANEL columns (the last: those that are left) stand together, each
   panel (inner, PANEL). */

#define Floats NAMED(Floats)
#define Integers NAMED(Integers)
typedef float Floats __attribute__((vector_size(4 * WIDTH), aligned(4)));
typedef int32_t Integers __attribute__((vector_size(4 * WIDTH), aligned(4)));

#define AT(place) (*(const Floats *)(place))
#define TO(place) (*(Floats *)(place))

/* For each number: a where the comparison holds, else b. */
#define CHOSEN(holds, a, b) ((Floats)(((holds) & (Integers)(a)) | (~(holds) & (Integers)(b))))

/* ---- products ---------------------------------------------------------------------------------------------------- */

/* out = given + a times `columns` columns of a panel, for a few rows; `rows` and `columns` are constants where this is
   used. `apart`: from one row of the panel to the next. */
INLINED void NAMED(tile)(const float *given, ptrdiff_t given_stride, const float *a, ptrdiff_t a_stride,
                         const float *panel, ptrdiff_t apart, ptrdiff_t inner, float *out, ptrdiff_t out_stride,
                         const int rows, const int columns)
{
    const int vectors = columns / WIDTH;
    Floats sums[24];
    UNROLLED for (int row = 0; row < rows; row++)
        UNROLLED for (int vector = 0; vector < vectors; vector++)
            sums[row * vectors + vector] = AT(given + row * given_stride + vector * WIDTH);
    for (ptrdiff_t term = 0; term < inner; term++) {
        Floats own[8];
        UNROLLED for (int vector = 0; vector < vectors; vector++)
            own[vector] = AT(panel + term * apart + vector * WIDTH);
        UNROLLED for (int row = 0; row < rows; row++) {
            const float factor = a[row * a_stride + term];
            UNROLLED for (int vector = 0; vector < vectors; vector++)
                sums[row * vectors + vector] += own[vector] * factor;
        }
    }
    UNROLLED for (int row = 0; row < rows; row++)
        UNROLLED for (int vector = 0; vector < vectors; vector++)
            TO(out + row * out_stride + vector * WIDTH) = sums[row * vectors + vector];
}

/* The same for a whole panel. */
INLINED void NAMED(panel)(const float *given, ptrdiff_t given_stride, const float *a, ptrdiff_t a_stride,
                          const float *panel, ptrdiff_t columns, ptrdiff_t inner, float *out, ptrdiff_t out_stride,
                          const int rows)
{
    ptrdiff_t column = 0;
    for (; column + COLUMNS_OF(rows) <= columns; column += COLUMNS_OF(rows))
        NAMED(tile)(given + column, given_stride, a, a_stride, panel + column, columns, inner, out + column, out_stride,
                    rows, COLUMNS_OF(rows));
    for (; COLUMNS_OF(rows) > LANES && column < columns; column += LANES)
        NAMED(tile)(given + column, given_stride, a, a_stride, panel + column, columns, inner, out + column, out_stride,
                    rows, LANES);
}

/* out (rows, columns) = given + a (rows, inner) times a matrix in panels; `given` may be `out`, its stride may be 0. */
FOR_PROCESSOR
static void NAMED(product)(const float *given, ptrdiff_t given_stride, const float *a, ptrdiff_t a_stride,
                           const float *panels, ptrdiff_t inner, ptrdiff_t columns, float *out, ptrdiff_t out_stride,
                           ptrdiff_t rows)
{
    for (ptrdiff_t begin = 0; begin < rows; begin += ROWS) /* few enough to stay near while they meet all panels */
        for (ptrdiff_t column = 0; column < columns; column += PANEL) {
            const ptrdiff_t end = rows - begin < ROWS ? rows : begin + ROWS;
            const ptrdiff_t own = columns - column < PANEL ? columns - column : PANEL;
            for (ptrdiff_t row = begin; row < end; row += MOST_ROWS) {
#define OF_ROWS(number) \
    NAMED(panel)(given + row * given_stride + column, given_stride, a + row * a_stride, a_stride, \
                 panels + column * inner, own, inner, out + row * out_stride + column, out_stride, number)
                switch (end - row) {
                case 1: OF_ROWS(1); break;
                case 2: OF_ROWS(2); break;
#if MOST_ROWS > 3
                case 3: OF_ROWS(3); break;
                case 4: OF_ROWS(4); break;
                case 5: OF_ROWS(5); break;
#endif
                default: OF_ROWS(MOST_ROWS);
                }
#undef OF_ROWS
            }
        }
}

/* ---- windows of words -------------------------------------------------------------------------------------------- */

/* The highest answers of a few vectors of filters to the windows of a string; `width` and `vectors` are constants.

   Each word is looked at once: `open[place]` is the sum, so far, of the window whose word number `place` it is. */
INLINED void NAMED(highest)(const float *table, ptrdiff_t columns, ptrdiff_t filters, const int32_t *words,
                            ptrdiff_t length, ptrdiff_t windows, const float *bias, float *out, const int width,
                            const int vectors)
{
    Floats open[WIDEST * GROUP], best[GROUP];
    UNROLLED for (int sum = 0; sum < (width - 1) * vectors; sum++)
        open[sum] = (Floats){0};
    UNROLLED for (int vector = 0; vector < vectors; vector++) {
        best[vector] = (Floats){0};
        if (length >= windows) /* no window is without words */
            best[vector] -= __builtin_inff();
    }
    if (length > windows + width - 1)
        length = windows + width - 1;
    for (ptrdiff_t at = 0; at < length; at++) {
        const float *answers = table + words[at] * columns;
        UNROLLED for (int vector = 0; vector < vectors; vector++) {
            Floats sum = AT(answers + (width - 1) * filters + vector * WIDTH);
            if (width > 1)
                sum = open[(width - 2) * vectors + vector] + sum;
            UNROLLED for (int place = width - 2; place > 0; place--)
                open[place * vectors + vector] =
                    open[(place - 1) * vectors + vector] + AT(answers + place * filters + vector * WIDTH);
            if (width > 1)
                open[vector] = AT(answers + vector * WIDTH);
            if (at >= width - 1)
                best[vector] = CHOSEN(best[vector] > sum, best[vector], sum);
        }
    }
    UNROLLED for (int place = 0; place < width - 1; place++) /* windows that the end cuts off */
        if (length > place && length - place <= windows)
            UNROLLED for (int vector = 0; vector < vectors; vector++) {
                const Floats sum = open[place * vectors + vector];
                best[vector] = CHOSEN(best[vector] > sum, best[vector], sum);
            }
    UNROLLED for (int vector = 0; vector < vectors; vector++)
        TO(out + vector * WIDTH) = best[vector] + AT(bias + vector * WIDTH);
}

/* See highest_of_windows in network.h. */
INLINED void NAMED(windows)(const float *table, ptrdiff_t filters, const int32_t *words, const int64_t *begins,
                            ptrdiff_t strings, ptrdiff_t windows, const float *bias, float *out, ptrdiff_t stride,
                            const int width)
{
    for (ptrdiff_t string = 0; string < strings; string++)
        for (ptrdiff_t filter = 0; filter < filters; filter += GROUP * WIDTH) {
#define OF_VECTORS(number) \
    NAMED(highest)(table + filter, width * filters, filters, words + begins[string], \
                   begins[string + 1] - begins[string], windows, bias + filter, out + string * stride + filter, \
                   width, number)
#if GROUP > 2
            const ptrdiff_t vectors = (filters - filter) / WIDTH;
            if (vectors == 1)
                OF_VECTORS(1);
            else if (vectors == 2)
                OF_VECTORS(2);
            else if (vectors == 3)
                OF_VECTORS(3);
            else
#endif
                OF_VECTORS(GROUP);
#undef OF_VECTORS
        }
}

FOR_PROCESSOR
static void NAMED(highest_of_windows)(const float *table, ptrdiff_t width, ptrdiff_t filters, const int32_t *words,
                                      const int64_t *begins, ptrdiff_t strings, ptrdiff_t windows, const float *bias,
                                      float *out, ptrdiff_t stride)
{
#define OF_WIDTH(number) NAMED(windows)(table, filters, words, begins, strings, windows, bias, out, stride, number)
    switch (width) {
    case 1: OF_WIDTH(1); break;
    case 3: OF_WIDTH(3); break;
    case 5: OF_WIDTH(5); break;
    case 7: OF_WIDTH(7); break;
    default: OF_WIDTH((int)width);
    }
#undef OF_WIDTH
}

/* ---- steps of the LSTM ------------------------------------------------------------------------------------------- */

/* e to the power of 2 x, for x from -9.4 to 9.4 and that for what is beyond: a power of two times a polynomial. */
FOR_PROCESSOR INLINED Floats NAMED(squared_exponential)(Floats x)
{
    const float to_integer = 12582912.0f; /* 1.5 * 2^23: adding it leaves no fraction */
    const Floats most = (Floats){0} + 27.0f;
    x *= 2.88539008f; /* 2 / ln 2 */
    x = CHOSEN(x > most, most, x);
    x = CHOSEN(x < -most, -most, x);
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

/* What the gates of a row make of its cell, (hidden,), and state. The gates are i, f, o and g; with I = tanh(i) and so on
   the cell becomes ((1 + F) cell + (1 + I) G) / 2, the state (1 + O) tanh(cell): each is one fraction of exponentials. */
FOR_PROCESSOR
static void NAMED(step)(const float *gates, ptrdiff_t hidden, float *cell, float *state)
{
    for (ptrdiff_t unit = 0; unit < hidden; unit += WIDTH) {
        const Floats i = NAMED(squared_exponential)(AT(gates + unit));
        const Floats f = NAMED(squared_exponential)(AT(gates + hidden + unit));
        const Floats o = NAMED(squared_exponential)(AT(gates + 2 * hidden + unit));
        const Floats g = NAMED(squared_exponential)(AT(gates + 3 * hidden + unit));
        const Floats below = (i + 1.0f) * (g + 1.0f);
        const Floats kept = (f * AT(cell + unit) * below + i * (g - 1.0f) * (f + 1.0f)) / (below * (f + 1.0f));
        const Floats c = NAMED(squared_exponential)(kept);
        TO(cell + unit) = kept;
        TO(state + unit) = 2.0f * o * (c - 1.0f) / ((o + 1.0f) * (c + 1.0f));
    }
}

/* out (count, columns) = the sums of the first columns of some rows of a table, each `stride` numbers long.

   Which: those at places (addends, apart) of each of `sums`, (count,). Rows stand anywhere, so that the processor has to
   be told which come next. */
FOR_PROCESSOR
static void NAMED(sums_of_rows)(const float *table, ptrdiff_t stride, const int64_t *places, ptrdiff_t addends,
                                ptrdiff_t apart, const ptrdiff_t *sums, ptrdiff_t count, ptrdiff_t columns, float *out)
{
    for (ptrdiff_t at = 0; at < count; at++, out += columns) {
        const int64_t *own = places + sums[at], *next = places + sums[at + 1 < count ? at + 1 : at];
        for (ptrdiff_t addend = 0; addend < addends; addend++) {
            const float *row = table + own[addend * apart] * stride, *following = table + next[addend * apart] * stride;
            for (ptrdiff_t column = 0; column < columns; column += LANES) {
                __builtin_prefetch(following + column);
                UNROLLED for (ptrdiff_t place = column; place < column + LANES; place += WIDTH)
                    TO(out + place) = addend ? AT(out + place) + AT(row + place) : AT(row + place);
            }
        }
    }
}

FOR_PROCESSOR
static float NAMED(dot)(const float *a, const float *b, ptrdiff_t count)
{
    Floats sums = {0};
    float sum = 0.0f;
    for (ptrdiff_t term = 0; term < count; term += WIDTH)
        sums += AT(a + term) * AT(b + term);
    for (int term = 0; term < WIDTH; term++)
        sum += sums[term];
    return sum;
}

/* ---- summaries --------------------------------------------------------------------------------------------------- */

/* The sum and the highest of rows of a table at places (count,), at least one, in each column. */
FOR_PROCESSOR
static void NAMED(sum_and_highest)(const float *table, ptrdiff_t columns, const int64_t *places, ptrdiff_t count,
                                   float *sum, float *highest)
{
    memcpy(sum, table + places[0] * columns, sizeof(float) * (size_t)columns);
    memcpy(highest, sum, sizeof(float) * (size_t)columns);
    for (ptrdiff_t place = 1; place < count; place++) {
        const float *row = table + places[place] * columns;
        ptrdiff_t column = 0;
        for (; column + WIDTH <= columns; column += WIDTH) {
            const Floats own = AT(row + column), most = AT(highest + column);
            TO(sum + column) = AT(sum + column) + own;
            TO(highest + column) = CHOSEN(most > own, most, own);
        }
        for (; column < columns; column++) {
            sum[column] += row[column];
            highest[column] = highest[column] > row[column] ? highest[column] : row[column];
        }
    }
}

static const Kernels NAMED(kernels) = {NAMED(product), NAMED(highest_of_windows), NAMED(step), NAMED(sums_of_rows),
                                       NAMED(dot), NAMED(sum_and_highest)};

#undef Floats
#undef Integers
#undef AT
#undef TO
#undef CHOSEN
#undef WIDTH
#undef MOST_ROWS
#undef COLUMNS_OF
#undef GROUP
#undef NAMED
#undef FOR_PROCESSOR

/* Sums, windows, trees and LSTM steps over plain arrays. All arrays are in C order; shapes stand at each function. */

#ifndef SEMTEXT_KERNELS_H
#define SEMTEXT_KERNELS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Functions marked so are compiled for several processors; which is used is found out when the module is loaded. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__)
#define FOR_EACH_PROCESSOR __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define FOR_EACH_PROCESSOR
#endif

/* Sixteen numbers at once: the compiler makes of it what the processor has. */
#define LANES 16
typedef float Floats __attribute__((vector_size(4 * LANES), aligned(4)));
typedef int32_t Integers __attribute__((vector_size(4 * LANES), aligned(4)));

/* For each of the sixteen: a where the comparison holds, else b. */
#define CHOSEN(holds, a, b) ((Floats)(((holds) & (Integers)(a)) | (~(holds) & (Integers)(b))))

/* out (count, columns) = the sums of rows of table (rows, columns) at places (addends, count). */
FOR_EACH_PROCESSOR
static void sums_of_rows(const float *table, ptrdiff_t columns, const int64_t *places, ptrdiff_t addends,
                         ptrdiff_t count, float *out)
{
    for (ptrdiff_t sum = 0; sum < count; sum++) {
        float *own = out + sum * columns;
        memcpy(own, table + places[sum] * columns, sizeof(float) * (size_t)columns);
        for (ptrdiff_t addend = 1; addend < addends; addend++) {
            const float *row = table + places[addend * count + sum] * columns;
            for (ptrdiff_t column = 0; column < columns; column++)
                own[column] += row[column];
        }
    }
}

/* The highest answer of each filter to the windows of each string: out (strings, stride), of which `filters` are written.

   table: (words, width, filters), what a word brings to a window at each of its places. words: the numbers of the words
   of all strings, one behind the other; begins: (strings + 1,). A full string has `windows` windows; a shorter one has
   windows without words too, to which the answer is 0. */
FOR_EACH_PROCESSOR
static void highest_of_windows(const float *table, ptrdiff_t width, ptrdiff_t filters, const int32_t *words,
                               const int64_t *begins, ptrdiff_t strings, ptrdiff_t windows, float *out,
                               ptrdiff_t stride)
{
    for (ptrdiff_t string = 0; string < strings; string++) {
        const int32_t *own = words + begins[string];
        const ptrdiff_t length = begins[string + 1] - begins[string];
        const int full = length >= windows;
        const ptrdiff_t last = full ? windows : length;
        for (ptrdiff_t filter = 0; filter < filters; filter += LANES) {
            Floats best = {0};
            for (ptrdiff_t at = 0; at < last; at++) {
                const ptrdiff_t places = length - at < width ? length - at : width;
                Floats sum = {0};
                for (ptrdiff_t place = 0; place < places; place++)
                    sum += *(const Floats *)(table + (own[at + place] * width + place) * filters + filter);
                best = at == 0 && full ? sum : CHOSEN(best > sum, best, sum);
            }
            *(Floats *)(out + string * stride + filter) = best;
        }
    }
}

/* Whether a byte of UTF-8 goes on with a character. */
#define GOES_ON(byte) (((byte) & 0xC0) == 0x80)

/* The means over the rows of the n-grams of words: out (words, dim), 0 for a word without n-grams.

   text: the words in UTF-8, each in angle brackets, one behind the other; begins: (words + 1,). N-grams have minn to
   maxn characters, a bracket alone is none; the row of one is its 32-bit FNV-1a hash, of signed bytes as fastText has
   it, modulo bucket. values: (bucket, dim) times scales: (bucket,). */
FOR_EACH_PROCESSOR
static void means_of_ngrams(const char *text, const int64_t *begins, ptrdiff_t words, ptrdiff_t minn, ptrdiff_t maxn,
                            const int8_t *values, const float *scales, uint32_t bucket, ptrdiff_t dim, float *out)
{
    for (ptrdiff_t word = 0; word < words; word++) {
        const ptrdiff_t begin = begins[word], end = begins[word + 1];
        float *sum = out + word * dim;
        ptrdiff_t count = 0;
        memset(sum, 0, sizeof(float) * (size_t)dim);
        for (ptrdiff_t first = begin; first < end; first++) {
            uint32_t hash = 2166136261u;
            ptrdiff_t at = first;
            if (GOES_ON(text[first]))
                continue;
            for (ptrdiff_t length = 1; length <= maxn && at < end; length++) {
                do
                    hash = (hash ^ (uint32_t)(int8_t)text[at++]) * 16777619u;
                while (at < end && GOES_ON(text[at]));
                if (length < minn || (length == 1 && (first == begin || at == end)))
                    continue;
                const int8_t *row = values + (hash % bucket) * dim;
                const float scale = scales[hash % bucket];
                for (ptrdiff_t number = 0; number < dim; number++)
                    sum[number] += (float)row[number] * scale;
                count++;
            }
        }
        for (ptrdiff_t number = 0; count && number < dim; number++)
            sum[number] /= (float)count;
    }
}

/* Rows that trees are told for at once: as many, or LANES where there are no more. */
#define ROWS (4 * LANES)

/* The leaves that no node of a tree rules out, as bits, for `lanes` rows; column c of them begins at columns + c * stride. */
static inline __attribute__((always_inline)) void
leaves_left(const float *columns, ptrdiff_t stride, ptrdiff_t nodes, const ptrdiff_t *feature, const float *threshold,
            const int32_t *rules_out, uint32_t *left, const int lanes)
{
    Integers gone[ROWS / LANES] = {{0}};
    for (ptrdiff_t node = 0; node < nodes; node++)
        for (int part = 0; part < lanes / LANES; part++) {
            const Floats numbers = *(const Floats *)(columns + feature[node] * stride + part * LANES);
            gone[part] |= ~(numbers <= threshold[node]) & rules_out[node];
        }
    for (int part = 0; part < lanes / LANES; part++)
        *(Integers *)(left + part * LANES) = ~gone[part];
}

/* The values of the leaves that rows come to: out (count, trees), or where `summed`, their sums: out (count,).

   Number c of row r is rows[r * row_stride + c * column_stride], c below `columns`. A node rules out leaves for the rows
   whose feature is not at most its threshold; of those left, the first is the row's. feature, threshold, rules_out:
   (trees, nodes); value: (trees, nodes + 1); turned: scratch of (columns, ROWS). */
FOR_EACH_PROCESSOR
static void leaves_of_rows(const float *rows, ptrdiff_t row_stride, ptrdiff_t column_stride, ptrdiff_t count,
                           ptrdiff_t columns, ptrdiff_t trees, ptrdiff_t nodes, const ptrdiff_t *feature,
                           const float *threshold, const uint32_t *rules_out, const double *value, double *out,
                           int summed, float *turned)
{
    uint32_t left[ROWS];
    for (ptrdiff_t begin = 0; begin < count; begin += ROWS) {
        const ptrdiff_t some = count - begin < ROWS ? count - begin : ROWS, lanes = some <= LANES ? LANES : ROWS;
        const float *own = rows + begin * row_stride;
        ptrdiff_t stride = column_stride;
        double sums[ROWS] = {0};
        if (row_stride != 1 || some < lanes) { /* columns in pieces as long as what is read of them */
            for (ptrdiff_t row = 0; row < some; row++)
                for (ptrdiff_t column = 0; column < columns; column++)
                    turned[column * lanes + row] = own[row * row_stride + column * column_stride];
            own = turned;
            stride = lanes;
        }
        for (ptrdiff_t tree = 0; tree < trees; tree++) {
            const ptrdiff_t first = tree * nodes;
            const int32_t *leaves = (const int32_t *)rules_out + first;
            const double *values = value + first + tree;
            if (lanes == LANES)
                leaves_left(own, stride, nodes, feature + first, threshold + first, leaves, left, LANES);
            else
                leaves_left(own, stride, nodes, feature + first, threshold + first, leaves, left, ROWS);
            if (summed)
                for (ptrdiff_t row = 0; row < some; row++)
                    sums[row] += values[__builtin_ctz(left[row])];
            else
                for (ptrdiff_t row = 0; row < some; row++)
                    out[(begin + row) * trees + tree] = values[__builtin_ctz(left[row])];
        }
        if (summed)
            memcpy(out + begin, sums, sizeof(double) * (size_t)some);
    }
}

/* e to the power of x, for x from -87 to 87: a power of two times a polynomial. Off by 2e-7 of it at most. */
static inline __attribute__((always_inline)) Floats exponential(Floats x)
{
    const float to_integer = 12582912.0f; /* 1.5 * 2^23: adding it leaves no fraction */
    Floats power = x * 1.44269504f + to_integer;
    Integers shift = (Integers)power << 23;
    power -= to_integer;
    x -= power * 0.693359375f;
    x += power * 2.12194440e-4f; /* ln 2 in two parts */
    Floats sum = x * (1.0f / 720) + (1.0f / 120);
    sum = sum * x + (1.0f / 24);
    sum = sum * x + (1.0f / 6);
    sum = sum * x + 0.5f;
    sum = sum * x + 1.0f;
    sum = sum * x + 1.0f;
    return (Floats)((Integers)sum + shift);
}

static inline __attribute__((always_inline)) Floats hyperbolic_tangent(Floats x)
{
    const Floats most = (Floats){0} + 9.0f; /* from where on it is 1 in single precision */
    x = CHOSEN(x > most, most, x);
    x = CHOSEN(x < -most, -most, x);
    return 1.0f - 2.0f / (exponential(x + x) + 1.0f);
}

#define PAGES 6

/* gates (pages, columns) = given + state (pages, hidden) times weight, for up to PAGES pages; columns in tiles of LANES.

   weight: (columns / LANES, hidden, LANES). */
static inline __attribute__((always_inline)) void
product(const float *given, const float *state, ptrdiff_t hidden, const float *weight, ptrdiff_t columns,
        float *gates, const int pages)
{
    for (ptrdiff_t column = 0; column < columns; column += LANES) {
        Floats sums[PAGES];
        for (int page = 0; page < pages; page++)
            sums[page] = *(const Floats *)(given + page * columns + column);
        for (ptrdiff_t unit = 0; unit < hidden; unit++) {
            const Floats own = *(const Floats *)(weight + unit * LANES);
            for (int page = 0; page < pages; page++)
                sums[page] += own * state[page * hidden + unit];
        }
        weight += hidden * LANES;
        for (int page = 0; page < pages; page++)
            *(Floats *)(gates + page * columns + column) = sums[page];
    }
}

/* The steps of an LSTM in one direction, with the same pages all along.

   given: (steps, pages, 4 * hidden) with `stride` numbers from step to step; states: (steps, pages, hidden) likewise
   with `out_stride`, written; state, cell: (pages, hidden), before the first step, `cell` is written; gates: scratch of
   (PAGES, 4 * hidden). The gates are i, f, o and g; with I = tanh(i) and so on the cell becomes
   ((1 + F) cell + (1 + I) G) / 2, the state (1 + O) tanh(cell). hidden is a multiple of LANES. */
FOR_EACH_PROCESSOR
static void lstm_steps(const float *given, ptrdiff_t stride, float *states, ptrdiff_t out_stride, const float *state,
                       float *cell, const float *weight, ptrdiff_t steps, ptrdiff_t pages, ptrdiff_t hidden,
                       float *gates)
{
    const ptrdiff_t columns = 4 * hidden;
    for (ptrdiff_t step = 0; step < steps; step++) {
        float *out = states + step * out_stride;
        const float *own = given + step * stride;
        for (ptrdiff_t first = 0; first < pages; first += PAGES) {
            const ptrdiff_t some = pages - first < PAGES ? pages - first : PAGES;
            const float *before = state + first * hidden, *brought = own + first * columns;
            switch (some) {
            case 1: product(brought, before, hidden, weight, columns, gates, 1); break;
            case 2: product(brought, before, hidden, weight, columns, gates, 2); break;
            case 3: product(brought, before, hidden, weight, columns, gates, 3); break;
            case 4: product(brought, before, hidden, weight, columns, gates, 4); break;
            case 5: product(brought, before, hidden, weight, columns, gates, 5); break;
            default: product(brought, before, hidden, weight, columns, gates, 6);
            }
            for (ptrdiff_t page = 0; page < some; page++)
                for (ptrdiff_t unit = 0; unit < hidden; unit += LANES) {
                    const float *gate = gates + page * columns + unit;
                    float *kept = cell + (first + page) * hidden + unit;
                    const Floats i = hyperbolic_tangent(*(const Floats *)gate);
                    const Floats f = hyperbolic_tangent(*(const Floats *)(gate + hidden));
                    const Floats o = hyperbolic_tangent(*(const Floats *)(gate + 2 * hidden));
                    const Floats g = hyperbolic_tangent(*(const Floats *)(gate + 3 * hidden));
                    const Floats sum = 0.5f * ((1.0f + f) * *(const Floats *)kept + (1.0f + i) * g);
                    *(Floats *)kept = sum;
                    *(Floats *)(out + (first + page) * hidden + unit) = (1.0f + o) * hyperbolic_tangent(sum);
                }
        }
        state = out;
    }
}

#endif

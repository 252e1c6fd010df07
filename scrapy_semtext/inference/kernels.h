/* N-grams and trees over plain arrays. All arrays are in C order; shapes stand at each function. */

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

/* Rows of values (rows, dim) times scales (rows,), at places (count,), as out (count, dim); -1: left as it is. */
FOR_EACH_PROCESSOR
static void scaled_rows(const int8_t *values, const float *scales, ptrdiff_t dim, const int64_t *places,
                        ptrdiff_t count, float *out)
{
    for (ptrdiff_t place = 0; place < count; place++, out += dim) {
        if (places[place] < 0)
            continue;
        const int8_t *row = values + places[place] * dim;
        const float scale = scales[places[place]];
        for (ptrdiff_t number = 0; number < dim; number++)
            out[number] = (float)row[number] * scale;
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

#endif

/* The inner loop of QuickScorer (Lucchese et al. 2015) over a block of rows. All arrays are in C order. */

#ifndef SEMTEXT_QUICKSCORER_H
#define SEMTEXT_QUICKSCORER_H

#include <stddef.h>
#include <stdint.h>

/* Rows are compared with a node eight at a time: one register of AVX2, two of SSE2 or NEON. */
#define LANES 8
#define BLOCK_ROWS (8 * LANES)

#define INLINED static inline __attribute__((always_inline))

typedef float Floats __attribute__((vector_size(4 * LANES), aligned(4)));
typedef int32_t Masks __attribute__((vector_size(4 * LANES), aligned(4)));

/* Trees with `nodes` inner nodes each. feature, threshold, mask: (trees, nodes); value: (trees, nodes + 1). */
typedef struct {
    const ptrdiff_t *feature;
    const float *threshold;
    const int32_t *mask;
    const double *value;
    ptrdiff_t trees, nodes, outputs;
} Forest;

/* Add the leaf values of `rows` rows, at most vectors * LANES, to out (rows, outputs); tree t counts for t % outputs.

   Feature f of row r is columns[f * stride + r]. `vectors` is a constant where this is inlined. */
INLINED void score_block(const Forest *forest, const float *columns, ptrdiff_t stride, ptrdiff_t rows, double *out,
                         const int vectors)
{
    for (ptrdiff_t tree = 0; tree < forest->trees; tree++) {
        const ptrdiff_t first = tree * forest->nodes;
        const double *value = forest->value + first + tree;
        double *sum = out + tree % forest->outputs;
        Masks removed[BLOCK_ROWS / LANES] = {{0}};
        for (ptrdiff_t node = first; node < first + forest->nodes; node++) {
            const float *column = columns + forest->feature[node] * stride;
            const float threshold = forest->threshold[node];
            const int32_t mask = forest->mask[node];
            _Pragma("GCC unroll 8") for (int vector = 0; vector < vectors; vector++)
                removed[vector] |= ~(*(const Floats *)(column + vector * LANES) <= threshold) & mask; /* NaN: right */
        }
        const uint32_t *bits = (const uint32_t *)removed;
        for (ptrdiff_t row = 0; row < rows; row++)
            sum[row * forest->outputs] += value[__builtin_ctz(~bits[row])];
    }
}

INLINED void score_any_block(const Forest *forest, const float *columns, ptrdiff_t stride, ptrdiff_t rows, double *out)
{
    if (rows <= LANES)
        score_block(forest, columns, stride, rows, out, 1);
    else if (rows <= 2 * LANES)
        score_block(forest, columns, stride, rows, out, 2);
    else if (rows <= 4 * LANES)
        score_block(forest, columns, stride, rows, out, 4);
    else
        score_block(forest, columns, stride, rows, out, 8);
}

static void score_portable(const Forest *forest, const float *columns, ptrdiff_t stride, ptrdiff_t rows, double *out)
{
    score_any_block(forest, columns, stride, rows, out);
}

#if defined(__GNUC__) && defined(__x86_64__)
__attribute__((target("avx2"))) static void
score_avx2(const Forest *forest, const float *columns, ptrdiff_t stride, ptrdiff_t rows, double *out)
{
    score_any_block(forest, columns, stride, rows, out);
}
#define HAS_AVX2 __builtin_cpu_supports("avx2")
#else
#define score_avx2 score_portable
#define HAS_AVX2 0
#endif

/* Add the scores of all rows to out (rows, outputs).

   Feature f of row r is data[r * row_stride + f * column_stride]; scratch: (features, BLOCK_ROWS). The instruction set
   only affects the time: comparisons are exact, and leaf values are added in the order of the trees. */
static void quickscorer(const Forest *forest, const float *data, ptrdiff_t row_stride, ptrdiff_t column_stride,
                        ptrdiff_t rows, ptrdiff_t features, double *out, float *scratch)
{
    for (ptrdiff_t begin = 0; begin < rows; begin += BLOCK_ROWS) {
        const ptrdiff_t count = rows - begin < BLOCK_ROWS ? rows - begin : BLOCK_ROWS;
        const float *columns = data + begin * row_stride;
        ptrdiff_t stride = column_stride;
        if (row_stride != 1 || count < BLOCK_ROWS) { /* copied, so that whole vectors can be read of each column */
            for (ptrdiff_t feature = 0; feature < features; feature++)
                for (ptrdiff_t row = 0; row < count; row++)
                    scratch[feature * BLOCK_ROWS + row] = columns[row * row_stride + feature * column_stride];
            columns = scratch;
            stride = BLOCK_ROWS;
        }
        if (HAS_AVX2)
            score_avx2(forest, columns, stride, count, out + begin * forest->outputs);
        else
            score_portable(forest, columns, stride, count, out + begin * forest->outputs);
    }
}

#endif

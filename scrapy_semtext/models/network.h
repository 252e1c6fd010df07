/* Matrix products, convolution, LSTM steps and page summaries over plain arrays, all in C order. */

#ifndef SEMTEXT_NETWORK_H
#define SEMTEXT_NETWORK_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The required divisor of the numbers of matrix columns, filters and hidden units. */
#define LANES 16
#define MAX_KERNEL_WIDTH 16

/* Rows of a product that are computed together, and columns of the panels that its matrix is packed into. */
#define ROWS 96
#define PANEL (4 * LANES)

/* Bytes of a cache line: aligned arrays are read faster. */
#define CACHE_LINE 64

#define INLINED static inline __attribute__((always_inline))
#define UNROLLED _Pragma("GCC unroll 32")

typedef struct {
    void (*gemm)(const float *, ptrdiff_t, const float *, ptrdiff_t, const float *, ptrdiff_t, ptrdiff_t, float *,
                 ptrdiff_t, ptrdiff_t);
    void (*conv_max_pool)(const float *, ptrdiff_t, ptrdiff_t, const int32_t *, const int64_t *, ptrdiff_t, ptrdiff_t,
                          const float *, float *, ptrdiff_t);
    void (*lstm_cell)(const float *, ptrdiff_t, float *, float *);
    void (*gather_sum)(const float *, ptrdiff_t, const int64_t *, ptrdiff_t, ptrdiff_t, const ptrdiff_t *, ptrdiff_t,
                       ptrdiff_t, float *);
    float (*dot)(const float *, const float *, ptrdiff_t);
} Kernels;

/* The loops are compiled for several instruction sets; `set_simd_width` selects one when the module is loaded. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
#define X86_GCC
#define WIDTH 16 /* AVX-512: 32 registers of 16 floats */
#define MAX_ROWS 6
#define TILE_COLUMNS(rows) (4 * LANES)
#define POOL_VECTORS 4
#define NAMED(name) name##_16
#define TARGET __attribute__((target("arch=x86-64-v4")))
#include "network_simd.h"

#define WIDTH 8 /* AVX2: 16 registers of 8 floats */
#define MAX_ROWS 6
#define TILE_COLUMNS(rows) (((rows) > 3 ? 1 : (rows) > 1 ? 2 : 4) * LANES)
#define POOL_VECTORS 2
#define NAMED(name) name##_8
#define TARGET __attribute__((target("arch=x86-64-v3")))
#include "network_simd.h"
#endif

#define WIDTH 4 /* SSE2: 16 registers of 4 floats; NEON: 32 */
#ifdef __aarch64__
#define MAX_ROWS 6
#else
#define MAX_ROWS 3
#endif
#define TILE_COLUMNS(rows) (((rows) > 1 ? 1 : 2) * LANES)
#define POOL_VECTORS 2
#define NAMED(name) name##_4
#define TARGET
#include "network_simd.h"

static const Kernels *kernels = &kernels_4;

/* Use registers of at most `width` floats if the processor has them; returns the width in use. */
static int set_simd_width(int width)
{
    kernels = &kernels_4;
#ifdef X86_GCC
    __builtin_cpu_init();
    if (width >= 8 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        kernels = &kernels_8;
    if (width >= 16 && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd"))
        kernels = &kernels_16;
    return kernels == &kernels_16 ? 16 : kernels == &kernels_8 ? 8 : 4;
#else
    (void)width;
    return 4;
#endif
}

/* ---- bidirectional LSTM ------------------------------------------------------------------------------------------ */

/* The pages of a batch, the longest first, and the weights; in each array the forward direction comes first.

   table: (rows, 2, 4 * hidden), what each string adds to the gates; string_ids: (kinds, blocks), rows of it;
   features: (blocks, features); feature_weight: (features, 2 * 4 * hidden) in panels; weight: two of
   (hidden, 4 * hidden) in panels; emission_weight: (2, hidden); begins, lengths: (pages,), in blocks. */
typedef struct {
    const float *table, *features, *feature_weight, *weight, *emission_weight;
    const int64_t *string_ids, *begins, *lengths;
    ptrdiff_t kinds, blocks, feature_count, hidden, pages;
} LstmBatch;

/* Gates are computed for this many blocks just before the steps that use them, while they are in the cache. */
#define GATE_ROWS 64

static size_t gate_rows(const LstmBatch *batch)
{
    return (size_t)(batch->pages > GATE_ROWS ? batch->pages : GATE_ROWS);
}

/* The scratch memory of `bilstm` in bytes; it also needs `gate_rows` block indexes. */
static size_t scratch_size(const LstmBatch *batch)
{
    const size_t gates = gate_rows(batch) * (size_t)(4 * batch->hidden + batch->feature_count);
    return sizeof(float) * (gates + 2 * (size_t)(batch->pages * batch->hidden)) + CACHE_LINE;
}

/* emissions (2, blocks) = emission_weight times the state of each direction, which is twice that of torch's LSTM. */
static void bilstm(const LstmBatch *batch, float *emissions, void *scratch, ptrdiff_t *block_of_row)
{
    const ptrdiff_t hidden = batch->hidden, columns = 4 * hidden, feature_count = batch->feature_count;
    const ptrdiff_t most_rows = (ptrdiff_t)gate_rows(batch);
    float *gates = (float *)(((uintptr_t)scratch + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE);
    float *state = gates + most_rows * columns, *cell = state + batch->pages * hidden;
    float *features = cell + batch->pages * hidden;
    for (int backward = 0; backward < 2; backward++) {
        const float *weight = batch->weight + backward * columns * hidden;
        const float *emission_weight = batch->emission_weight + backward * hidden;
        memset(state, 0, sizeof(float) * (size_t)(2 * batch->pages * hidden));
        for (int64_t step = 0; step < batch->lengths[0];) {
            /* as many whole steps as fit, at least one */
            ptrdiff_t rows = 0, pages = batch->pages;
            int64_t end = step;
            for (; end < batch->lengths[0]; end++) {
                while (batch->lengths[pages - 1] <= end)
                    pages--;
                if (rows && rows + pages > most_rows)
                    break;
                for (ptrdiff_t page = 0; page < pages; page++, rows++) {
                    const ptrdiff_t block = batch->begins[page] + (backward ? batch->lengths[page] - 1 - end : end);
                    block_of_row[rows] = block;
                    if (feature_count) /* without features, the array is missing */
                        memcpy(features + rows * feature_count, batch->features + block * feature_count,
                               sizeof(float) * (size_t)feature_count);
                }
            }
            kernels->gather_sum(batch->table + backward * columns, 2 * columns, batch->string_ids, batch->kinds,
                                batch->blocks, block_of_row, rows, columns, gates);
            if (feature_count)
                kernels->gemm(gates, columns, features, feature_count,
                              batch->feature_weight + backward * columns * feature_count, feature_count, columns, gates,
                              columns, rows);
            for (ptrdiff_t row = 0; step < end; step++) {
                float *step_gates = gates + row * columns;
                for (pages = batch->pages; batch->lengths[pages - 1] <= step;)
                    pages--;
                kernels->gemm(step_gates, columns, state, hidden, weight, hidden, columns, step_gates, columns, pages);
                for (ptrdiff_t page = 0; page < pages; page++, row++) {
                    kernels->lstm_cell(step_gates + page * columns, hidden, cell + page * hidden, state + page * hidden);
                    emissions[backward * batch->blocks + block_of_row[row]] =
                        kernels->dot(state + page * hidden, emission_weight, hidden);
                }
            }
        }
    }
}

#endif

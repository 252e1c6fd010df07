/* Products, windows, LSTM steps and the chain over plain arrays, all in C order; shapes stand at each function. */

#ifndef SEMTEXT_NETWORK_H
#define SEMTEXT_NETWORK_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* What columns of matrices, filters and hidden units must be a multiple of. */
#define LANES 16
/* The most words that a window may have. */
#define WIDEST 16

/* Rows of a product that are taken at once, and columns of the panels that its matrix is cut into. */
#define ROWS 96
#define PANEL (4 * LANES)

/* Bytes of a line of the processor's cache: what begins with one is read faster. */
#define LINE 64

#define INLINED static inline __attribute__((always_inline))
#define UNROLLED _Pragma("GCC unroll 32")

/* OF_ROWS(rows), which is defined where this is used, with a constant for `count`; more than five are six. */
#define UP_TO_SIX(count) \
    switch (count) { \
    case 1: OF_ROWS(1); break; \
    case 2: OF_ROWS(2); break; \
    case 3: OF_ROWS(3); break; \
    case 4: OF_ROWS(4); break; \
    case 5: OF_ROWS(5); break; \
    default: OF_ROWS(6); \
    }

typedef struct {
    void (*product)(const float *, ptrdiff_t, const float *, ptrdiff_t, const float *, ptrdiff_t, ptrdiff_t, float *,
                    ptrdiff_t, ptrdiff_t);
    void (*highest_of_windows)(const float *, ptrdiff_t, ptrdiff_t, const int32_t *, const int64_t *, ptrdiff_t,
                               ptrdiff_t, const float *, float *, ptrdiff_t);
    void (*step)(const float *, ptrdiff_t, float *, float *);
    void (*sums_of_rows)(const float *, ptrdiff_t, const int64_t *, ptrdiff_t, ptrdiff_t, const ptrdiff_t *, ptrdiff_t,
                         ptrdiff_t, float *);
    float (*dot)(const float *, const float *, ptrdiff_t);
    void (*sum_and_highest)(const float *, ptrdiff_t, const int64_t *, ptrdiff_t, float *, float *);
} Kernels;

/* The same loops for several processors; which are used is found out when the module is loaded. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
#define SEVERAL_PROCESSORS
#define WIDTH 16 /* AVX-512: 32 registers of 16 numbers */
#define MOST_ROWS 6
#define COLUMNS_OF(rows) (4 * LANES)
#define GROUP 4
#define NAMED(name) name##_16
#define FOR_PROCESSOR __attribute__((target("arch=x86-64-v4")))
#include "network_lanes.h"

#define WIDTH 8 /* AVX2: 16 registers of 8 numbers */
#define MOST_ROWS 6
#define COLUMNS_OF(rows) (((rows) > 3 ? 1 : (rows) > 1 ? 2 : 4) * LANES)
#define GROUP 2
#define NAMED(name) name##_8
#define FOR_PROCESSOR __attribute__((target("arch=x86-64-v3")))
#include "network_lanes.h"
#endif

#define WIDTH 4 /* SSE2: 16 registers of 4 numbers; NEON: 32 */
#ifdef __aarch64__
#define MOST_ROWS 6
#else
#define MOST_ROWS 3
#endif
#define COLUMNS_OF(rows) (((rows) > 1 ? 1 : 2) * LANES)
#define GROUP 2
#define NAMED(name) name##_4
#define FOR_PROCESSOR
#include "network_lanes.h"

static const Kernels *kernels = &kernels_4;
static int with_halves = 0, with_bytes = 0;

#if defined(SEVERAL_PROCESSORS) && __GNUC__ >= 12
#include "network_bytes.h"
#include "network_halves.h"
#define HAS_BYTES __builtin_cpu_supports("avx512vnni")
#define HAS_HALVES __builtin_cpu_supports("avx512bf16")
#else /* never called */
#define HAS_BYTES 0
#define bytes_of(numbers, rows, inner, out, factors) (void)(out)
#define product_of_bytes(given, a, factors, panels, starts, of_columns, inner, columns, out, rows) (void)(a)
#define HAS_HALVES 0
#define halves_of(numbers, count, out) (void)(out)
#define product_of_halves(given, given_stride, a, panels, inner, columns, out, out_stride, rows) (void)(a)
#endif

/* Choose what the processor at hand does fastest, of vectors of `most` numbers at most; with products in bfloat16 and of
   bytes, if it has them and `rounded` says so. Returns the numbers of a vector. */
static int choose_kernels(int most, int rounded)
{
    kernels = &kernels_4;
    with_halves = with_bytes = 0;
#ifdef SEVERAL_PROCESSORS
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && most >= 8)
        kernels = &kernels_8;
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd") && most >= 16) {
        kernels = &kernels_16;
        with_halves = rounded && HAS_HALVES;
        with_bytes = rounded && HAS_BYTES;
    }
    return kernels == &kernels_16 ? 16 : kernels == &kernels_8 ? 8 : 4;
#else
    (void)most, (void)rounded;
    return 4;
#endif
}

/* ---- pages through the LSTM -------------------------------------------------------------------------------------- */

/* What the LSTM reads and what it is made of. Pages come longest first; their blocks stand one behind the other.

   table: (rows, 2, 4 * hidden) what strings bring to the gates of both directions; strings: (kinds, blocks) rows of it;
   numbers: (blocks, features), and of_numbers: (features, 2 * 4 * hidden) in panels, what they bring; weight: two of
   (hidden, 4 * hidden) in panels, or NULL, and then `halves` has them in halves; of_state: (2, hidden) what is made of a
   state; begins, lengths: (pages,). */
typedef struct {
    const float *table, *numbers, *of_numbers, *weight, *of_state;
    const uint32_t *halves;
    const int64_t *strings, *begins, *lengths;
    ptrdiff_t kinds, blocks, features, hidden, pages;
} Reading;

/* How many rows of gates are worked out ahead of the steps, if a step has no more: as many as stay near. */
#define AHEAD 64

/* The rows that `read_pages` works out at once, and the bytes that it needs for itself. */
static size_t rows_ahead(const Reading *of)
{
    return (size_t)(of->pages > AHEAD ? of->pages : AHEAD);
}

static size_t scratch_of(const Reading *of)
{
    const size_t rows = rows_ahead(of), pages = (size_t)of->pages;
    return sizeof(float) * (rows * (size_t)(4 * of->hidden + of->features) + 3 * pages * (size_t)of->hidden) + LINE;
}

/* said (2, blocks) = of_state times the state of each direction at each block, which is twice what torch's LSTM gives. */
static void read_pages(const Reading *of, float *said, void *scratch, ptrdiff_t *block_of)
{
    const ptrdiff_t hidden = of->hidden, columns = 4 * hidden;
    const ptrdiff_t most = (ptrdiff_t)rows_ahead(of);
    float *gates = (float *)(((uintptr_t)scratch + LINE - 1) / LINE * LINE), *state = gates + most * columns;
    float *cell = state + of->pages * hidden, *near = cell + 2 * of->pages * hidden;
    uint32_t *half_state = (uint32_t *)(cell + of->pages * hidden);
    for (int back = 0; back < 2; back++) {
        const ptrdiff_t own_weight = back * columns * hidden;
        const float *of_state = of->of_state + back * hidden;
        const float *of_numbers = of->of_numbers + back * columns * of->features;
        memset(state, 0, sizeof(float) * (size_t)(3 * of->pages * hidden));
        for (int64_t step = 0; step < of->lengths[0];) {
            /* as many whole steps as there is room for, at least one */
            ptrdiff_t rows = 0, pages = of->pages;
            int64_t end = step;
            for (; end < of->lengths[0]; end++) {
                while (of->lengths[pages - 1] <= end)
                    pages--;
                if (rows && rows + pages > most)
                    break;
                for (ptrdiff_t page = 0; page < pages; page++, rows++) {
                    const ptrdiff_t block = of->begins[page] + (back ? of->lengths[page] - 1 - end : end);
                    block_of[rows] = block;
                    if (of->features) /* there may be no numbers at all, and no memory of theirs */
                        memcpy(near + rows * of->features, of->numbers + block * of->features,
                               sizeof(float) * (size_t)of->features);
                }
            }
            kernels->sums_of_rows(of->table + back * columns, 2 * columns, of->strings, of->kinds, of->blocks, block_of,
                                  rows, columns, gates);
            if (of->features)
                kernels->product(gates, columns, near, of->features, of_numbers, of->features, columns, gates, columns,
                                 rows);
            for (ptrdiff_t row = 0; step < end; step++) {
                float *own = gates + row * columns;
                for (pages = of->pages; of->lengths[pages - 1] <= step;)
                    pages--;
                if (of->halves)
                    product_of_halves(own, columns, half_state, of->halves + own_weight / 2, hidden, columns, own, columns,
                                      pages);
                else
                    kernels->product(own, columns, state, hidden, of->weight + own_weight, hidden, columns, own, columns,
                                     pages);
                for (ptrdiff_t page = 0; page < pages; page++, row++) {
                    kernels->step(own + page * columns, hidden, cell + page * hidden, state + page * hidden);
                    if (of->halves)
                        halves_of(state + page * hidden, hidden, half_state + page * hidden / 2);
                    said[back * of->blocks + block_of[row]] = kernels->dot(state + page * hidden, of_state, hidden);
                }
            }
        }
    }
}

#endif

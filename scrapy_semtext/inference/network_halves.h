/* Products in bfloat16, the upper halves of floats, for processors that take 32 of them at once (AVX512-BF16); included
   by `network.h`. Sums are floats. Two halves that are multiplied and added together stand as one number, the first in
   its lower bits: rows (rows, inner / 2), panels (inner / 2, PANEL). `inner` is a multiple of 32. */

#include <immintrin.h>

#define FOR_HALVES __attribute__((target("arch=x86-64-v4,avx512bf16")))

/* out (count / 2,) = the halves of numbers (count,), rounded. */
FOR_HALVES
static void halves_of(const float *numbers, ptrdiff_t count, uint32_t *out)
{
    for (ptrdiff_t at = 0; at < count; at += 32) {
        const __m512bh own = _mm512_cvtne2ps_pbh(_mm512_loadu_ps(numbers + at + 16), _mm512_loadu_ps(numbers + at));
        memcpy(out + at / 2, &own, sizeof own);
    }
}

/* out = given + rows times a panel; `rows` is a constant where this is used. */
FOR_HALVES INLINED void tile_of_halves(const float *given, ptrdiff_t given_stride, const uint32_t *a, ptrdiff_t a_stride,
                                       const uint32_t *panel, ptrdiff_t inner, float *out, ptrdiff_t out_stride,
                                       const int rows)
{
    __m512 sums[24];
    UNROLLED for (int row = 0; row < rows; row++)
        UNROLLED for (int vector = 0; vector < 4; vector++)
            sums[row * 4 + vector] = _mm512_loadu_ps(given + row * given_stride + vector * 16);
    for (ptrdiff_t term = 0; term < inner / 2; term++) {
        __m512i own[4];
        UNROLLED for (int vector = 0; vector < 4; vector++)
            own[vector] = _mm512_loadu_si512(panel + term * PANEL + vector * 16);
        UNROLLED for (int row = 0; row < rows; row++) {
            const __m512i factors = _mm512_set1_epi32((int)a[row * a_stride + term]);
            UNROLLED for (int vector = 0; vector < 4; vector++)
                sums[row * 4 + vector] =
                    _mm512_dpbf16_ps(sums[row * 4 + vector], (__m512bh)own[vector], (__m512bh)factors);
        }
    }
    UNROLLED for (int row = 0; row < rows; row++)
        UNROLLED for (int vector = 0; vector < 4; vector++)
            _mm512_storeu_ps(out + row * out_stride + vector * 16, sums[row * 4 + vector]);
}

/* What `product` computes, of rows and a matrix in halves; `columns` is a multiple of PANEL. */
FOR_HALVES
static void product_of_halves(const float *given, ptrdiff_t given_stride, const uint32_t *a, const uint32_t *panels,
                              ptrdiff_t inner, ptrdiff_t columns, float *out, ptrdiff_t out_stride, ptrdiff_t rows)
{
    for (ptrdiff_t begin = 0; begin < rows; begin += ROWS)
        for (ptrdiff_t column = 0; column < columns; column += PANEL) {
            const ptrdiff_t end = rows - begin < ROWS ? rows : begin + ROWS;
            for (ptrdiff_t row = begin; row < end; row += 6) {
#define OF_ROWS(number) \
    tile_of_halves(given + row * given_stride + column, given_stride, a + row * inner / 2, inner / 2, \
                   panels + column * inner / 2, inner, out + row * out_stride + column, out_stride, number)
                UP_TO_SIX(end - row)
#undef OF_ROWS
            }
        }
}

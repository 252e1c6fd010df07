/* Products of whole numbers from -127 to 127, for processors that multiply 64 of them at once (AVX512-VNNI); included by
   `network.h`. Each row has a factor of its own, and so has each column of the matrix. Four numbers that are multiplied
   and added together stand as one, the first in its lower bits: rows (rows, inner / 4), panels (inner / 4, PANEL).
   `inner` is a multiple of 16. */

#include <immintrin.h>

#define FOR_BYTES __attribute__((target("arch=x86-64-v4,avx512vnni")))

/* out (rows, inner / 4) = numbers (rows, inner) in units of factors (rows,), plus 128: what is multiplied is positive on
   one side. */
FOR_BYTES
static void bytes_of(const float *numbers, ptrdiff_t rows, ptrdiff_t inner, uint32_t *out, float *factors)
{
    for (ptrdiff_t row = 0; row < rows; row++, numbers += inner, out += inner / 4) {
        __m512 highest = _mm512_setzero_ps();
        for (ptrdiff_t at = 0; at < inner; at += 16)
            highest = _mm512_max_ps(highest, _mm512_abs_ps(_mm512_loadu_ps(numbers + at)));
        const float most = _mm512_reduce_max_ps(highest);
        const __m512 units = _mm512_set1_ps(most > 0 ? 127 / most : 0);
        factors[row] = most / 127;
        for (ptrdiff_t at = 0; at < inner; at += 16) {
            const __m512i whole = _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_loadu_ps(numbers + at), units));
            const __m128i own = _mm_xor_si128(_mm512_cvtepi32_epi8(whole), _mm_set1_epi8((char)0x80));
            memcpy(out + at / 4, &own, sizeof own);
        }
    }
}

/* out = given + rows times a panel; `rows` is a constant where this is used. `starts`: -128 times the sums of the columns,
   which takes away what was added to the rows. */
FOR_BYTES INLINED void tile_of_bytes(const float *given, const uint32_t *a, ptrdiff_t a_stride, const float *factors,
                                     const uint32_t *panel, const int32_t *starts, const float *of_columns,
                                     ptrdiff_t inner, float *out, ptrdiff_t out_stride, const int rows)
{
    __m512i sums[24];
    UNROLLED for (int row = 0; row < rows; row++)
        UNROLLED for (int vector = 0; vector < 4; vector++)
            sums[row * 4 + vector] = _mm512_loadu_si512(starts + vector * 16);
    for (ptrdiff_t term = 0; term < inner / 4; term++) {
        __m512i own[4];
        UNROLLED for (int vector = 0; vector < 4; vector++)
            own[vector] = _mm512_loadu_si512(panel + term * PANEL + vector * 16);
        UNROLLED for (int row = 0; row < rows; row++) {
            const __m512i four = _mm512_set1_epi32((int)a[row * a_stride + term]);
            UNROLLED for (int vector = 0; vector < 4; vector++)
                sums[row * 4 + vector] = _mm512_dpbusd_epi32(sums[row * 4 + vector], four, own[vector]);
        }
    }
    __m512i kept[24];
    UNROLLED for (int row = 0; row < rows; row++)
        UNROLLED for (int vector = 0; vector < 4; vector++)
            kept[row * 4 + vector] = sums[row * 4 + vector];
    for (int row = 0; row < rows; row++, out += out_stride)
        for (int vector = 0; vector < 4; vector++) {
            const __m512 factor = _mm512_mul_ps(_mm512_loadu_ps(of_columns + vector * 16), _mm512_set1_ps(factors[row]));
            const __m512 sum = _mm512_cvtepi32_ps(kept[row * 4 + vector]);
            _mm512_storeu_ps(out + vector * 16, _mm512_fmadd_ps(sum, factor, _mm512_loadu_ps(given + vector * 16)));
        }
}

/* out (rows, columns) = given (columns,) + a times a matrix in panels; `columns` is a multiple of PANEL. */
FOR_BYTES
static void product_of_bytes(const float *given, const uint32_t *a, const float *factors, const uint32_t *panels,
                             const int32_t *starts, const float *of_columns, ptrdiff_t inner, ptrdiff_t columns,
                             float *out, ptrdiff_t rows)
{
    for (ptrdiff_t begin = 0; begin < rows; begin += ROWS)
        for (ptrdiff_t column = 0; column < columns; column += PANEL) {
            const ptrdiff_t end = rows - begin < ROWS ? rows : begin + ROWS;
            for (ptrdiff_t row = begin; row < end; row += 6) {
#define OF_ROWS(number) \
    tile_of_bytes(given + column, a + row * inner / 4, inner / 4, factors + row, panels + column * inner / 4, \
                  starts + column, of_columns + column, inner, out + row * columns + column, columns, number)
                UP_TO_SIX(end - row)
#undef OF_ROWS
            }
        }
}

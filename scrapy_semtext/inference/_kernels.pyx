# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""N-grams of words and trees over plain arrays; `kernels.h` does the work.

Numbers of rows and the like are not checked: who calls made them. The interpreter is free for other threads meanwhile.
"""

from libc.stddef cimport ptrdiff_t
from libc.stdint cimport int8_t, int32_t, int64_t, uint32_t
from libc.stdlib cimport free, malloc

cdef extern from "kernels.h" nogil:
    int LANES
    int ROWS
    void c_scaled "scaled_rows" (
        const int8_t *, const float *, ptrdiff_t, const int64_t *, ptrdiff_t, float *)
    void c_means "means_of_ngrams" (
        const char *, const int64_t *, ptrdiff_t, ptrdiff_t, ptrdiff_t, const int8_t *, const float *, uint32_t, ptrdiff_t,
        float *)
    void c_leaves "leaves_of_rows" (
        const float *, ptrdiff_t, ptrdiff_t, ptrdiff_t, ptrdiff_t, ptrdiff_t, ptrdiff_t, const ptrdiff_t *,
        const float *, const uint32_t *, const double *, double *, int, float *)


def scaled_rows(const int8_t[:, ::1] values, const float[::1] scales, const int64_t[::1] places, float[:, ::1] out):
    """Write rows of ``values``, (rows, dim), times ``scales``, (rows,), at ``places``, (count,), as (count, dim).

    Where the place is -1 ``out`` is left as it is.
    """
    if values.shape[0] and places.shape[0]:
        with nogil:
            c_scaled(&values[0, 0], &scales[0], values.shape[1], &places[0], places.shape[0], &out[0, 0])


def means_of_ngrams(
    bytes text, const int64_t[::1] begins, Py_ssize_t minn, Py_ssize_t maxn, const int8_t[:, ::1] values,
    const float[::1] scales, float[:, ::1] out,
):
    """Write the means over the n-grams of words, (words, dim), 0 for a word without any.

    ``text``: the words in UTF-8, each in angle brackets, one behind the other; ``begins``: (words + 1,), where each
    begins, in bytes; ``values``: (buckets, dim), at least one bucket, times ``scales``: (buckets,). The n-grams are those
    of `scrapy_semtext.inference.subwords.subword_buckets`.
    """
    cdef Py_ssize_t words = begins.shape[0] - 1
    cdef const char *data = text
    if words:
        with nogil:
            c_means(
                data, &begins[0], words, minn, maxn, &values[0, 0], &scales[0], <uint32_t> values.shape[0],
                values.shape[1], &out[0, 0])


def leaves_of_rows(
    const float[:, :] rows, const ptrdiff_t[::1] feature, const float[::1] threshold, const uint32_t[::1] rules_out,
    const double[::1] value, double[:, ::1] out,
):
    """Write the values of the leaves that ``rows``, (rows, features), come to: (rows, trees).

    The others are the arrays of `scrapy_semtext.inference.quickscorer.QuickScorer`, flat. Raises MemoryError.
    """
    if out.shape[0] and out.shape[1]:
        _leaves(rows, out.shape[1], feature, threshold, rules_out, value, &out[0, 0], False)


def sums_of_leaves(
    const float[:, :] rows, Py_ssize_t trees, const ptrdiff_t[::1] feature, const float[::1] threshold,
    const uint32_t[::1] rules_out, const double[::1] value, double[::1] out,
):
    """Write the sums over so many ``trees`` of what `leaves_of_rows` gives: (rows,)."""
    if out.shape[0]:
        _leaves(rows, trees, feature, threshold, rules_out, value, &out[0], True)


cdef int _leaves(
    const float[:, :] rows, Py_ssize_t trees, const ptrdiff_t[::1] feature, const float[::1] threshold,
    const uint32_t[::1] rules_out, const double[::1] value, double *out, bint summed,
) except -1:
    cdef Py_ssize_t count = rows.shape[0], columns = rows.shape[1], size = sizeof(float)
    cdef float *turned = <float *> malloc(size * columns * (ROWS if count > LANES else LANES))
    if turned == NULL:
        raise MemoryError
    with nogil:
        c_leaves(
            &rows[0, 0], rows.strides[0] // size, rows.strides[1] // size, count, columns, trees,
            feature.shape[0] // trees if trees else 0, &feature[0], &threshold[0], &rules_out[0], &value[0], out, summed,
            turned)
    free(turned)
    return 0

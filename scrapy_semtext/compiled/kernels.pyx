# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Sums of rows, windows of words, trees and LSTM steps over plain arrays; `kernels.h` does the work.

Numbers of rows and the like are not checked: who calls made them. The interpreter is free for other threads meanwhile.
"""

from libc.stddef cimport ptrdiff_t
from libc.stdint cimport int8_t, int32_t, int64_t, uint32_t
from libc.stdlib cimport free, malloc

cdef extern from "kernels.h" nogil:
    int LANES
    int ROWS
    int PAGES
    void c_sums "sums_of_rows" (const float *, ptrdiff_t, const int64_t *, ptrdiff_t, ptrdiff_t, float *)
    void c_windows "highest_of_windows" (
        const float *, ptrdiff_t, ptrdiff_t, const int32_t *, const int64_t *, ptrdiff_t, ptrdiff_t, float *, ptrdiff_t)
    void c_means "means_of_ngrams" (
        const char *, const int64_t *, ptrdiff_t, ptrdiff_t, ptrdiff_t, const int8_t *, const float *, uint32_t, ptrdiff_t,
        float *)
    void c_leaves "leaves_of_rows" (
        const float *, ptrdiff_t, ptrdiff_t, ptrdiff_t, ptrdiff_t, ptrdiff_t, ptrdiff_t, const ptrdiff_t *,
        const float *, const uint32_t *, const double *, double *, int, float *)
    void c_steps "lstm_steps" (
        const float *, ptrdiff_t, float *, ptrdiff_t, const float *, float *, const float *, ptrdiff_t, ptrdiff_t,
        ptrdiff_t, float *)

#: What filters and hidden units must be a multiple of.
lanes = LANES


def sums_of_rows(const float[:, ::1] table, const int64_t[:, ::1] places, float[:, ::1] out):
    """Write the sums of rows of ``table``, (rows, columns), at ``places``, (addends, sums): (sums, columns)."""
    if out.shape[0]:
        with nogil:
            c_sums(&table[0, 0], table.shape[1], &places[0, 0], places.shape[0], places.shape[1], &out[0, 0])


def highest_of_windows(
    const float[:, ::1] table, Py_ssize_t width, const int32_t[::1] words, const int64_t[::1] begins, Py_ssize_t windows,
    float[:, :] out,
):
    """Write the highest answer of each filter to the windows of each string, (strings, filters).

    ``table``: (words, width * filters); ``words``: those of all strings, one behind the other; ``begins``:
    (strings + 1,), where each begins; ``windows``: how many a full string has.
    """
    cdef Py_ssize_t strings = begins.shape[0] - 1
    if strings:
        with nogil:
            c_windows(
                &table[0, 0], width, table.shape[1] // width, &words[0], &begins[0], strings, windows,
                &out[0, 0], out.strides[0] // <Py_ssize_t> sizeof(float))


def means_of_ngrams(
    bytes text, const int64_t[::1] begins, Py_ssize_t minn, Py_ssize_t maxn, const int8_t[:, ::1] values,
    const float[::1] scales, float[:, ::1] out,
):
    """Write the means over the n-grams of words, (words, dim), 0 for a word without any.

    ``text``: the words in UTF-8, each in angle brackets, one behind the other; ``begins``: (words + 1,), where each
    begins, in bytes; ``values``: (buckets, dim), at least one bucket, times ``scales``: (buckets,). The n-grams are those
    of `scrapy_semtext.model.subwords.subword_buckets`.
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

    The others are the arrays of `scrapy_semtext.model.leaves.Leaves`, flat. Raises MemoryError.
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


def lstm_steps(
    const float[:, :, :, ::1] given, float[:, :, :, ::1] states, const float[:, :, :] state, float[:, :, ::1] cell,
    const float[:, :, :, ::1] weight,
):
    """Take the steps of `scrapy_semtext.model.recurrence.Recurrence` with the same pages all along.

    ``given``: (steps, 2, pages, 4 * hidden); ``states``: (steps, 2, pages, hidden) and ``cell`` are written; ``state``:
    (2, pages, hidden), each direction in one piece; ``weight``: (2, 4 * hidden / lanes, hidden, lanes). Raises
    MemoryError.
    """
    cdef Py_ssize_t steps = given.shape[0], pages = given.shape[2], hidden = cell.shape[2], direction
    cdef float *gates
    if not steps or not pages:
        return
    gates = <float *> malloc(sizeof(float) * PAGES * 4 * hidden)
    if gates == NULL:
        raise MemoryError
    with nogil:
        for direction in range(2):
            c_steps(
                &given[0, direction, 0, 0], given.strides[0] // <Py_ssize_t> sizeof(float),
                &states[0, direction, 0, 0], states.strides[0] // <Py_ssize_t> sizeof(float), &state[direction, 0, 0],
                &cell[direction, 0, 0], &weight[direction, 0, 0, 0], steps, pages, hidden, gates)
    free(gates)

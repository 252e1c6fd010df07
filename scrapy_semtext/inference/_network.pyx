# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Products, windows of words, LSTM steps and the chain over plain arrays; `network.h` does the work.

Numbers of rows and the like are not checked: who calls made them. The interpreter is free for other threads meanwhile.
"""

from libc.stddef cimport ptrdiff_t, size_t
from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.stdlib cimport free, malloc

cdef extern from "network.h" nogil:
    int LANES
    int PANEL
    int WIDEST

    ctypedef struct Kernels:
        void (*product)(
            const float *, ptrdiff_t, const float *, ptrdiff_t, const float *, ptrdiff_t, ptrdiff_t, float *, ptrdiff_t,
            ptrdiff_t) noexcept nogil
        void (*highest_of_windows)(
            const float *, ptrdiff_t, ptrdiff_t, const int32_t *, const int64_t *, ptrdiff_t, ptrdiff_t, const float *,
            float *, ptrdiff_t) noexcept nogil
        void (*sum_and_highest)(const float *, ptrdiff_t, const int64_t *, ptrdiff_t, float *, float *) noexcept nogil

    ctypedef struct Reading:
        const float *table
        const float *numbers
        const float *of_numbers
        const float *weight
        const float *of_state
        const uint32_t *halves
        const int64_t *strings
        const int64_t *begins
        const int64_t *lengths
        ptrdiff_t kinds, blocks, features, hidden, pages

    const Kernels *kernels
    int with_halves
    int with_bytes
    int choose_kernels(int, int)
    void halves_of(const float *, ptrdiff_t, uint32_t *)
    void c_product_of_halves "product_of_halves" (
        const float *, ptrdiff_t, const uint32_t *, const uint32_t *, ptrdiff_t, ptrdiff_t, float *, ptrdiff_t, ptrdiff_t)
    void bytes_of(const float *, ptrdiff_t, ptrdiff_t, uint32_t *, float *)
    void c_product_of_bytes "product_of_bytes" (
        const float *, const uint32_t *, const float *, const uint32_t *, const int32_t *, const float *, ptrdiff_t,
        ptrdiff_t, float *, ptrdiff_t)
    size_t scratch_of(const Reading *)
    size_t rows_ahead(const Reading *)
    void c_read_pages "read_pages" (const Reading *, float *, void *, ptrdiff_t *)

#: What columns of matrices, filters and hidden units must be a multiple of; the columns of a panel, and the most words
#: that a window may have.
lanes = LANES
panel = PANEL
widest = WIDEST

choose_kernels(LANES, True)


def use_vectors_of(int numbers, rounded=False):
    """Compute with vectors of at most so many numbers, rounded where that can be; returns how many they are now.

    For tests; what `takes_halves` and `takes_bytes` were asked for before should not be used any more.
    """
    return choose_kernels(numbers, rounded)


def takes_halves():
    """Whether the processor multiplies numbers in bfloat16, the upper halves of floats, which is twice as fast."""
    return bool(with_halves)


def takes_bytes():
    """Whether the processor multiplies 64 whole numbers of a byte at once."""
    return bool(with_bytes)


def product(const float[::1] given, const float[:, ::1] rows, const float[::1] panels, float[:, ::1] out):
    """Write ``given``, (columns,), plus the products of ``rows``, (rows, inner), and a matrix in panels: (rows, columns).

    A panel has the next ``panel`` columns of the matrix, or those that are left, and stands behind the one before it.
    """
    if out.shape[0]:
        with nogil:
            kernels.product(
                &given[0], 0, &rows[0, 0], rows.shape[1], &panels[0], rows.shape[1], out.shape[1], &out[0, 0],
                out.shape[1], out.shape[0])


def product_of_halves(
    const float[::1] given, const float[:, ::1] rows, const uint32_t[::1] panels, float[:, ::1] out,
):
    """The same in bfloat16, where `takes_halves`: (inner, columns) are multiples of 32 and of ``panel``.

    ``panels``: of (inner / 2, columns), two numbers each, the one of the first row in the lower bits. Raises MemoryError.
    """
    cdef ptrdiff_t count = rows.shape[0], inner = rows.shape[1]
    cdef uint32_t *halves
    if not count:
        return
    halves = <uint32_t *> malloc(sizeof(uint32_t) * count * inner // 2)
    if halves == NULL:
        raise MemoryError
    with nogil:
        halves_of(&rows[0, 0], count * inner, halves)
        c_product_of_halves(
            &given[0], 0, halves, &panels[0], inner, out.shape[1], &out[0, 0], out.shape[1], count)
    free(halves)


def product_of_bytes(
    const float[::1] given, const float[:, ::1] rows, const uint32_t[::1] panels, const int32_t[::1] starts,
    const float[::1] factors, float[:, ::1] out,
):
    """The same with rows and matrix in bytes, where `takes_bytes`: (inner, columns) are multiples of 16 and of ``panel``.

    ``panels``: of (inner / 4, columns), four numbers each, the one of the first row in the lower bits; ``factors``:
    (columns,), what they are multiplied by; ``starts``: (columns,), -128 times their sums. Raises MemoryError.
    """
    cdef ptrdiff_t count = rows.shape[0], inner = rows.shape[1]
    cdef uint32_t *whole
    cdef float *of_rows
    if not count:
        return
    whole = <uint32_t *> malloc(count * inner + sizeof(float) * count)
    if whole == NULL:
        raise MemoryError
    of_rows = <float *> (whole + count * inner // 4)
    with nogil:
        bytes_of(&rows[0, 0], count, inner, whole, of_rows)
        c_product_of_bytes(
            &given[0], whole, of_rows, &panels[0], &starts[0], &factors[0], inner, out.shape[1], &out[0, 0], count)
    free(whole)


def highest_of_windows(
    const float[:, ::1] table, Py_ssize_t width, const int32_t[::1] words, const int64_t[::1] begins, Py_ssize_t windows,
    const float[::1] bias, float[:, :] out,
):
    """Write the highest answer of each filter to the windows of each string, plus ``bias``: (strings, filters).

    ``table``: (words, width * filters); ``words``: those of all strings, one behind the other; ``begins``:
    (strings + 1,), where each begins; ``windows``: how many a full string has.
    """
    cdef Py_ssize_t strings = begins.shape[0] - 1
    if strings:
        with nogil:
            kernels.highest_of_windows(
                &table[0, 0], width, table.shape[1] // width, &words[0], &begins[0], strings, windows, &bias[0],
                &out[0, 0], out.strides[0] // <Py_ssize_t> sizeof(float))


def read_pages(
    const float[:, :, ::1] table, const int64_t[:, ::1] strings, const float[:, ::1] numbers,
    const float[::1] of_numbers, const float[:, ::1] weight, const uint32_t[:, ::1] halves, const float[:, ::1] of_state,
    const int64_t[::1] begins, const int64_t[::1] lengths, float[:, ::1] said,
):
    """Write what is made of the LSTM's states at each block, (2, blocks), twice what torch's LSTM would give.

    ``table``: (rows, 2, 4 * hidden) what strings bring to the gates; ``strings``: (kinds, blocks) rows of it;
    ``numbers``: (blocks, features), ``of_numbers``: (features, 2 * 4 * hidden) in panels; ``weight``: for each direction
    (hidden, 4 * hidden) in panels, or None, and ``halves`` the same in halves; ``of_state``: (2, hidden); ``begins`` and ``lengths``: (pages,) of the pages, longest
    first, at least one. Raises MemoryError.
    """
    cdef Reading of
    cdef void *scratch
    cdef ptrdiff_t *blocks
    of.table, of.strings = &table[0, 0, 0], &strings[0, 0]
    of.features = numbers.shape[1]
    of.numbers = &numbers[0, 0] if of.features else NULL
    of.of_numbers = &of_numbers[0] if of.features else NULL
    of.weight, of.halves, of.of_state = NULL, NULL, &of_state[0, 0]
    if weight is not None:
        of.weight = &weight[0, 0]
    if halves is not None:
        of.halves = &halves[0, 0]
    of.begins, of.lengths = &begins[0], &lengths[0]
    of.kinds, of.blocks = strings.shape[0], strings.shape[1]
    of.hidden, of.pages = of_state.shape[1], lengths.shape[0]
    scratch = malloc(scratch_of(&of))
    blocks = <ptrdiff_t *> malloc(sizeof(ptrdiff_t) * rows_ahead(&of))
    if scratch == NULL or blocks == NULL:
        free(scratch)
        free(blocks)
        raise MemoryError
    with nogil:
        c_read_pages(&of, &said[0, 0], scratch, blocks)
    free(scratch)
    free(blocks)


def sums_and_highest(
    const float[:, ::1] table, const int64_t[::1] places, const int64_t[::1] ends, float[:, :] sums, float[:, :] highest,
):
    """Write the sum and the highest of the rows of each page, (pages, columns) each.

    ``places``: (blocks,) rows of ``table``; ``ends``: (pages,) of each page in it, none without blocks.
    """
    cdef Py_ssize_t page, begin = 0
    with nogil:
        for page in range(ends.shape[0]):
            kernels.sum_and_highest(
                &table[0, 0], table.shape[1], &places[begin], ends[page] - begin, &sums[page, 0], &highest[page, 0])
            begin = ends[page]


def chain_sums(
    const double[::1] odds, const int64_t[::1] ends, const double[:, ::1] factors, double start, double end,
    double[::1] onward, double[::1] back,
):
    """Write the odds of the sums over beginnings and ends of pages that `TwoLabelChain` has, (blocks,) each.

    ``odds``: (blocks,) of label 1; ``ends``: (pages,) of each page in it; ``factors``: (2, 2), ``start`` and ``end``: of
    the transitions.
    """
    cdef double f00 = factors[0, 0], f01 = factors[0, 1], f10 = factors[1, 0], f11 = factors[1, 1], own
    cdef Py_ssize_t page, block, begin = 0
    with nogil:
        for page in range(ends.shape[0]):
            own = start
            for block in range(begin, ends[page]):
                onward[block] = own = odds[block] * own
                own = (f01 + f11 * own) / (f00 + f10 * own)
            own = end
            for block in range(ends[page] - 1, begin - 1, -1):
                back[block] = own
                own = own * odds[block]
                own = (f10 + f11 * own) / (f00 + f01 * own)
            begin = ends[page]


def chain_best(
    const double[::1] scores, const int64_t[::1] ends, const double[:, ::1] transitions, double start, double end,
    double[::1] onward, double[::1] back,
):
    """Write the scores of the best beginnings and ends of pages that `TwoLabelChain` has, (blocks,) each.

    The same as `chain_sums`, in logarithms.
    """
    cdef double t00 = transitions[0, 0], t01 = transitions[0, 1], t10 = transitions[1, 0], t11 = transitions[1, 1], own
    cdef Py_ssize_t page, block, begin = 0
    with nogil:
        for page in range(ends.shape[0]):
            own = start
            for block in range(begin, ends[page]):
                onward[block] = own = scores[block] + own
                own = max(t01, t11 + own) - max(t00, t10 + own)
            own = end
            for block in range(ends[page] - 1, begin - 1, -1):
                back[block] = own
                own = own + scores[block]
                own = max(t10, t11 + own) - max(t00, t01 + own)
            begin = ends[page]

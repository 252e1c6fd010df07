# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Kernels of the network on a CPU; `network.h` does most of the work.

Shapes are not checked; callers guarantee them. The GIL is released.
"""

from libc.stddef cimport ptrdiff_t, size_t
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc

cdef extern from "network.h" nogil:
    int LANES
    int PANEL
    int MAX_KERNEL_WIDTH

    ctypedef struct Kernels:
        void (*gemm)(
            const float *, ptrdiff_t, const float *, ptrdiff_t, const float *, ptrdiff_t, ptrdiff_t, float *, ptrdiff_t,
            ptrdiff_t) noexcept nogil
        void (*conv_max_pool)(
            const float *, ptrdiff_t, ptrdiff_t, const int32_t *, const int64_t *, ptrdiff_t, ptrdiff_t, const float *,
            float *, ptrdiff_t) noexcept nogil

    ctypedef struct LstmBatch:
        const float *table
        const float *features
        const float *feature_weight
        const float *weight
        const float *emission_weight
        const int64_t *string_ids
        const int64_t *begins
        const int64_t *lengths
        ptrdiff_t kinds, blocks, feature_count, hidden, pages

    const Kernels *kernels
    int c_set_simd_width "set_simd_width" (int)
    size_t gate_rows(const LstmBatch *)
    size_t scratch_size(const LstmBatch *)
    void c_bilstm "bilstm" (const LstmBatch *, float *, void *, ptrdiff_t *)

#: The required divisor of the numbers of matrix columns, filters and hidden units; the columns of a panel; the maximum
#: number of words in a window.
lanes = LANES
panel = PANEL
max_kernel_width = MAX_KERNEL_WIDTH

c_set_simd_width(LANES)


def set_simd_width(int width):
    """Use SIMD registers of at most ``width`` floats (4, 8 or 16) if available; return the width in use.

    For tests: the widest is chosen when this module is loaded.
    """
    return c_set_simd_width(width)


def linear(const float[::1] bias, const float[:, ::1] rows, const float[::1] panels, float[:, ::1] out):
    """Write ``bias``, (columns,), plus ``rows``, (rows, inner), times a matrix in panels: (rows, columns).

    Each panel has the next ``panel`` columns of the matrix, or the remaining ones; panels are concatenated.
    """
    if out.shape[0]:
        with nogil:
            kernels.gemm(
                &bias[0], 0, &rows[0, 0], rows.shape[1], &panels[0], rows.shape[1], out.shape[1], &out[0, 0],
                out.shape[1], out.shape[0])


def conv_max_pool(
    const float[:, ::1] table, Py_ssize_t width, const int32_t[::1] word_ids, const int64_t[::1] begins,
    Py_ssize_t windows, const float[::1] bias, float[:, :] out,
):
    """Write the maximum of each filter over the windows of each string, plus ``bias``: (strings, filters).

    ``table``: (words, width * filters), the products of the filters with each word at each position in the window;
    ``word_ids``: (all words,), those of all strings, concatenated; ``begins``: (strings + 1,), where each begins;
    ``windows``: the number of windows of a string of full length.
    """
    cdef Py_ssize_t strings = begins.shape[0] - 1
    if strings:
        with nogil:
            kernels.conv_max_pool(
                &table[0, 0], width, table.shape[1] // width, &word_ids[0], &begins[0], strings, windows, &bias[0],
                &out[0, 0], out.strides[0] // <Py_ssize_t> sizeof(float))


def bilstm(
    const float[:, :, ::1] table, const int64_t[:, ::1] string_ids, const float[:, ::1] features,
    const float[::1] feature_weight, const float[:, ::1] weight, const float[:, ::1] emission_weight,
    const int64_t[::1] begins, const int64_t[::1] lengths, float[:, ::1] emissions,
):
    """Run a bidirectional LSTM and write the contribution of each direction to each block's emission, (2, blocks).

    ``table``: (rows, 2, 4 * hidden), the contributions of strings to the gates; ``string_ids``: (kinds, blocks), rows
    of it; ``features``: (blocks, features); ``feature_weight``: (features, 2 * 4 * hidden) in panels; ``weight``: for
    each direction (hidden, 4 * hidden) in panels; ``emission_weight``: (2, hidden); ``begins``, ``lengths``: (pages,)
    of the pages, longest first, at least one. Raises MemoryError.
    """
    cdef LstmBatch batch
    cdef void *scratch
    cdef ptrdiff_t *block_of_row
    batch.table, batch.string_ids = &table[0, 0, 0], &string_ids[0, 0]
    batch.feature_count = features.shape[1]
    batch.features = &features[0, 0] if batch.feature_count else NULL
    batch.feature_weight = &feature_weight[0] if batch.feature_count else NULL
    batch.weight, batch.emission_weight = &weight[0, 0], &emission_weight[0, 0]
    batch.begins, batch.lengths = &begins[0], &lengths[0]
    batch.kinds, batch.blocks = string_ids.shape[0], string_ids.shape[1]
    batch.hidden, batch.pages = emission_weight.shape[1], lengths.shape[0]
    scratch = malloc(scratch_size(&batch))
    block_of_row = <ptrdiff_t *> malloc(sizeof(ptrdiff_t) * gate_rows(&batch))
    if scratch == NULL or block_of_row == NULL:
        free(scratch)
        free(block_of_row)
        raise MemoryError
    with nogil:
        c_bilstm(&batch, &emissions[0, 0], scratch, block_of_row)
    free(scratch)
    free(block_of_row)

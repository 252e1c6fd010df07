# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Scores of tree ensembles; `quickscorer.h` does the work. Shapes are not checked; the GIL is released."""

from libc.stddef cimport ptrdiff_t
from libc.stdint cimport int32_t, uint32_t
from libc.stdlib cimport calloc, free

cdef extern from "quickscorer.h" nogil:
    int BLOCK_ROWS

    ctypedef struct Forest:
        const ptrdiff_t *feature
        const float *threshold
        const int32_t *mask
        const double *value
        ptrdiff_t trees, nodes, outputs

    void c_quickscorer "quickscorer" (
        const Forest *, const float *, ptrdiff_t, ptrdiff_t, ptrdiff_t, ptrdiff_t, double *, float *)


def add_scores(
    const float[:, :] rows, const ptrdiff_t[:, ::1] feature, const float[:, ::1] threshold, const uint32_t[:, ::1] mask,
    const double[:, ::1] value, double[:, ::1] out,
):
    """Add the scores of ``rows``, (rows, features), to ``out``, (rows, outputs).

    ``feature``, ``threshold``, ``mask``: (trees, nodes); ``value``: (trees, nodes + 1). Tree t counts for output
    t % outputs. Raises MemoryError.
    """
    cdef Forest forest
    cdef Py_ssize_t count = rows.shape[0], features = rows.shape[1], size = sizeof(float)
    cdef float *scratch
    forest.trees, forest.nodes, forest.outputs = feature.shape[0], feature.shape[1], out.shape[1]
    if not count or not forest.trees:
        return
    forest.feature, forest.threshold, forest.value = &feature[0, 0], &threshold[0, 0], &value[0, 0]
    forest.mask = <const int32_t *> &mask[0, 0]
    scratch = <float *> calloc(max(features, 1) * BLOCK_ROWS, size)
    if scratch == NULL:
        raise MemoryError
    with nogil:
        c_quickscorer(
            &forest, &rows[0, 0], rows.strides[0] // size, rows.strides[1] // size, count, features, &out[0, 0], scratch)
    free(scratch)

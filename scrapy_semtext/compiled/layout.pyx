# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Loops over the scopes of a page: see `scrapy_semtext.structure.layout` and `scrapy_semtext.structure.names`.

Scopes stand behind their parents, the root, its own parent, first. That numbers of scopes and columns are in range, and
arrays of the sizes given, is not checked.
"""

from libc.stdint cimport int64_t
from libc.string cimport memcpy


def rows_above(
    const float[:, ::1] table, const int64_t[::1] of_block, const int64_t[::1] parent, tuple levels, float[:, :] out,
):
    """Write rows of ``table``, (scopes, columns): (blocks, levels * columns), each row of ``out`` in one piece.

    They are those of the scopes so many ``levels``, in rising order, above that of each block, or of the root.
    """
    cdef Py_ssize_t width = table.shape[1], block, scope, level, wanted, column
    if not width:
        return
    for block in range(of_block.shape[0]):
        scope, level, column = of_block[block], 0, 0
        for wanted in levels:
            while level < wanted:
                scope = parent[scope]
                level += 1
            memcpy(&out[block, column], &table[scope, 0], width * sizeof(float))
            column += width


def heaviest_path(const int64_t[::1] parent, const double[:] weights, int64_t[::1] heaviest):
    """The path of `Layout.heaviest_path` for ``weights``, (scopes,); there is a scope.

    ``heaviest``: zeros, (scopes,), of which the heaviest child of each scope is written.
    """
    cdef Py_ssize_t scope, best, above
    cdef list path = [0]
    for scope in range(1, parent.shape[0]):
        above = parent[scope]
        if not heaviest[above] or weights[scope] > weights[heaviest[above]]:
            heaviest[above] = scope
    scope = 0
    while True:
        best = heaviest[scope]
        if not best or not weights[best] > 0 or weights[best] < 0.5 * weights[scope]:
            return path
        path.append(best)
        scope = best


def branches(const int64_t[::1] parent, list path, int64_t[::1] joint, int64_t[::1] branch, int64_t[::1] levels):
    """Write what `Layout.branches` gives for a path from the root, in rising order; (scopes,) each."""
    cdef Py_ssize_t scope, above, place = 0, length = len(path), following = path[0]
    for scope in range(parent.shape[0]):
        above = parent[scope]
        if scope == following:
            joint[scope] = branch[scope] = scope
            levels[scope] = 0
            place += 1
            following = path[place] if place < length else -1
        else:
            joint[scope] = joint[above]
            branch[scope] = branch[above] if levels[above] else scope
            levels[scope] = levels[above] + 1


def nearness(list columns, const int64_t[::1] of_scope, const int64_t[::1] parent, float[:, ::1] out):
    """Write what `NameTable.nearness` gives, (scopes, words).

    ``columns`` has the list of the words' columns for each look, ``of_scope`` the look of each scope.
    """
    cdef Py_ssize_t scope, above, word
    cdef float outer
    for scope in range(parent.shape[0]):
        above = parent[scope]
        for word in range(out.shape[1]):
            outer = out[above, word] if scope else 0
            out[scope, word] = outer / (1 + outer)
        for word in <list> columns[of_scope[scope]]:
            out[scope, word] = 1

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Loops over the scopes of a page: see `scrapy_semtext.structure.layout`.

Scopes stand behind their parents, the root, its own parent, first. That numbers of scopes and columns are in range, and
arrays of the sizes given, is not checked.
"""

from libc.stdint cimport int64_t


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

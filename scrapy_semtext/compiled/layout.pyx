# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Loops over the scopes of a page: see `scrapy_semtext.structure.layout`.

Scopes stand behind their parents, the root, its own parent, first. That numbers of scopes and columns are in range, and
arrays of the sizes given, is not checked.
"""

from cpython.dict cimport PyDict_GetItemWithError
from cpython.object cimport PyObject
from libc.stdint cimport int64_t

import numpy as np


def scopes_of(blocks):
    """Return what `Layout` says of blocks: its ``scopes`` and its ``of_block``; ``parent``, ``depth``, ``first``, ``last``.

    The latter are the rows of one array.
    """
    cdef list scopes = [], fresh
    cdef dict numbers = {}
    cdef PyObject *known
    cdef Py_ssize_t place, at, above, seen = 0
    of_block = np.empty(len(blocks), dtype=np.int64)
    cdef int64_t[::1] of_blocks = of_block
    for place, block in enumerate(blocks):
        scope = block.scope
        known = PyDict_GetItemWithError(numbers, scope)
        if known == NULL:
            fresh = []
            while known == NULL and scope is not None:
                fresh.append(scope)
                scope = scope.parent
                known = PyDict_GetItemWithError(numbers, scope)
            for scope in reversed(fresh):
                numbers[scope] = len(scopes)
                scopes.append(scope)
            of_blocks[place] = len(scopes) - 1
        else:
            of_blocks[place] = <object> known
    rows = np.zeros((4, len(scopes)), dtype=np.int64)
    cdef int64_t[:, ::1] row = rows
    cdef int64_t[::1] parent = row[0], depth = row[1], first = row[2], last = row[3]
    for at in range(1, len(scopes)):
        outer = scopes[at].parent
        above = 0 if outer is None else numbers[outer]
        parent[at], depth[at] = above, depth[above] + 1
    for place in range(of_blocks.shape[0]):
        at = of_blocks[place]
        last[at] = place + 1
        while seen <= at:  # scopes are numbered where they begin
            first[seen] = place
            seen += 1
    for at in range(len(scopes) - 1, 0, -1):
        last[parent[at]] = max(last[parent[at]], last[at])
    return scopes, of_block, rows


def looks_of(list scopes not None):
    """Return what `Looks` has of scopes."""
    cdef list different = []
    cdef dict first = {}, others = {}  # the first look with each names, and the others
    cdef PyObject *known
    cdef Py_ssize_t place, number
    cdef str tag, names
    of_scope = np.empty(len(scopes), dtype=np.int64)
    cdef int64_t[::1] numbers = of_scope
    for place, scope in enumerate(scopes):
        tag, names = scope.tag, scope.names
        known = PyDict_GetItemWithError(first, names)
        if known == NULL:
            number = first[names] = len(different)
            different.append((tag, names))
        else:
            number = <object> known
            if (<tuple> different[number])[0] != tag:
                look = (tag, names)
                number = others.setdefault(look, len(different))
                if number == len(different):
                    different.append(look)
        numbers[place] = number
    return different, of_scope


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

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Loops over the scopes of a page: see `scrapy_semtext.structure.layout` and `scrapy_semtext.structure.names`.

Scopes stand behind their parents, the root, its own parent, first. That numbers of scopes and columns are in range, and
arrays of the sizes given, is not checked.
"""

from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.dict cimport PyDict_GetItem
from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free, realloc

cdef uint64_t SPREAD = 0x9E3779B97F4A7C15  # a number whose multiples differ in their first bits


cdef struct _Scope:
    int64_t parent, first, last, depth

cdef struct _Open:
    PyObject *scope
    int64_t number


cdef class Scopes:
    """The scopes of a `Layout`, as a list, and what is known of each.

    Blocks are taken to stand in page order, in which a scope that was left does not come again.
    """

    cdef readonly list scopes
    cdef _Scope *known
    cdef _Open *path  # the scope that came last of each depth
    cdef Py_ssize_t count, room, depths

    def __cinit__(self, blocks, int64_t[::1] of_block):
        """Look at blocks and write the scope of each, (blocks,).

        Raises AttributeError for what is no block, MemoryError.
        """
        cdef Py_ssize_t place = 0
        self.scopes = []
        for block in blocks:
            of_block[place] = self.number(block.scope, place)
            place += 1

    def __dealloc__(self):
        free(self.known)
        free(self.path)

    cdef int64_t number(self, scope, Py_ssize_t place) except -1:
        """The number of the scope of the block at a place."""
        cdef Py_ssize_t depth = scope.depth, at = depth
        cdef int64_t above = 0
        self.reserve(depth)
        outer = scope
        while at >= 0 and self.path[at].scope != <PyObject *> outer:
            self.path[at].scope = <PyObject *> outer
            outer = outer.parent
            at -= 1
        if at >= 0:
            above = self.path[at].number
        while at < depth:
            at += 1
            self.known[self.count] = _Scope(above, place, place, at)
            above = self.path[at].number = self.count
            self.scopes.append(<object> self.path[at].scope)
            self.count += 1
        self.known[above].last = place + 1
        return above

    cdef int reserve(self, Py_ssize_t depth) except -1:
        """Make room for a scope of this depth and for all around it."""
        cdef Py_ssize_t at, depths = 2 * depth + 32, room = 2 * (self.count + depth) + 64
        cdef void *more
        if depth >= self.depths:
            more = realloc(self.path, depths * sizeof(_Open))
            if more == NULL:
                raise MemoryError
            self.path = <_Open *> more
            for at in range(self.depths, depths):
                self.path[at].scope = NULL
            self.depths = depths
        if self.count + depth >= self.room:
            more = realloc(self.known, room * sizeof(_Scope))
            if more == NULL:
                raise MemoryError
            self.known, self.room = <_Scope *> more, room
        return 0

    def write(self, int64_t[:, ::1] out):
        """Write the parents of the scopes, their first and last blocks, and their depths; (4, scopes)."""
        cdef _Scope *scope
        cdef Py_ssize_t at
        for at in range(self.count - 1, -1, -1):
            scope = &self.known[at]
            self.known[scope.parent].last = max(self.known[scope.parent].last, scope.last)
            out[0, at], out[1, at], out[2, at], out[3, at] = scope.parent, scope.first, scope.last, scope.depth


def narrowed(
    list scopes, const int64_t[::1] parent, const int64_t[::1] depth, const int64_t[::1] of_scope, list different,
    list words, list blocks, int64_t[::1] of_block, int64_t[:, ::1] out,
):
    """The scopes of a `Layout` that are around some blocks, in order, the different looks of these, and their words; three lists.

    The others are what the layout has of all. Writes the scope of each block, (blocks,), and of each scope that is left
    its parent, first and last blocks, depth and look: the first of (5, scopes). Raises KeyError for a block in another.
    """
    cdef Py_ssize_t count = len(scopes), size = 4, at, place, kept = 0
    while size < 2 * count:
        size *= 2
    cdef bytearray room = bytearray((size + 4 * count) * sizeof(int64_t))
    cdef int64_t *slots = <int64_t *> PyByteArray_AS_STRING(room)  # numbers of scopes, from 1 on
    cdef int64_t *number = slots + size
    cdef int64_t *first = number + count  # where it is one more than that, and 0 without any block
    cdef int64_t *last = first + count
    cdef int64_t *looks = last + count  # numbers of those that are left, from 1 on
    cdef list left = [], left_looks = [], left_words = []
    for at in range(count):
        slots[_free_slot(slots, size, scopes, <PyObject *> scopes[at])] = at + 1
    for place in range(len(blocks)):
        scope = blocks[place].scope
        at = slots[_free_slot(slots, size, scopes, <PyObject *> scope)] - 1
        if at < 0:
            raise KeyError("a block stands in another scope")
        of_block[place] = at
        last[at] = place + 1
        while not first[at]:
            first[at] = place + 1
            at = parent[at]
    for at in range(count - 1, 0, -1):
        last[parent[at]] = max(last[parent[at]], last[at])
    for at in range(count):
        if not first[at]:
            continue
        if not looks[of_scope[at]]:
            left_looks.append(different[of_scope[at]])
            left_words.append(words[of_scope[at]])
            looks[of_scope[at]] = len(left_looks)
        number[at] = kept
        out[0, kept], out[1, kept], out[2, kept] = number[parent[at]], first[at] - 1, last[at]
        out[3, kept], out[4, kept] = depth[at], looks[of_scope[at]] - 1
        left.append(scopes[at])
        kept += 1
    for place in range(len(blocks)):
        of_block[place] = number[of_block[place]]
    return left, left_looks, left_words


cdef Py_ssize_t _free_slot(const int64_t *slots, Py_ssize_t size, list scopes, PyObject *scope):
    """Where the number of a scope is, or may be put."""
    cdef Py_ssize_t slot = (<uint64_t> <size_t> scope * SPREAD) >> 32 & (size - 1)
    while slots[slot] and <PyObject *> scopes[slots[slot] - 1] != scope:
        slot = slot + 1 & (size - 1)
    return slot


def numbered(list values, dict known, int64_t[::1] out):
    """Write the numbers of values, (values,), and put those that are not known behind them.

    See `scrapy_semtext.structure.layout.first_of_each`. Raises TypeError for the unhashable.
    """
    cdef Py_ssize_t at
    for at in range(len(values)):
        out[at] = _number(known, values[at], len(known))


def looks_of(list scopes, int64_t[::1] of_scope):
    """Return the different looks of `Layout.looks`, and write the place of that of each scope, (scopes,).

    Raises AttributeError for what is no scope.
    """
    cdef dict of_tags = {}, of_names
    cdef list different = []
    cdef Py_ssize_t at
    cdef PyObject *found
    for at in range(len(scopes)):
        scope = scopes[at]
        tag, names = scope.tag, scope.names
        found = PyDict_GetItem(of_tags, tag)
        if found == NULL:
            of_names = of_tags[tag] = {}
        else:
            of_names = <dict> found
        of_scope[at] = _number(of_names, names, len(different))
        if of_scope[at] == len(different):
            different.append((tag, names))
    return different


cdef int64_t _number(dict known, value, Py_ssize_t fresh) except -1:
    """The number of a value, which is ``fresh`` if it has none yet."""
    cdef PyObject *found = PyDict_GetItem(known, value)
    if found != NULL:
        return <object> found
    known[value] = fresh
    return fresh


def alike(const int64_t[::1] parent, const int64_t[::1] of_scope, Py_ssize_t looks, int64_t[::1] out):
    """Write the numbers of `Layout.alike`, (scopes,); ``of_scope`` has the look of each, of so many ``looks``."""
    cdef Py_ssize_t scope, count = parent.shape[0], size = 4
    cdef int64_t pair, following = 0
    cdef uint64_t slot
    while size < 2 * count:
        size *= 2
    cdef bytearray room = bytearray(2 * size * sizeof(int64_t))
    cdef int64_t *pairs = <int64_t *> PyByteArray_AS_STRING(room)  # 0 where none is yet
    cdef int64_t *numbers = pairs + size
    for scope in range(count):
        pair = parent[scope] * looks + of_scope[scope] + 1
        slot = (<uint64_t> pair * SPREAD) >> 32 & (size - 1)
        while pairs[slot] and pairs[slot] != pair:
            slot = slot + 1 & (size - 1)
        if not pairs[slot]:
            pairs[slot], numbers[slot] = pair, following
            following += 1
        out[scope] = numbers[slot]


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

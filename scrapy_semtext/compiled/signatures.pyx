# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Numbers of equal elements of a page: the loops of `scrapy_semtext.questions.signatures`, in time linear in the page.

Arrays must be of the shapes that are said, parents stand before their children; who calls made them.
"""

from cpython.unicode cimport PyUnicode_1BYTE_DATA, PyUnicode_GET_LENGTH
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memcpy

cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(str text)
    bint Py_UNICODE_ISSPACE(Py_UCS4 sign) nogil
    str PyUnicode_New(Py_ssize_t size, Py_UCS4 highest)

cdef enum:
    MOST_NAMES = 64
    LONGEST = 1024

cdef struct _Name:
    const unsigned char *begin
    Py_ssize_t size


def without_digits(str names):
    """Return what `signatures._without_digits` gives; None for names that are long, many or not of ASCII."""
    cdef unsigned char[LONGEST] kept
    cdef _Name[MOST_NAMES] found  # in their order, each once
    cdef _Name new
    cdef Py_ssize_t at = 0, end = 0, count = 0, length = PyUnicode_GET_LENGTH(names)
    cdef const unsigned char *text
    if not PyUnicode_IS_ASCII(names) or length > LONGEST:
        return None
    text = <const unsigned char *> PyUnicode_1BYTE_DATA(names)
    while at < length and not (Py_UNICODE_ISSPACE(text[at]) or c"0" <= text[at] <= c"9"):
        at += 1
    if at == length:
        return names  # a single one
    at = 0
    while at < length:
        if Py_UNICODE_ISSPACE(text[at]):
            at += 1
            continue
        if count == MOST_NAMES:
            return None
        new = _Name(&kept[end], 0)
        while at < length and not Py_UNICODE_ISSPACE(text[at]):
            if not c"0" <= text[at] <= c"9":
                kept[end] = text[at]
                end += 1
                new.size += 1
            at += 1
        count = _inserted(found, count, new)
    return _joined(found, count)


cdef Py_ssize_t _inserted(_Name *names, Py_ssize_t count, _Name new) noexcept:
    """Put a name where it belongs among others, unless it is there; return how many they are then."""
    cdef Py_ssize_t place = count, at
    cdef int order
    while place:
        order = memcmp(names[place - 1].begin, new.begin, min(names[place - 1].size, new.size))
        if not order and names[place - 1].size == new.size:
            return count
        if order < 0 or (not order and names[place - 1].size < new.size):
            break
        place -= 1
    for at in range(count, place, -1):
        names[at] = names[at - 1]
    names[place] = new
    return count + 1


cdef str _joined(const _Name *names, Py_ssize_t count):
    """The names with spaces between them."""
    cdef Py_ssize_t at, total = max(count - 1, 0)
    cdef unsigned char *out
    cdef str text
    for at in range(count):
        total += names[at].size
    if not total:
        return ""
    text = PyUnicode_New(total, 127)
    out = <unsigned char *> PyUnicode_1BYTE_DATA(text)
    for at in range(count):
        if at:
            out[0] = c" "
            out += 1
        memcpy(out, names[at].begin, names[at].size)
        out += names[at].size
    return text


def numbers_of_looks(list different, object lasting, int64_t[:, ::1] out):
    """Write, of tags with their names, numbers of equal ones, digits aside; whether there are names; those of tags.

    As `signatures.numbers_of` gives them, (3, looks). ``lasting``: tells names without digits where `without_digits` does
    not.
    """
    cdef Py_ssize_t at
    cdef str tag, names
    cdef dict known = {}, tags = {}
    cdef tuple look
    for at in range(len(different)):
        tag, names = different[at]
        if names:
            kept = without_digits(names)
            names = lasting(names) if kept is None else kept
        look = (tag, names)
        out[0, at] = known.setdefault(look, len(known))
        out[1, at] = PyUnicode_GET_LENGTH(names) > 0
        out[2, at] = tags.setdefault(tag, len(tags))


def paths_of(const int64_t[::1] tag, const int64_t[::1] parent, int64_t[::1] out):
    """Write the numbers of equal tags all the way from the root, as `signatures.numbers_of` gives them; (scopes,).

    ``tag``: numbers of equal tags, from 0 on; ``parent``: that of each scope, -1 for the first. Raises MemoryError.
    """
    cdef Py_ssize_t at
    cdef _Pairs paths = _Pairs(tag.shape[0])
    for at in range(tag.shape[0]):
        out[at] = paths.number(out[parent[at]] + 1 if parent[at] >= 0 else 0, tag[at])


cdef class _Pairs:
    """Numbers pairs in the order of the first of each: at most ``most``, of numbers that are no more than that."""

    cdef int64_t *keys  # a table that is at most half full, 0 where nothing is
    cdef int64_t *numbers
    cdef int64_t width, count
    cdef int bits

    def __cinit__(self, int64_t most):
        self.width, self.bits = most + 1, 1
        while (<int64_t> 1 << self.bits) < 2 * most:
            self.bits += 1
        self.keys = <int64_t *> calloc(<size_t> 1 << self.bits, sizeof(int64_t))
        self.numbers = <int64_t *> calloc(<size_t> 1 << self.bits, sizeof(int64_t))
        if self.keys == NULL or self.numbers == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.keys)
        free(self.numbers)

    cdef int64_t number(self, int64_t one, int64_t two) noexcept:
        cdef int64_t key = one * self.width + two + 1
        cdef uint64_t at = (<uint64_t> key * <uint64_t> 0x9E3779B97F4A7C15) >> (64 - self.bits)
        while self.keys[at] and self.keys[at] != key:
            at = (at + 1) & ((<uint64_t> 1 << self.bits) - 1)
        if not self.keys[at]:
            self.keys[at], self.numbers[at] = key, self.count
            self.count += 1
        return self.numbers[at]


def signatures_of(const int64_t[:, ::1] numbers, const int64_t[::1] parent, int64_t[:, ::1] out):
    """Write the four rows of `signatures.signatures_of`, (4, nodes). ``numbers``: those above. Raises MemoryError."""
    cdef Py_ssize_t count = parent.shape[0], at
    cdef int64_t above, outer, signatures
    cdef int64_t *work = <int64_t *> calloc(7 * (count + 2) + 1, sizeof(int64_t))
    cdef _Columns columns
    if work == NULL:
        raise MemoryError
    columns.one, columns.two, columns.three = work, work + count + 2, work + 2 * (count + 2)
    columns.order, columns.other = work + 3 * (count + 2), work + 4 * (count + 2)
    columns.counts, columns.size = work + 5 * (count + 2), count
    cdef int64_t *ordinal = work + 6 * (count + 2)
    with nogil:
        for at in range(count):
            above = parent[at]
            outer = parent[above] if above >= 0 else -1
            columns.one[at] = numbers[0, at]
            columns.two[at] = numbers[0, above] + 1 if above >= 0 else 0
            columns.three[at] = numbers[0, outer] + 1 if outer >= 0 else 0
        signatures = _ranked(columns, &out[0, 0])
        for at in range(count):
            above = parent[at]
            columns.three[at] = 0
            if numbers[1, at] or (above >= 0 and numbers[1, above]):
                columns.one[at] = numbers[0, at] + 1
                columns.two[at] = numbers[0, above] + 1 if above >= 0 else 0
            else:
                columns.one[at], columns.two[at] = 0, signatures - out[0, at]
        _ranked(columns, &out[1, 0])
        for at in range(count):
            columns.one[at] = numbers[0, at] + 1 if numbers[1, at] else 0
            columns.two[at] = 0 if numbers[1, at] else signatures - out[0, at]
        _ranked(columns, &out[2, 0])
        for at in range(count + 2):
            columns.counts[at] = 0
        for at in range(count):  # 0 for what has names, else its place among its siblings, from 1 on
            above = parent[at] + 1
            columns.counts[above] += 1
            ordinal[at] = 0 if numbers[1, at] else columns.counts[above]
        for at in range(count):
            above = parent[at]
            columns.one[at], columns.two[at] = out[0, at], ordinal[at]
            columns.three[at] = ordinal[above] if above >= 0 else 0
        _ranked(columns, &out[3, 0])
    free(work)


cdef struct _Columns:
    # what is ranked by, (size,) each, of no less than 0 and no more than size + 1
    int64_t *one
    int64_t *two
    int64_t *three
    # room to work in, (size + 2,) each
    int64_t *order
    int64_t *other
    int64_t *counts
    Py_ssize_t size


cdef int64_t _ranked(_Columns columns, int64_t *out) noexcept nogil:
    """Write the numbers of equal rows of three columns, in their order, (size,); return how many there are."""
    cdef Py_ssize_t at
    cdef int64_t here, before, rank = 0
    for at in range(columns.size):
        columns.order[at] = at
    _sort(columns, columns.three, columns.order, columns.other)
    _sort(columns, columns.two, columns.other, columns.order)
    _sort(columns, columns.one, columns.order, columns.other)
    for at in range(columns.size):
        here = columns.other[at]
        if at:
            before = columns.other[at - 1]
            rank += (columns.one[here] != columns.one[before] or columns.two[here] != columns.two[before]
                     or columns.three[here] != columns.three[before])
        out[here] = rank
    return rank + 1


cdef void _sort(_Columns columns, const int64_t *keys, const int64_t *order, int64_t *out) noexcept nogil:
    """Put rows that stand in an order into that of their keys, equal ones as they stood."""
    cdef Py_ssize_t at
    cdef int64_t begin = 0, key
    for at in range(columns.size + 2):
        columns.counts[at] = 0
    for at in range(columns.size):
        columns.counts[keys[at]] += 1
    for at in range(columns.size + 2):
        key = columns.counts[at]
        columns.counts[at] = begin
        begin += key
    for at in range(columns.size):
        key = keys[order[at]]
        out[columns.counts[key]] = order[at]
        columns.counts[key] += 1

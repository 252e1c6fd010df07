# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Numbers of words and of strings of words, looked up in dictionaries.

Blocks of a page share their strings, and strings their words, as objects: what an object was found to be a moment ago is
not looked up again.
"""

from cpython.dict cimport PyDict_GetItemWithError, PyDict_SetItem, PyDict_Size
from cpython.list cimport PyList_GET_ITEM, PyList_GET_SIZE
from cpython.object cimport PyObject
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memset

cdef enum:
    BITS = 10

# The places of objects that were found last; they live as long as what is looked up.
cdef struct Found:
    PyObject *what
    int64_t number


cdef inline Found *_slot(Found *found, PyObject *what) noexcept:
    return &found[(<uint64_t> <size_t> what * <uint64_t> 0x9E3779B97F4A7C15) >> (64 - BITS)]


cdef inline int64_t _number(object known, PyObject *what, int64_t following, list new) except -1:
    """The number of an object; one that is not known gets the number ``following``, and is put behind ``new``."""
    cdef PyObject *number = PyDict_GetItemWithError(known, <object> what)
    if number != NULL:
        return <object> number
    PyDict_SetItem(known, <object> what, following)
    new.append(<object> what)
    return following


def rows_of(object known, object pages, int64_t following, int64_t[::1] rows):
    """Write the rows of all strings of all pages, (strings,), and return those that were not known.

    They are in ``known`` then, with the numbers from ``following`` on.
    """
    cdef Found found[1 << BITS]
    cdef Found *slot
    cdef list strings, new = []
    cdef Py_ssize_t at = 0, place
    cdef PyObject *string
    memset(found, 0, sizeof(found))
    for strings in pages:
        for place in range(PyList_GET_SIZE(strings)):
            string = <PyObject *> PyList_GET_ITEM(strings, place)
            slot = _slot(found, string)
            if slot.what != string:
                slot.number = _number(known, string, following + PyList_GET_SIZE(new), new)
                slot.what = string
            rows[at] = slot.number
            at += 1
    return new


def numbers_of(object known, object strings, int32_t[::1] words):
    """Write the numbers of all words of all strings, (words,), and return those that were not known.

    They are in ``known`` then, numbered on from 1 more than there are.
    """
    cdef Found found[1 << BITS]
    cdef Found *slot
    cdef list new = []
    cdef tuple string
    cdef Py_ssize_t at = 0, place
    cdef PyObject *word
    memset(found, 0, sizeof(found))
    for string in strings:
        for place in range(PyTuple_GET_SIZE(string)):
            word = <PyObject *> PyTuple_GET_ITEM(string, place)
            slot = _slot(found, word)
            if slot.what != word:
                slot.number = _number(known, word, PyDict_Size(known) + 1, new)
                slot.what = word
            words[at] = <int32_t> slot.number
            at += 1
    return new


def places_of(object index, list words, int64_t[::1] places):
    """Write the places of words in an index, (words,), -1 for those that are not in it."""
    cdef Py_ssize_t at
    cdef PyObject *number
    for at in range(PyList_GET_SIZE(words)):
        number = PyDict_GetItemWithError(index, <object> PyList_GET_ITEM(words, at))
        places[at] = -1 if number == NULL else <int64_t> <object> number

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Ids of words and of word strings, looked up in dictionaries, and the n-gram vectors of words.

Blocks of a page share their strings, and strings their words, as objects: during a call, the ids of objects are kept in
a small direct-mapped cache by memory address.
"""

from cpython.dict cimport PyDict_GetItemWithError, PyDict_SetItem, PyDict_Size
from cpython.list cimport PyList_GET_ITEM, PyList_GET_SIZE
from cpython.object cimport PyObject
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE
from libc.stdint cimport int8_t, int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memset

cdef enum:
    BITS = 10

cdef struct Slot:
    PyObject *key
    int64_t id


cdef inline Slot *_slot(Slot *cache, PyObject *key) noexcept:
    return &cache[(<uint64_t> <size_t> key * <uint64_t> 0x9E3779B97F4A7C15) >> (64 - BITS)]


cdef inline int64_t _id(object ids, PyObject *key, int64_t next_id, list new) except -1:
    """Return the id of a key; a key without one gets ``next_id`` and is appended to ``new``."""
    cdef PyObject *found = PyDict_GetItemWithError(ids, <object> key)
    if found != NULL:
        return <object> found
    PyDict_SetItem(ids, <object> key, next_id)
    new.append(<object> key)
    return next_id


def string_ids(object ids, object pages, int64_t next_id, int64_t[::1] out):
    """Write the ids of the strings of all pages, (strings,); return those that were not in ``ids``.

    New strings are added to ``ids``, with ids from ``next_id`` on.
    """
    cdef Slot cache[1 << BITS]
    cdef Slot *slot
    cdef list strings, new = []
    cdef Py_ssize_t at = 0, place
    cdef PyObject *string
    memset(cache, 0, sizeof(cache))
    for strings in pages:
        for place in range(PyList_GET_SIZE(strings)):
            string = <PyObject *> PyList_GET_ITEM(strings, place)
            slot = _slot(cache, string)
            if slot.key != string:
                slot.id = _id(ids, string, next_id + PyList_GET_SIZE(new), new)
                slot.key = string
            out[at] = slot.id
            at += 1
    return new


def word_ids(object ids, object strings, int32_t[::1] out):
    """Write the ids of the words of all strings, (words,); return those that were not in ``ids``.

    New words are added to ``ids``; ids count from 1.
    """
    cdef Slot cache[1 << BITS]
    cdef Slot *slot
    cdef list new = []
    cdef tuple string
    cdef Py_ssize_t at = 0, place
    cdef PyObject *word
    memset(cache, 0, sizeof(cache))
    for string in strings:
        for place in range(PyTuple_GET_SIZE(string)):
            word = <PyObject *> PyTuple_GET_ITEM(string, place)
            slot = _slot(cache, word)
            if slot.key != word:
                slot.id = _id(ids, word, PyDict_Size(ids) + 1, new)
                slot.key = word
            out[at] = <int32_t> slot.id
            at += 1
    return new


cdef inline bint _continues(char byte) noexcept nogil:
    """Return whether a byte of UTF-8 continues a character."""
    return (byte & 0xC0) == 0x80


def ngram_means(
    bytes text, const int64_t[::1] begins, Py_ssize_t minn, Py_ssize_t maxn, const int8_t[:, ::1] values,
    const float[::1] scales, float[:, ::1] out,
):
    """Write the mean n-gram vectors of words, (words, dim), 0 for a word without n-grams.

    ``text``: the words in UTF-8, each in angle brackets, concatenated; ``begins``: (words + 1,), where each begins, in
    bytes; ``values``: (buckets, dim), at least one bucket, times ``scales``: (buckets,). The n-grams and their buckets
    are those of `scrapy_semtext.models.vectors.subword_buckets_of`.
    """
    cdef Py_ssize_t word, begin, end, first, at, length, count, number, dim = values.shape[1]
    cdef const char *data = text
    cdef const int8_t *row
    cdef float *total
    cdef float scale
    cdef uint32_t hashed, bucket, buckets = <uint32_t> values.shape[0]
    out[:, :] = 0
    with nogil:
        for word in range(begins.shape[0] - 1):
            begin, end, total, count = begins[word], begins[word + 1], &out[word, 0], 0
            for first in range(begin, end):
                if _continues(data[first]):
                    continue
                hashed, at, length = 2166136261, first, 0
                while length < maxn and at < end:
                    length += 1
                    hashed = (hashed ^ <uint32_t> <int8_t> data[at]) * <uint32_t> 16777619
                    at += 1
                    while at < end and _continues(data[at]):
                        hashed = (hashed ^ <uint32_t> <int8_t> data[at]) * <uint32_t> 16777619
                        at += 1
                    if length < minn or (length == 1 and (first == begin or at == end)):
                        continue
                    bucket = hashed % buckets
                    row, scale = &values[bucket, 0], scales[bucket]
                    for number in range(dim):
                        total[number] += <float> row[number] * scale
                    count += 1
            if count:
                for number in range(dim):
                    total[number] /= <float> count

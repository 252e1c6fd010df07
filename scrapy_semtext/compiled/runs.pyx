# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Runs of letters, digits and underscores in texts, found in one pass: see `scrapy_semtext.runs`."""

from libc.stdint cimport uint32_t, uint64_t

cdef extern from "Python.h":
    int PyUnicode_KIND(object text)
    void *PyUnicode_DATA(object text)
    uint32_t PyUnicode_READ(int kind, void *data, Py_ssize_t at)
    bint Py_UNICODE_ISALNUM(uint32_t character)

# By code: whether the character stands in runs.
cdef unsigned char IN_RUNS[256]
for code in range(256):
    IN_RUNS[code] = chr(code).isalnum() or chr(code) == "_"


cdef inline bint in_run(uint32_t character) noexcept:
    return IN_RUNS[character] if character < 256 else Py_UNICODE_ISALNUM(character)


def counts_of_runs(list texts, double[::1] out):
    """Write how many runs each text has, (texts,)."""
    cdef Py_ssize_t at, length, place, runs
    cdef int kind
    cdef void *data
    cdef bint before, within
    cdef str text
    for place in range(len(texts)):
        text = texts[place]
        length, kind, data = len(text), PyUnicode_KIND(text), PyUnicode_DATA(text)
        runs, before = 0, False
        for at in range(length):
            within = in_run(PyUnicode_READ(kind, data, at))
            runs += within and not before
            before = within
        out[place] = runs


cdef inline uint64_t bit_of(int kind, void *data, Py_ssize_t first, Py_ssize_t last, Py_ssize_t *place) noexcept:
    """A bit for a run, by its length and two of its characters, and in which of 64 numbers it is."""
    cdef uint32_t a = PyUnicode_READ(kind, data, first), b = PyUnicode_READ(kind, data, first + 2)
    cdef uint32_t end = PyUnicode_READ(kind, data, last - 1), length = <uint32_t> (last - first)
    place[0] = (a * 7 + b) & 63
    return (<uint64_t> 1) << ((length + 3 * end) & 63)


def shares_of_told(list texts, told, Py_ssize_t look, Py_ssize_t least, double[::1] share, double[::1] coverage):
    """Write of the long runs of each text how many are ``told``, and of those told how many each text has; (texts,).

    Runs are those of the first ``look`` characters in lower case; long ones have ``least`` characters, 3 or more.
    ``told`` is a set of such runs that is not empty. Where a text has none of them, nothing is written.
    """
    cdef uint64_t some[64]  # the bits of what is told: most other runs have none of them, and need not be looked up
    cdef Py_ssize_t at, length, first, place, number, long_runs, found
    cdef uint64_t bit
    cdef int kind
    cdef void *data
    cdef str text, run
    cdef set different
    for place in range(64):
        some[place] = 0
    for run in told:
        length = len(run)
        bit = bit_of(PyUnicode_KIND(run), PyUnicode_DATA(run), 0, length, &place)
        some[place] |= bit
    for number in range(len(texts)):
        text = texts[number]
        text = text[:look].lower()
        length, kind, data = len(text), PyUnicode_KIND(text), PyUnicode_DATA(text)
        long_runs = found = 0
        different = None
        at = 0
        while at < length:
            first = at
            while at < length and in_run(PyUnicode_READ(kind, data, at)):
                at += 1
            if at - first >= least:
                long_runs += 1
                bit = bit_of(kind, data, first, at, &place)
                if some[place] & bit:
                    run = text[first:at]
                    if run in told:
                        found += 1
                        if different is None:
                            different = set()
                        different.add(run)
            at += 1
        if found:
            share[number] = found / <double> long_runs
            coverage[number] = len(different) / <double> len(told)

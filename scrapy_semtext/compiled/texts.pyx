# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Words of texts and counts of their characters, each in one pass over the text.

A *table* says what becomes of a character, by code point, as the bytes of uint16: 0 if the table does not know it, a
space if it is in no word, and otherwise what it is in lower case; what stands behind its end it does not know.
"""

from cpython.set cimport PySet_Contains
from cpython.unicode cimport PyUnicode_DATA, PyUnicode_KIND, PyUnicode_READ, PyUnicode_Substring
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

cdef extern from "Python.h":
    str PyUnicode_New(Py_ssize_t size, Py_UCS4 maxchar)
    void PyUnicode_WRITE(int kind, void *data, Py_ssize_t index, Py_UCS4 value)
    bint Py_UNICODE_ISSPACE(Py_UCS4 ch) nogil

cdef enum:
    _LONGEST = 256  # words beyond that are left to Python
    _SIEVE = 256  # sieves tell which words a set may have: by first and last character, a bit for each length
    _SHORT = 64

cdef str _word(const uint16_t *letters, Py_ssize_t size, uint16_t together):
    """A string of characters of which none is NUL; ``together`` has the bits of all."""
    cdef str word = PyUnicode_New(size, 127 if together < 128 else 255 if together < 256 else 65535)
    cdef int kind = PyUnicode_KIND(word)
    cdef void *data = PyUnicode_DATA(word)
    cdef Py_ssize_t at
    for at in range(size):
        PyUnicode_WRITE(kind, data, at, letters[at])
    return word


cdef void _add_to_sieve(uint64_t *sieve, words) except *:
    cdef str word
    for word in words:
        if word:
            sieve[_row(<Py_UCS4> word[0], <Py_UCS4> word[len(word) - 1])] |= (<uint64_t> 1) << min(len(word), 63)


cdef inline int _row(uint32_t first, uint32_t last) noexcept nogil:
    return (first & 31) << 3 | (last & 7)


def known_words(text, bytes table not None, reader, Py_ssize_t limit):
    """Return the first ``limit`` words of a text, or None if something in it is for Python to read.

    ``reader`` gives a tuple of words for each token, a run of characters that are words' by ``table``. Raises TypeError
    for what is no text, and what ``reader`` raises.
    """
    if not isinstance(text, str):
        raise TypeError("only text has words")
    cdef int kind = PyUnicode_KIND(text)
    cdef void *data = PyUnicode_DATA(text)
    cdef Py_ssize_t at, size = 0, length = len(text)
    cdef uint32_t known = len(table) // 2
    cdef const uint16_t *lows = <const uint16_t *> <const char *> table
    cdef uint32_t character
    cdef uint16_t[_LONGEST] token
    cdef uint16_t low, together = 0
    cdef list words = []
    for at in range(length + 1):
        character = PyUnicode_READ(kind, data, at) if at < length else c" "
        low = lows[character] if character < known else 0
        if low == 0 or size == _LONGEST:
            return None
        if low != c" ":
            token[size] = low
            together |= low
            size += 1
        elif size:
            words.extend(<tuple?> reader[_word(token, size, together)])
            if len(words) >= limit:
                return words[:limit]
            size = together = 0
    return words[:limit]


def sieve_of(words):
    """What `counts` needs to pass over most of what is not among some words."""
    cdef uint64_t[_SIEVE] sieve
    memset(sieve, 0, sizeof(sieve))
    _add_to_sieve(sieve, words)
    return (<const char *> sieve)[:sizeof(sieve)]


def counts(
    texts, Py_ssize_t look, const uint8_t[::1] kinds, frozenset first not None, frozenset second not None,
    bytes sieve not None, int64_t[:, ::1] out,
):
    """Count what is in the first ``look`` characters of each text; writes ``out``, (texts, 3 + kinds).

    Words between white space; of these, in lower case, those in ``first``, of which ``sieve`` is the sieve, and in
    ``second``; characters of each kind but 0, by code point, of which the last of ``kinds`` stands for all behind it.
    That ``out`` is as large is not checked. Raises TypeError for what is no text, ValueError for what is no sieve.
    """
    cdef uint64_t[_SIEVE] both
    cdef Py_ssize_t at
    if len(sieve) != sizeof(both):
        raise ValueError("not a sieve")
    memcpy(both, <const char *> sieve, sizeof(both))
    _add_to_sieve(both, second)
    out[:, :] = 0
    for at, text in enumerate(texts):
        _count(text, look, kinds, first, second, both, &out[at, 0])


cdef int _count(
    text, Py_ssize_t look, const uint8_t[::1] kinds, frozenset first, frozenset second, const uint64_t *sieve,
    int64_t *out,
) except -1:
    if not isinstance(text, str):
        raise TypeError("only text has words")
    cdef int kind = PyUnicode_KIND(text)
    cdef void *data = PyUnicode_DATA(text)
    cdef Py_ssize_t at, begin = 0, length = min(len(text), look), last = kinds.shape[0] - 1
    cdef uint32_t character
    cdef uint8_t which
    cdef uint16_t[_SHORT] token
    cdef bint plain = True  # the word is of ASCII so far, and fits into token
    for at in range(length + 1):
        character = PyUnicode_READ(kind, data, at) if at < length else c" "
        if Py_UNICODE_ISSPACE(character):
            if at > begin:
                out[0] += 1
                if not plain or sieve[_row(token[0], token[at - begin - 1])] >> min(at - begin, 63) & 1:
                    word = _word(token, at - begin, 0) if plain else PyUnicode_Substring(text, begin, at).lower()
                    out[1] += PySet_Contains(first, word)
                    out[2] += PySet_Contains(second, word)
            begin = at + 1
            plain = True
        elif character < 128 and at - begin < _SHORT:
            token[at - begin] = character + 32 if c"A" <= character <= c"Z" else character
        else:
            plain = False
        if at < length:
            which = kinds[min(<Py_ssize_t> character, last)]
            if which:
                out[2 + which] += 1
    return 0

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""What texts say of a page's kind, in one pass over each: see `scrapy_semtext.kinds.words` and `numbers`."""

from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.dict cimport PyDict_GetItem
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_DATA, PyUnicode_KIND, PyUnicode_READ
from libc.math cimport expm1
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp

cdef extern from "Python.h":
    bint Py_UNICODE_ISALNUM(Py_UCS4 character)
    bint Py_UNICODE_ISDECIMAL(Py_UCS4 character)
    Py_UCS4 Py_UNICODE_TOLOWER(Py_UCS4 character)

cdef enum:
    _LONGEST = 128  # longer words are unknown
    _MOST_WORDS = 128  # looked up together
    _LETTERS = 2048  # in them
    _MOST_SIGNS = 32
    _LONGEST_SIGN = 8
    _DOTTED_I = 0x130  # letters whose small ones are two, or depend on those around
    _SIGMA = 0x3A3

cdef uint64_t _SPREAD = 0x9E3779B97F4A7C15  # a number whose multiples differ in their first bits

# By code: the small letter of a letter of ASCII, 0 for all else.
cdef uint8_t[128] _SMALL
for _code in range(128):
    _SMALL[_code] = ord(chr(_code).lower()) if chr(_code).isalpha() else 0


cdef class Vocabulary:
    """Words, of letters in lower case, that are looked for in texts, with the column of each."""

    cdef bytes _letters  # of all words, in UTF-32
    cdef bytearray _begins, _columns, _slots  # of each word; a hash table of their numbers from 1 on
    cdef uint64_t _mask

    def __init__(self, dict column_of):
        """Raises ValueError for a word that is too long to be found."""
        cdef Py_ssize_t size = 4, number, at
        cdef const uint32_t *letters
        cdef int32_t *begins
        cdef int32_t *columns
        cdef int32_t *slots
        cdef uint64_t key, slot
        words = [*column_of]
        if any([len(word) >= _LONGEST for word in words]):
            raise ValueError("a word is too long to be looked for")
        while size < 3 * len(words):
            size *= 2
        self._mask = size - 1
        self._letters = "".join(words).encode("utf-32-le", "surrogatepass")
        self._begins = bytearray((len(words) + 1) * sizeof(int32_t))
        self._columns = bytearray(len(words) * sizeof(int32_t))
        self._slots = bytearray(size * sizeof(int32_t))
        letters = <const uint32_t *> <const char *> self._letters
        begins = <int32_t *> PyByteArray_AS_STRING(self._begins)
        columns = <int32_t *> PyByteArray_AS_STRING(self._columns)
        slots = <int32_t *> PyByteArray_AS_STRING(self._slots)
        for number in range(len(words)):
            word = words[number]
            begins[number + 1] = begins[number] + <int32_t> len(word)
            columns[number] = column_of[word]
            key = 0
            for at in range(begins[number], begins[number + 1]):
                key = _longer(key, letters[at])
            slot = _slot(key) & self._mask
            while slots[slot]:
                slot = slot + 1 & self._mask
            slots[slot] = number + 1

    cdef Py_ssize_t column(self, uint64_t key, const uint32_t *word, Py_ssize_t length) noexcept:
        """The column of a word, of which ``key`` is the hash; -1 if it is unknown."""
        cdef const int32_t *slots = <const int32_t *> PyByteArray_AS_STRING(self._slots)
        cdef const int32_t *begins = <const int32_t *> PyByteArray_AS_STRING(self._begins)
        cdef const uint32_t *letters = <const uint32_t *> <const char *> self._letters
        cdef uint64_t slot = _slot(key) & self._mask
        cdef int32_t number
        while slots[slot]:
            number = slots[slot] - 1
            if (begins[number + 1] - begins[number] == length
                    and not memcmp(letters + begins[number], word, length * sizeof(uint32_t))):
                return (<const int32_t *> PyByteArray_AS_STRING(self._columns))[number]
            slot = slot + 1 & self._mask
        return -1


    cdef int look_up(self, _Words *words, float[::1] row) except -1:
        """Write 1 to the columns of words, which are then forgotten.

        Most of a look-up is waiting for memory: it is asked for what all words need before any is looked at.
        """
        cdef const int32_t *slots = <const int32_t *> PyByteArray_AS_STRING(self._slots)
        cdef const int32_t *begins = <const int32_t *> PyByteArray_AS_STRING(self._begins)
        cdef const int32_t *columns = <const int32_t *> PyByteArray_AS_STRING(self._columns)
        cdef const uint32_t *letters = <const uint32_t *> <const char *> self._letters
        cdef _Word *word
        cdef Py_ssize_t at, column
        cdef uint32_t read = 0
        for at in range(words.count):
            word = &words.words[at]
            word.number = slots[_slot(word.key) & self._mask] - 1
        for at in range(words.count):
            word = &words.words[at]
            if word.number >= 0:
                word.begin = begins[word.number]
                read += columns[word.number]
        for at in range(words.count):
            word = &words.words[at]
            if word.number >= 0:
                read += letters[word.begin]
        words.read = read
        for at in range(words.count):
            word = &words.words[at]
            if word.number >= 0:
                column = self.column(word.key, words.letters + word.place, word.length)
                if column >= 0:
                    row[column] = 1
        words.count = words.used = 0
        return 0


cdef struct _Word:
    uint64_t key
    int32_t place, length  # of its letters
    int32_t number, begin  # of the word that is in its slot, -1 for none

cdef struct _Words:
    uint32_t[_LETTERS] letters
    _Word[_MOST_WORDS] words
    Py_ssize_t count, used
    uint32_t read  # what was asked for, or the compiler would leave it out


cdef inline uint64_t _longer(uint64_t key, uint32_t letter) noexcept:
    return (key ^ letter) * _SPREAD


cdef inline uint64_t _slot(uint64_t key) noexcept:
    return key >> 32


def mark_words(list texts, Py_ssize_t short, Py_ssize_t look, Vocabulary of_short, Vocabulary of_long, float[::1] row):
    """Write 1 to the columns of the words that texts have: those of less than ``short`` characters, and the others.

    Of the others, the first ``look`` characters count. Raises TypeError for what is no text.
    """
    cdef str text
    cdef _Words of_one, of_other
    of_one.count = of_one.used = of_other.count = of_other.used = 0
    for text in texts:
        if len(text) < short:
            _mark(text, len(text), of_short, &of_one, row)
        else:
            _mark(text, min(len(text), look), of_long, &of_other, row)
    of_short.look_up(&of_one, row)
    of_long.look_up(&of_other, row)


cdef int _mark(str text, Py_ssize_t length, Vocabulary vocabulary, _Words *words, float[::1] row) except -1:
    """Put the words of a text behind those that are to be looked up, and look these up where there is no more room."""
    cdef int kind = PyUnicode_KIND(text)
    cdef void *data = PyUnicode_DATA(text)
    cdef uint32_t *word = words.letters + words.used
    cdef Py_ssize_t at, size = 0
    cdef uint64_t key = 0
    cdef uint32_t letter
    for at in range(length + 1):
        letter = PyUnicode_READ(kind, data, at) if at < length else 0
        if letter < 128:
            letter = _SMALL[letter]
        elif letter == _DOTTED_I or letter == _SIGMA:
            text = text[:length].lower()
            return _mark(text, len(text), vocabulary, words, row)
        else:
            letter = Py_UNICODE_TOLOWER(letter)
            if not Py_UNICODE_ISALNUM(letter) or Py_UNICODE_ISDECIMAL(letter):
                letter = 0
        if letter:
            if size < _LONGEST:
                word[size] = letter
            size += 1
            key = _longer(key, letter)
        elif size:
            if size < _LONGEST:
                words.words[words.count] = _Word(key, words.used, size, -1, 0)
                words.count += 1
                words.used += size
                if words.count == _MOST_WORDS or words.used > _LETTERS - _LONGEST:
                    vocabulary.look_up(words, row)
                word = words.letters + words.used
            size = 0
            key = 0
    return 0


def mark_names(
    list looks, list words, list times, int64_t least, dict of_once, dict of_often, float[::1] row,
):
    """Write 1 to the columns of the words of elements' names, and of those that come at least ``least`` times.

    ``looks`` are tags with names; of each, ``words`` has the set of the words of the names, and ``times`` how often it
    comes. ``of_once`` and ``of_often`` have the columns.
    """
    cdef Py_ssize_t at
    cdef dict often = {}
    cdef PyObject *column
    for at in range(len(looks)):
        names = (<tuple?> looks[at])[1]
        column = PyDict_GetItem(often, names)
        often[names] = times[at] if column == NULL else <object> column + times[at]
        for word in <frozenset?> words[at]:
            column = PyDict_GetItem(of_once, word)
            if column != NULL:
                row[<Py_ssize_t> <object> column] = 1
    for at in range(len(looks)):
        if <int64_t> often[(<tuple> looks[at])[1]] >= least:
            for word in <frozenset> words[at]:
                column = PyDict_GetItem(of_often, word)
                if column != NULL:
                    row[<Py_ssize_t> <object> column] = 1


def sums_of_blocks(
    list texts, const double[::1] chars, const double[::1] links, const double[::1] words, const uint8_t[::1] prose,
    const float[:, :] numbers, Py_ssize_t commas, Py_ssize_t stop_words, Py_ssize_t hidden, Py_ssize_t short,
    double[::1] out,
):
    """Write the numbers of `kinds.numbers._Table._sums`, (16,), of blocks, at least one; (blocks,) each.

    ``numbers``: (blocks, features), of which ``commas``, ``stop_words`` and ``hidden`` say which are looked at; texts
    are short of less than ``short`` characters. Raises TypeError for what is no text.
    """
    cdef Py_ssize_t at, run = 0, longest = 0, count = len(texts), length, times, most = 1
    cdef double in_prose = 0
    cdef dict repeats = {}
    cdef str text
    out[:] = 0
    out[1] = out[2] = -1
    for at in range(count):
        text = texts[at]
        repeats[text] = repeats.get(text, 0) + 1
        run = run + 1 if prose[at] else 0
        longest = max(longest, run)
        if prose[at]:
            out[0] += 1
            out[1] = at if out[1] < 0 else out[1]
            out[2] = at
            out[4] += chars[at] > 300
            in_prose += chars[at]
        if at < count // 2:
            out[5] = in_prose
        out[6] += words[at]
        out[7] += words[at] < 4
        out[8] += links[at] > 0.5 * chars[at]
        out[9] += expm1(numbers[at, commas])
        out[10] += <double> numbers[at, stop_words] * words[at]
        out[11] += numbers[at, hidden]
        out[12] += u"?" in text
    out[3] = longest
    for key, value in repeats.items():
        times = value
        if times > 1:
            length = len(<str> key)
            out[13] += length * times
            if length < short:
                most = max(most, times)
                out[15] += times > 2
    out[14] = most


def counts_of_signs(list texts, Py_ssize_t look, tuple signs, int64_t[::1] out):
    """Write how often each sign, up to 8 characters none of them a NUL, stands in the first ``look`` characters of texts.

    As ``str.count`` counts: a sign may not begin inside another of its kind. Raises ValueError for too many signs or too
    long ones.
    """
    cdef uint32_t[_MOST_SIGNS][_LONGEST_SIGN + 1] spelt
    cdef uint8_t[256] begins  # whether a sign begins with a character of such a last byte
    cdef Py_ssize_t[_MOST_SIGNS] free_from
    cdef Py_ssize_t sign, at, place, length, count = len(signs)
    cdef uint32_t character
    cdef int kind
    cdef void *data
    cdef str text
    if count > _MOST_SIGNS or any([not 0 < len(each) <= _LONGEST_SIGN for each in signs]):
        raise ValueError("too many signs, or too long ones")
    for place in range(256):
        begins[place] = 0
    for sign in range(count):
        for place in range(_LONGEST_SIGN + 1):
            spelt[sign][place] = ord(signs[sign][place]) if place < <Py_ssize_t> len(signs[sign]) else 0
        begins[spelt[sign][0] & 255] = 1
        out[sign] = 0
    for text in texts:
        kind, data, length = PyUnicode_KIND(text), PyUnicode_DATA(text), min(len(text), look)
        for sign in range(count):
            free_from[sign] = 0
        for at in range(length):
            character = PyUnicode_READ(kind, data, at)
            if not begins[character & 255]:
                continue
            for sign in range(count):
                if character != spelt[sign][0] or at < free_from[sign]:
                    continue
                place = 1
                while spelt[sign][place] and at + place < length and (
                        <uint32_t> PyUnicode_READ(kind, data, at + place) == spelt[sign][place]):
                    place += 1
                if not spelt[sign][place]:
                    out[sign] += 1
                    free_from[sign] = at + place

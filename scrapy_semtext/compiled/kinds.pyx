# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""What texts say of a page's kind, in one pass over each: see `scrapy_semtext.kinds.words` and `numbers`."""

from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.dict cimport PyDict_GetItem
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_1BYTE_KIND, PyUnicode_2BYTE_KIND, PyUnicode_DATA, PyUnicode_KIND
from libc.math cimport expm1
from libc.stdlib cimport calloc, free, qsort
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcmp, memset

cdef extern from "Python.h":
    bint Py_UNICODE_ISALNUM(Py_UCS4 character)
    bint Py_UNICODE_ISDECIMAL(Py_UCS4 character)
    Py_UCS4 Py_UNICODE_TOLOWER(Py_UCS4 character)

cdef enum:
    _LONGEST = 128  # longer words are unknown
    _MOST_SIGNS = 32
    _LONGEST_SIGN = 8
    _DOTTED_I = 0x130  # letters whose small ones are two, or depend on those around
    _SIGMA = 0x3A3

cdef uint64_t _SPREAD = 0x9E3779B97F4A7C15  # a number whose multiples differ in their first bits

# By code: the small letter of a letter of ASCII, 0 for all else.
cdef uint8_t[128] _SMALL
for _code in range(128):
    _SMALL[_code] = ord(chr(_code).lower()) if chr(_code).isalpha() else 0


ctypedef fused _Characters:
    uint8_t
    uint16_t
    uint32_t


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


cdef inline uint64_t _longer(uint64_t key, uint32_t letter) noexcept:
    return (key ^ letter) * _SPREAD


cdef inline uint64_t _slot(uint64_t key) noexcept:
    return key >> 32


def mark_words(list texts, Py_ssize_t short, Py_ssize_t look, Vocabulary of_short, Vocabulary of_long, float[::1] row):
    """Write 1 to the columns of the words that texts have: those of less than ``short`` characters, and the others.

    Of the others, the first ``look`` characters count. Raises TypeError for what is no text.
    """
    cdef str text
    for text in texts:
        if len(text) < short:
            _mark(text, len(text), of_short, row)
        else:
            _mark(text, min(len(text), look), of_long, row)


def mark_each(list texts, list vocabularies, float[::1] row):
    """Write 1 to the columns of the words that texts have, each text of those of its own vocabulary."""
    cdef Py_ssize_t at
    cdef str text
    for at in range(len(texts)):
        text = texts[at]
        _mark(text, len(text), <Vocabulary?> vocabularies[at], row)


cdef int _mark(str text, Py_ssize_t length, Vocabulary vocabulary, float[::1] row) except -1:
    cdef void *data = PyUnicode_DATA(text)
    cdef bint was_read
    if PyUnicode_KIND(text) == PyUnicode_1BYTE_KIND:
        was_read = _mark_words(<const uint8_t *> data, length, vocabulary, row)
    elif PyUnicode_KIND(text) == PyUnicode_2BYTE_KIND:
        was_read = _mark_words(<const uint16_t *> data, length, vocabulary, row)
    else:
        was_read = _mark_words(<const uint32_t *> data, length, vocabulary, row)
    if not was_read:
        text = text[:length].lower()
        _mark(text, len(text), vocabulary, row)
    return 0


cdef bint _mark_words(
    const _Characters *data, Py_ssize_t length, Vocabulary vocabulary, float[::1] row
) noexcept:
    """Whether the text could be read as it is: not if there are letters whose small ones do not stand alone."""
    cdef uint32_t[_LONGEST] word
    cdef Py_ssize_t at, size = 0, column
    cdef uint64_t key = 0
    cdef uint32_t letter
    for at in range(length + 1):
        letter = data[at] if at < length else 0
        if letter < 128:
            letter = _SMALL[letter]
        elif letter == _DOTTED_I or letter == _SIGMA:
            return False
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
                column = vocabulary.column(key, word, size)
                if column >= 0:
                    row[column] = 1
            size = 0
            key = 0
    return True


def mark_buttons(list texts, Py_ssize_t short, int64_t least, dict of_once, dict of_often, float[::1] row):
    """Write 1 to the columns of texts of less than ``short`` characters, and of those that come ``least`` times.

    ``of_once`` and ``of_often`` have the columns, of texts in lower case. Raises TypeError for what is no text.
    """
    cdef str text
    cdef dict times = {}
    cdef PyObject *column
    for text in texts:
        if len(text) >= short:
            continue
        text = text.lower()
        column = PyDict_GetItem(of_once, text)
        if column != NULL:
            row[<Py_ssize_t> <object> column] = 1
        column = PyDict_GetItem(of_often, text)
        if column != NULL:
            times[text] = times.get(text, 0) + 1
            if <int64_t> times[text] >= least:
                row[<Py_ssize_t> <object> column] = 1


def mark_names(
    list looks, list words, list times, int64_t least, dict of_once, dict of_often, float[::1] row,
):
    """Write 1 to the columns of the words of elements' names, and of those that come at least ``least`` times.

    ``looks`` are tags with names; of each, ``words`` has the set of the words of the names, and ``times`` how often it
    comes. ``of_once`` and ``of_often`` have the columns.
    """
    cdef Py_ssize_t at
    cdef dict often = {}
    cdef set all_words = set(), often_words = set()
    cdef PyObject *known
    for at in range(len(looks)):
        names = (<tuple?> looks[at])[1]
        known = PyDict_GetItem(often, names)
        often[names] = times[at] if known == NULL else <object> known + times[at]
        all_words |= <frozenset?> words[at]
    for at in range(len(looks)):
        if <int64_t> often[(<tuple> looks[at])[1]] >= least:
            often_words |= <frozenset> words[at]
    _mark_known(all_words, of_once, row)
    _mark_known(often_words, of_often, row)


cdef int _mark_known(set words, dict column_of, float[::1] row) except -1:
    cdef PyObject *column
    for word in words:
        column = PyDict_GetItem(column_of, word)
        if column != NULL:
            row[<Py_ssize_t> <object> column] = 1
    return 0


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


cdef struct _Group:
    Py_ssize_t number, times, first, last  # the range of blocks inside its members
    double chars


cdef int _heavier(const void *one, const void *two) noexcept nogil:
    cdef const _Group *x = <const _Group *> one
    cdef const _Group *y = <const _Group *> two
    if x.chars != y.chars:
        return -1 if x.chars > y.chars else 1
    return (x.number > y.number) - (x.number < y.number)


def heaviest_groups(
    const int64_t[::1] of_scope, const int64_t[::1] first, const int64_t[::1] last, const double[:, ::1] totals,
    Py_ssize_t least, Py_ssize_t looked_at, double[:, ::1] out,
):
    """The groups of scopes that hold most characters, none inside another; a list of the first members of each.

    ``of_scope``: the group of each scope, numbered from 0 on in the order of the first of each; ``first``, ``last``:
    the range of blocks inside it; ``totals``: (columns, scopes), the first of which are the characters. A group has at
    least ``least`` members, of which ``looked_at`` are told; as many groups as ``out`` has rows, or less. Writes of
    each how many members it has, the sums of the first columns, and how many have anything in column 1:
    (groups, columns and 2). Raises MemoryError.
    """
    cdef Py_ssize_t count = of_scope.shape[0], at, place, taken = 0, some = 0
    cdef _Group *groups = <_Group *> calloc(count + 1, sizeof(_Group))
    cdef _Group *group
    cdef list found = []
    if groups == NULL:
        raise MemoryError
    try:
        for at in range(count):
            group = &groups[of_scope[at]]
            if not group.times:
                group.number, group.first = of_scope[at], first[at]
            group.times += 1
            group.last = last[at]
            group.chars += totals[0, at]
        for at in range(count):
            if groups[at].times >= least and groups[at].chars > 0:
                groups[some] = groups[at]
                some += 1
        qsort(groups, some, sizeof(_Group), _heavier)
        for place in range(some):
            if taken == out.shape[0]:
                break
            at = 0
            while at < taken and (groups[at].last <= groups[place].first or groups[place].last <= groups[at].first):
                at += 1
            if at == taken:
                groups[taken] = groups[place]
                found.append(_sums_of_group(groups[taken], of_scope, totals, looked_at, out[taken]))
                taken += 1
    finally:
        free(groups)
    return found


cdef list _sums_of_group(
    _Group group, const int64_t[::1] of_scope, const double[:, ::1] totals, Py_ssize_t looked_at, double[::1] out
):
    """Write the sums over a group; its first members."""
    cdef Py_ssize_t at, column, columns = out.shape[0] - 2
    cdef list members = []
    out[:] = 0
    out[0] = group.times
    for at in range(of_scope.shape[0]):
        if of_scope[at] == group.number:
            if len(members) < looked_at:
                members.append(at)
            for column in range(columns):
                out[column + 1] += totals[column, at]
            out[columns + 1] += totals[1, at] != 0
    return members


def counts_of_signs(list texts, Py_ssize_t look, tuple signs, int64_t[::1] out):
    """Write how often each sign, up to 8 characters none of them a NUL, stands in the first ``look`` characters of texts.

    As ``str.count`` counts: a sign may not begin inside another of its kind. Raises ValueError for too many signs or too
    long ones.
    """
    cdef _Signs known
    cdef Py_ssize_t sign, place, length, count = len(signs)
    cdef void *data
    cdef str text
    if count > _MOST_SIGNS or any([not 0 < len(each) <= _LONGEST_SIGN for each in signs]):
        raise ValueError("too many signs, or too long ones")
    memset(&known, 0, sizeof(known))
    for sign in range(count):
        for place in range(len(signs[sign])):
            known.spelt[sign][place] = ord(signs[sign][place])
        known.before[sign] = known.latest[known.spelt[sign][0] & 255]
        known.latest[known.spelt[sign][0] & 255] = <uint8_t> (sign + 1)
    for text in texts:
        data, length = PyUnicode_DATA(text), min(len(text), look)
        memset(known.free_from, 0, sizeof(known.free_from))
        if PyUnicode_KIND(text) == PyUnicode_1BYTE_KIND:
            _count_signs(<const uint8_t *> data, length, &known)
        elif PyUnicode_KIND(text) == PyUnicode_2BYTE_KIND:
            _count_signs(<const uint16_t *> data, length, &known)
        else:
            _count_signs(<const uint32_t *> data, length, &known)
    for sign in range(count):
        out[sign] = known.counts[sign]


cdef struct _Signs:
    uint32_t spelt[_MOST_SIGNS][_LONGEST_SIGN + 1]  # with a NUL behind each
    uint8_t latest[256]  # the number, from 1 on, of the last sign that begins with a character of such a last byte
    uint8_t before[_MOST_SIGNS]  # of each, that of the one before it that begins so
    Py_ssize_t free_from[_MOST_SIGNS]  # of each, where it may begin again in a text
    int64_t counts[_MOST_SIGNS]


cdef void _count_signs(const _Characters *data, Py_ssize_t length, _Signs *known) noexcept nogil:
    cdef Py_ssize_t at, sign, place
    cdef const uint32_t *spelt
    for at in range(length):
        sign = known.latest[data[at] & 255]
        while sign:
            spelt, place = known.spelt[sign - 1], 0
            while spelt[place] and at + place < length and data[at + place] == spelt[place]:
                place += 1
            if not spelt[place] and at >= known.free_from[sign - 1]:
                known.counts[sign - 1] += 1
                known.free_from[sign - 1] = at + place
            sign = known.before[sign - 1]

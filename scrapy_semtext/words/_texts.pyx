# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Words of names and texts, and character counts, each in one pass over the text.

A *table* maps code points to characters, as the bytes of uint16: 0 if the table does not cover the character, a space
if it is not part of a word, and otherwise its lower-case form. Code points beyond its end are not covered.
"""

cimport cython
from cython cimport view
from cpython.dict cimport PyDict_Clear, PyDict_GetItemWithError, PyDict_SetItem, PyDict_Size
from cpython.object cimport PyObject, PyObject_GetItem
from cpython.ref cimport Py_INCREF, Py_XDECREF
from cpython.set cimport PySet_Contains
from cpython.unicode cimport PyUnicode_DATA, PyUnicode_KIND, PyUnicode_READ, PyUnicode_Substring
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memchr, memcpy, memset

from sys import intern


cdef extern from "Python.h":
    str PyUnicode_New(Py_ssize_t size, Py_UCS4 maxchar)
    void PyUnicode_WRITE(int kind, void *data, Py_ssize_t index, Py_UCS4 value)
    bint Py_UNICODE_ISSPACE(Py_UCS4 ch) nogil
    bint PyUnicode_IS_ASCII(text)

cdef enum:
    _LONGEST = 256  # longer tokens are left to Python
    _LONGEST_WORD = 64
    _SIEVE = 256  # sieves rule out words that are not in a set: by first and last character, one bit per length
    _SHORT = 64
    _SHORT_TOKEN = 16  # bytes
    _TOKEN_BITS = 13
    _PIECE_BITS = 11
    DIGIT = 1
    LOWER = 2
    UPPER = 4
    SPACE = 8

# The roles of ASCII characters in names.
cdef uint8_t[128] parts
for _code in range(128):
    parts[_code] = (
        DIGIT * chr(_code).isdigit() + LOWER * chr(_code).islower() + UPPER * chr(_code).isupper()
        + SPACE * chr(_code).isspace()
    )

cdef str _word(const uint16_t *letters, Py_ssize_t size, uint16_t together):
    """Return a string of characters without NUL; ``together`` is the bitwise OR of all."""
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


cdef struct _Token:
    uint64_t begin, end  # its letters
    PyObject *means


cdef inline _Token *_slot_of(_Token *slots, uint64_t begin, uint64_t end, int bits) noexcept nogil:
    return &slots[(begin + end * 31) * <uint64_t> 0x9E3779B97F4A7C15 >> (64 - bits)]


cdef int _keep(_Token *slot, uint64_t begin, uint64_t end, means) except -1:
    cdef PyObject *before = slot.means
    Py_INCREF(means)
    slot.begin, slot.end, slot.means = begin, end, <PyObject *> means
    Py_XDECREF(before)
    return 0


cdef int _forget(_Token *slots, int bits) except -1:
    cdef Py_ssize_t at
    if slots != NULL:
        for at in range(1 << bits):
            Py_XDECREF(slots[at].means)
    free(slots)
    return 0


@cython.final
cdef class Tokens:
    """A cache of the words of short ASCII tokens for one list of stop words: a single word, or a tuple.

    Each lookup reads one place in memory, while a dict reads several. If tokens share a place, the last is kept.
    """

    cdef _Token *slots

    def __cinit__(self):
        self.slots = <_Token *> calloc(1 << _TOKEN_BITS, sizeof(_Token))
        if self.slots == NULL:
            raise MemoryError

    def __dealloc__(self):
        _forget(self.slots, _TOKEN_BITS)

    cdef object means(self, const uint16_t *letters, Py_ssize_t size, known, frozenset stop):
        """Return the words of a token of up to 16 letters without an apostrophe."""
        cdef uint64_t[2] whole = [0, 0]
        cdef uint8_t *into = <uint8_t *> whole
        cdef Py_ssize_t at
        cdef _Token *slot
        cdef tuple words
        for at in range(size):
            into[at] = <uint8_t> letters[at]
        slot = _slot_of(self.slots, whole[0], whole[1], _TOKEN_BITS)
        if slot.means != NULL and slot.begin == whole[0] and slot.end == whole[1]:
            return <object> slot.means
        words = _of_token(letters, size, 0, False, known, stop)
        found = words[0] if len(words) == 1 else words
        _keep(slot, whole[0], whole[1], found)
        return found


def words_of_texts(
    list texts not None, bytes table not None, known, Tokens tokens not None, frozenset stop not None, Py_ssize_t limit,
    Py_ssize_t look,
):
    """Return for each text a tuple of its first ``limit`` words that are not in ``stop``.

    The result is None for texts that must be processed by Python: those with characters that ``table`` does not cover,
    or with ``look`` characters without a space, where Python may cut. ``known`` maps each token (a run of word
    characters according to ``table``) to a tuple of words. Missing tokens are added, while ``known`` itself has to
    compute those that are long or have apostrophes. ``tokens`` is the cache for ``stop``. Raises TypeError for values
    that are not text, and the errors of ``known``.
    """
    cdef dict seen = {}
    cdef list found = []
    cdef PyObject *again
    if not isinstance(known, dict):
        raise TypeError("tokens are known by a dict")
    for text in texts:
        if not isinstance(text, str):
            raise TypeError("only text has words")
        again = PyDict_GetItemWithError(seen, text)
        if again != NULL:
            found.append(<object> again)
            continue
        words = _words_of(text, table, known, tokens, stop, limit, look)
        seen[text] = words
        found.append(words)
    return found


cdef tuple _words_of(
    str text, bytes table, known, Tokens tokens, frozenset stop, Py_ssize_t limit, Py_ssize_t look
):
    cdef int kind = PyUnicode_KIND(text)
    cdef void *data = PyUnicode_DATA(text)
    cdef Py_ssize_t at, size = 0, length = len(text), space = 0
    cdef uint32_t character, characters = len(table) // 2
    cdef const uint16_t *lows = <const uint16_t *> <const char *> table
    cdef uint16_t[_LONGEST] token
    cdef uint16_t low, together = 0
    cdef bint apart = False  # whether the token has an apostrophe
    cdef list words = []
    for at in range(length + 1):
        character = PyUnicode_READ(kind, data, at) if at < length else c" "
        low = lows[character] if character < characters else 0
        if low == 0 or size == _LONGEST:
            return None
        if low != c" ":
            token[size] = low
            together |= low
            apart |= low == c"'"
            size += 1
            continue
        if at - space >= look and length > look:
            return None
        if character == c" " or character == c"\n":
            space = at
        if size:
            if together < 128 and size <= _SHORT_TOKEN and not apart:
                means = tokens.means(token, size, known, stop)
            else:
                means = _of_token(token, size, together, apart, known, stop)
            if type(means) is not tuple:
                words.append(means)
            elif means:
                words.extend(<tuple> means)
            if len(words) >= limit:
                break
            size = together = apart = 0
    return tuple(words if len(words) <= limit else words[:limit])


cdef tuple _of_token(
    const uint16_t *letters, Py_ssize_t size, uint16_t together, bint apart, known, frozenset stop
):
    """Return the words of a token; ``together`` is the bitwise OR of all its letters."""
    cdef str whole = _word(letters, size, together)
    cdef PyObject *own = PyDict_GetItemWithError(known, whole)
    if own != NULL:
        if type(<object> own) is not tuple:
            raise TypeError("words have to be in a tuple")
        return <tuple> own
    if apart or size > _LONGEST_WORD:
        return <tuple?> PyObject_GetItem(known, whole)
    return _learned(whole, letters, size, known, stop)


cdef tuple _learned(str token, const uint16_t *letters, Py_ssize_t size, known, frozenset stop):
    """Return the word of a token unless it is a stop word, and add it to the known ones."""
    cdef uint16_t[_LONGEST_WORD] shape
    cdef uint16_t together = 0
    cdef Py_ssize_t at, length = 0, digits = 0
    cdef tuple words
    if PySet_Contains(stop, token):
        words = ()
    else:
        for at in range(size):  # at most four digits in a row are kept, as zeros
            digits = digits + 1 if c"0" <= letters[at] <= c"9" else 0
            if digits <= 4:
                shape[length] = c"0" if digits else letters[at]
                together |= shape[length]
                length += 1
        shaped = _word(shape, length, together)
        words = (token if shaped == token else shaped,)
    PyDict_SetItem(known, token, words)
    return words


@cython.final
cdef class NameReader:
    """Reads ASCII names by the rules of `scrapy_semtext.words.words`; complicated ones are left to Python.

    ``known``: the words of up to ``most`` names seen before; it computes those of complicated names itself. The other
    arguments are the expansions of abbreviations, the stop words, and the number of an element's first names. The words
    of short pieces of names are cached as in `Tokens`, because most names consist of few distinct pieces.
    """

    cdef object known
    cdef dict abbreviations
    cdef frozenset stop
    cdef Py_ssize_t most, first
    cdef _Token *pieces

    def __cinit__(self):
        self.pieces = <_Token *> calloc(1 << _PIECE_BITS, sizeof(_Token))
        if self.pieces == NULL:
            raise MemoryError

    def __dealloc__(self):
        _forget(self.pieces, _PIECE_BITS)

    def __init__(
        self, known, Py_ssize_t most, dict abbreviations not None, frozenset stop not None, Py_ssize_t first
    ):
        if not isinstance(known, dict):
            raise TypeError("names are known by a dict")
        self.known, self.abbreviations, self.stop = known, abbreviations, stop
        self.most, self.first = most, first

    def words(self, str names not None):
        """Return the words of an element's names: all, those that are not stop words, and those of its first names.

        Returns None if the names are not ASCII.
        """
        cdef const uint8_t *letters = <const uint8_t *> PyUnicode_DATA(names)
        cdef Py_ssize_t at, begin = 0, length = len(names), count = 0
        cdef tuple every = (), words
        cdef list together = None, telling = None
        cdef tuple first = None
        if not PyUnicode_IS_ASCII(names):
            return None
        for at in range(length + 1):
            if at < length and not parts[letters[at]] & SPACE:
                continue
            if at > begin:
                words = self.words_of(letters + begin, at - begin)
                if count == 1:
                    together = list(every)
                if count:
                    together.extend(words)
                else:
                    every = words
                count += 1
                if count == self.first:
                    first = every if together is None else tuple(together)
            begin = at + 1
        if together is not None:
            every = tuple(together)
        for at in range(len(every)):
            if PySet_Contains(self.stop, every[at]):
                telling = [word for word in every if word not in self.stop]
                break
        return (
            every,
            every if telling is None else tuple(telling),
            every if first is None else first,
        )

    cdef tuple words_of(self, const uint8_t *letters, Py_ssize_t size):
        """Return the words of one name."""
        cdef str name = _ascii(letters, size)
        cdef PyObject *known = PyDict_GetItemWithError(self.known, name)
        cdef list words
        if known != NULL:
            return <tuple?> <object> known
        if size > _LONGEST or _may_be_utility(letters, size):
            return <tuple?> PyObject_GetItem(self.known, name)
        words = []
        if not self.add_pieces(letters, size, words):
            return <tuple?> PyObject_GetItem(self.known, name)
        if not words and any_letter(letters, size):
            words.append(name.lower()[:_LONGEST_WORD])
        if PyDict_Size(self.known) >= self.most:
            PyDict_Clear(self.known)
        found = tuple(words)
        PyDict_SetItem(self.known, name, found)
        return found

    cdef bint add_pieces(self, const uint8_t *letters, Py_ssize_t size, list words) except -1:
        """Add the words of the pieces of a name; return False if Python has to process one."""
        cdef Py_ssize_t at, begin = 0
        for at in range(size + 1):
            if at == size or not parts[letters[at]] & (DIGIT | LOWER | UPPER):
                if at > begin and not self.add_piece(letters + begin, at - begin, words):
                    return False
                begin = at + 1
        return True

    cdef bint add_piece(self, const uint8_t *letters, Py_ssize_t size, list words) except -1:
        """Add the words of a piece of a name; return False if Python has to process it."""
        cdef uint64_t[2] whole = [0, 0]
        cdef _Token *slot
        cdef list own
        if size > _SHORT_TOKEN:
            return self.read_piece(letters, size, words)
        memcpy(whole, letters, size)
        slot = _slot_of(self.pieces, whole[0], whole[1], _PIECE_BITS)
        if slot.means == NULL or slot.begin != whole[0] or slot.end != whole[1]:
            own = []
            if not self.read_piece(letters, size, own):
                return False
            _keep(slot, whole[0], whole[1], own[0] if len(own) == 1 else tuple(own))
        if type(<object> slot.means) is tuple:
            words.extend(<object> slot.means)
        else:
            words.append(<object> slot.means)
        return True

    cdef bint read_piece(self, const uint8_t *letters, Py_ssize_t size, list words) except -1:
        cdef uint8_t together = 0
        cdef Py_ssize_t at, cuts = 0, last = 0
        cdef PyObject *long_form = PyDict_GetItemWithError(self.abbreviations, _low(letters, size))
        if long_form != NULL:
            words.extend(<object> long_form)
            return True
        if size == 2 and parts[letters[1]] & DIGIT and letters[0] | 32 == c"h":
            return False  # a heading
        while size and parts[letters[0]] & DIGIT:
            letters += 1
            size -= 1
            together = DIGIT
        while size and parts[letters[size - 1]] & DIGIT:
            size -= 1
            together = DIGIT
        if together and size < 2:
            return True
        together = 0
        for at in range(size):
            together |= parts[letters[at]]
        if together & DIGIT:
            return True
        if together == LOWER:
            self.add_part(letters, size, words)
            return True
        for at in range(1, size):
            if _is_cut(letters, at, size):
                cuts += 1
                last = at
        if cuts and (size < 2.5 * (cuts + 1) or (size <= 6 and size - last == 1)):
            return True  # generated by a program
        last = 0
        for at in range(1, size + 1):
            if at == size or _is_cut(letters, at, size):
                self.add_part(letters + last, at - last, words)
                last = at
        return True

    cdef int add_part(self, const uint8_t *letters, Py_ssize_t size, list words) except -1:
        cdef str low = _low(letters, size)
        cdef PyObject *long_form = PyDict_GetItemWithError(self.abbreviations, low)
        if long_form != NULL:
            words.extend(<object> long_form)
        else:
            words.append(intern(low if size <= _LONGEST_WORD else low[:_LONGEST_WORD]))
        return 0


cdef inline bint _is_cut(const uint8_t *letters, Py_ssize_t at, Py_ssize_t size) noexcept:
    """Return whether camel case is split before a letter, which is not the first."""
    if not parts[letters[at]] & UPPER:
        return False
    return parts[letters[at - 1]] & LOWER or (at + 1 < size and parts[letters[at + 1]] & LOWER)


cdef bint _may_be_utility(const uint8_t *letters, Py_ssize_t size) noexcept:
    """Return whether a name may be a utility class, such as "mb-4"."""
    cdef Py_ssize_t at = 0
    if memchr(letters, c":", size) != NULL:
        return True
    while at < size and (letters[at] == c"!" or letters[at] == c"-"):
        at += 1
    if at == size or memchr(b"mpwhz", letters[at], 5) == NULL:
        return False
    if at + 2 < size and memchr(b"tblrsexy", letters[at + 1], 8) != NULL:
        at += 1
    return at + 1 < size and (letters[at + 1] == c"-" or parts[letters[at + 1]] & DIGIT)


cdef bint any_letter(const uint8_t *letters, Py_ssize_t size) noexcept:
    cdef Py_ssize_t at
    for at in range(size):
        if parts[letters[at]] & (LOWER | UPPER):
            return True
    return False


cdef str _ascii(const uint8_t *letters, Py_ssize_t size):
    cdef str text = PyUnicode_New(size, 127)
    memcpy(PyUnicode_DATA(text), letters, size)
    return text


cdef str _low(const uint8_t *letters, Py_ssize_t size):
    """Return letters and digits in lower case."""
    cdef str text = PyUnicode_New(size, 127)
    cdef uint8_t *low = <uint8_t *> PyUnicode_DATA(text)
    cdef Py_ssize_t at
    for at in range(size):
        low[at] = letters[at] + 32 if c"A" <= letters[at] <= c"Z" else letters[at]
    return text


def words_of_paths(
    const int64_t[::1] parent, const int64_t[::1] of_scope, list of_looks not None, Py_ssize_t limit, bint last
):
    """Return for each scope a tuple of the words of its element and of its ancestors, from the outside in.

    ``parent``, ``of_scope``: (scopes,), the parent of each scope, which precedes it (the first scope is its own), and
    the index of its words in ``of_looks``, which has a tuple of words for each distinct element. Paths of more than
    ``limit`` words keep the ``last`` or the first ones. Equal paths share a tuple. Raises ValueError for bad indexes.
    """
    cdef Py_ssize_t scopes = parent.shape[0], looks = len(of_looks), at
    cdef int bits = 2
    if of_scope.shape[0] != scopes:
        raise ValueError("a look for each scope is needed")
    while (<Py_ssize_t> 1 << bits) < 2 * scopes:
        bits += 1
    cdef Py_ssize_t mask = (<Py_ssize_t> 1 << bits) - 1
    # the number of each scope's path; extended paths are keyed by the parent path and the index in `of_looks`
    cdef int64_t[::1] paths = view.array((scopes + 1,), sizeof(int64_t), "q")
    cdef int64_t[:, ::1] steps = view.array((mask + 1, 2), sizeof(int64_t), "q")
    cdef int64_t step, above
    cdef list words = [()], found = []
    cdef dict numbers = {(): 0}
    cdef tuple joined
    steps[:, 0] = -1
    for scope in range(scopes):
        if of_scope[scope] < 0 or of_scope[scope] >= looks or parent[scope] < 0 or parent[scope] >= max(scope, 1):
            raise ValueError("no such look or scope")
        above = paths[parent[scope]] if scope else 0
        step = above * looks + of_scope[scope]
        at = <Py_ssize_t> (<uint64_t> step * <uint64_t> 0x9E3779B97F4A7C15 >> (64 - bits))
        while steps[at, 0] != step and steps[at, 0] != -1:
            at = (at + 1) & mask
        if steps[at, 0] == -1:
            joined = _joined(<tuple> words[above], <tuple?> of_looks[of_scope[scope]], limit, last)
            steps[at, 0], steps[at, 1] = step, numbers.setdefault(joined, len(words))
            if steps[at, 1] == <Py_ssize_t> len(words):
                words.append(joined)
        paths[scope] = steps[at, 1]
        found.append(words[paths[scope]])
    return found


cdef tuple _joined(tuple words, tuple more, Py_ssize_t limit, bint last):
    cdef tuple joined
    if not more or (len(words) == limit and not last):
        return words
    joined = words + more
    if len(joined) > limit:
        joined = joined[len(joined) - limit :] if last else joined[:limit]
    return joined


def sieve_of(words):
    """Return the sieve with which `counts` skips most words that are not among the given ones."""
    cdef uint64_t[_SIEVE] sieve
    memset(sieve, 0, sizeof(sieve))
    _add_to_sieve(sieve, words)
    return (<const char *> sieve)[:sizeof(sieve)]


def counts(
    texts, Py_ssize_t look, const uint8_t[::1] kinds, frozenset first not None, frozenset second not None,
    bytes sieve not None, int64_t[:, ::1] out,
):
    """Count words and characters in the first ``look`` characters of each text; writes ``out``, (texts, 3 + kinds).

    The columns: words separated by white space; those that, in lower case, are in ``first`` (whose sieve is ``sieve``),
    and in ``second``; characters of each kind except 0, by code point, where the last of ``kinds`` covers all higher
    ones. The size of ``out`` is not checked. Raises TypeError for non-text values, ValueError for a bad sieve.
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
    cdef bint plain = True  # the word is ASCII so far, and fits into token
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


def most_attributes(bytes html):
    """Return the maximum number of attributes of a tag that begins at any "<" followed by a letter (HTML, 13.2.5)."""
    cdef const uint8_t *text = html
    cdef uint8_t code, following = 0
    # Parser states in a tag: in its name; before, in and after an attribute name; before and in a value.
    cdef Py_ssize_t at, most = 0, tag = 0, before = 0, name = 0, behind = 0, value = 0
    cdef Py_ssize_t in_double = 0, in_single = 0, plain = 0
    for at in range(len(html) - 1, -1, -1):
        code = text[at]
        if code == c">":
            tag = before = name = behind = value = plain = 0
        elif code == c" " or 9 <= code <= 13:
            tag, name, plain = before, behind, before
        elif code == c"/":
            tag, name, behind, value = before, before, before, plain
        elif code == c"=":
            before, name, behind, value = name + 1, value, value, plain
        elif code == c'"':
            before, behind, value, in_double = name + 1, name + 1, in_double, before
        elif code == c"'":
            before, behind, value, in_single = name + 1, name + 1, in_single, before
        else:
            if code == c"<" and c"a" <= following | 32 <= c"z":
                most = max(most, tag)
            before, behind, value = name + 1, name + 1, plain
        following = code
    return most

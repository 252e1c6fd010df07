# cython: language_level=3, wraparound=False, initializedcheck=False
"""What the texts of lines say by themselves, how they look, and what the elements around them say.

The kinds of characters are those of Python's own tables, which patterns and methods of strings go by too.
"""

cimport cython
from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.dict cimport PyDict_GetItem
from cpython.object cimport PyObject
from cpython.tuple cimport PyTuple_Check, PyTuple_GET_ITEM, PyTuple_GET_SIZE
from cpython.unicode cimport (
    Py_UNICODE_ISALNUM, Py_UNICODE_ISALPHA, Py_UNICODE_ISDECIMAL, Py_UNICODE_ISLOWER, Py_UNICODE_ISSPACE,
    Py_UNICODE_ISTITLE, Py_UNICODE_ISUPPER, Py_UNICODE_TOLOWER, PyUnicode_1BYTE_KIND, PyUnicode_2BYTE_KIND,
    PyUnicode_DATA, PyUnicode_FindChar, PyUnicode_KIND, PyUnicode_READ,
)
from libc.math cimport NAN, log1p, rint, trunc
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, qsort
from libc.string cimport memset

from types import MemberDescriptorType

cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(object text)
    ctypedef struct PyTypeObject:
        pass
    PyTypeObject *Py_TYPE(object thing)

cdef extern from "structmember.h":
    int T_OBJECT_EX
    ctypedef struct PyMemberDef:
        int type
        Py_ssize_t offset
    ctypedef struct PyMemberDescrObject:
        PyMemberDef *d_member

# As of the same names in `scrapy_semtext.sectioning.texts`.
cdef enum:
    LOOK = 400
    PROSE_WORDS = 10
    YEAR_DIGITS = 4
    LONGEST_WORD = 30

cdef enum:
    END_LOOK = 20  # so many characters at the end of a text tell whether a sentence ends there
    LEAD_LOOK = 5  # and so many whether it leads on
    SIGNATURES = 1024
    COLUMNS = 14
    TITLE_WORDS = 64  # so many words of a title are compared with those of texts one by one
    NAME_LETTERS = 12  # so many letters fit into a number
    NAMES = 512  # twice as many as there are words that names are searched for, and more
    DOTTED_I = 0x130  # letters whose small ones are two, or depend on those around
    SIGMA = 0x3A3

# Marks of lines, by their places in `scrapy_semtext.sectioning.lines`.
cdef enum:
    BOLD
    ITALIC
    UNDERLINED
    LINK
    SIZE
    CENTRED
    HIDDEN
    HEADING
    AT
    OF

# As of `scrapy_semtext.sectioning.scopes`: what names and tags say, and above these bits the place of the tag.
cdef enum:
    TITLE = 1
    SMALL_PRINT = 2
    EDGE = 4
    CORE_NAME = 8
    EDGE_TAG = 16
    LIST = 32
    SIGNS = 6
    LIST_LEVELS = 3
    FIELD = 20

# How many columns there are in `scrapy_semtext.sectioning.features`: of a line's own but for those of tags, of its
# place, and of a comparison with those beside it.
cdef enum:
    FACTS = 20
    OWN = 39
    PLACED = 20
    BESIDE = 8
    CAPS = 8  # the place of that fact
    CLASS_BITS = 20
    LOGS = 1024  # so many logarithms are known

cdef uint64_t SPREAD = 0x9E3779B97F4A7C15  # a number whose multiples differ in their first bits
cdef double NORMAL = 16.0, MOST = 0.8, EXACT = 1000
cdef Py_ssize_t[4] OFFSETS = [-2, -1, 1, 2]

# Kinds of characters, as bits.
cdef enum:
    WORD = 1
    SPACE = 2
    DIGIT = 4
    LETTER = 8
    CAPITAL = 16
    SMALL = 32
    KNOWN = 64

# The kinds of each character, of the first 65536, once it was met.
cdef unsigned char known_kinds[1 << 16]
cdef unsigned char ascii_kinds[128]
# The small letter of each letter of ASCII, digits and "_" as they are, and 0 for what is in no word.
cdef uint8_t ascii_letters[128]
# What each character of ASCII adds to counts that stand in one number, and what it adds where a word begins.
cdef uint64_t ascii_counts[128]
cdef uint64_t ascii_heads[128]


cdef int told(Py_UCS4 c) noexcept:
    cdef int kinds = WORD if Py_UNICODE_ISALNUM(c) or c == u"_" else 0
    if Py_UNICODE_ISSPACE(c):
        kinds |= SPACE
    if Py_UNICODE_ISDECIMAL(c):
        kinds |= DIGIT
    if Py_UNICODE_ISALPHA(c):
        kinds |= LETTER
    if Py_UNICODE_ISUPPER(c):
        kinds |= CAPITAL
    if Py_UNICODE_ISLOWER(c) or Py_UNICODE_ISTITLE(c):
        kinds |= SMALL
    return kinds


# How many bits there are for a count in one number, enough for LOOK, and the places of the counts there.
cdef enum:
    BITS = 10
    BLANKS = 0
    PUNCTUATION = 10
    COMMAS = 20
    DIGITS = 30
    HEADS = 40
    CAPITALS = 50

for _code in range(128):
    ascii_kinds[_code] = told(_code)
    ascii_letters[_code] = ord(chr(_code).lower()) if told(_code) & WORD else 0
    ascii_counts[_code] = (
        <uint64_t> (_code == 32) << BLANKS | <uint64_t> (not told(_code) & (WORD | SPACE)) << PUNCTUATION
        | <uint64_t> (chr(_code) in ",;") << COMMAS | <uint64_t> (told(_code) & DIGIT != 0) << DIGITS
    )
    ascii_heads[_code] = <uint64_t> (told(_code) & LETTER != 0) << HEADS
    ascii_heads[_code] |= <uint64_t> (told(_code) & CAPITAL != 0) << CAPITALS


cdef inline int kinds_of(Py_UCS4 c) noexcept:
    if c >= 1 << 16:
        return told(c)
    if not known_kinds[c]:
        known_kinds[c] = told(c) | KNOWN
    return known_kinds[c]


cdef struct _Title:
    # The words of a page's title, few of them, by the characters they begin with.
    int count
    int latest[SIGNATURES]  # the number, from 1 on, of the last that begins so
    int before[TITLE_WORDS + 1]  # and by number, of the one before it
    PyObject *words[TITLE_WORDS + 1]


cdef bint read_title(frozenset title, _Title *found) except -1:
    """Note the words of a title, in small letters; whether they are few enough."""
    cdef str word
    cdef Py_ssize_t begin
    found.count = 0
    if len(title) > TITLE_WORDS:
        return False
    memset(found.latest, 0, sizeof(found.latest))
    for word in title:
        if word:
            begin = beginning(<Py_UCS4> word[0], <Py_UCS4> word[1] if len(word) > 1 else 0)
            found.count += 1
            found.words[found.count] = <PyObject *> word
            found.before[found.count] = found.latest[begin]
            found.latest[begin] = found.count
    return True


cdef inline Py_ssize_t beginning(uint32_t first, uint32_t second) noexcept:
    """A number that is the same for words with the same two characters in front; most others have another."""
    return (first & 31) << 5 | (second & 31)


def facts_of_texts(list texts not None, frozenset title not None, double[:, ::1] out):
    """Write what `scrapy_semtext.sectioning.texts` tells of texts before it looks for numbers: (texts, 14 or more).

    ``title`` are the words of the page's title, in small letters. Raises IndexError for a text without a character, and
    ValueError for too small an ``out``.
    """
    cdef Py_ssize_t at
    cdef str text, looked
    cdef _Title told_of
    cdef bint are_few = read_title(title, &told_of)
    if out.shape[0] < len(texts) or out.shape[1] < COLUMNS:
        raise ValueError("no room for what is told of the texts")
    for at in range(len(texts)):
        text = texts[at]
        if not text:
            raise IndexError("a line without text")
        looked = text if len(text) <= LOOK else text[:LOOK]
        if PyUnicode_IS_ASCII(looked):
            count_in_ascii(text, looked, &out[at, 0])
        else:
            count(text, looked, &out[at, 0])
        out[at, 12] = share_of(looked, title, &told_of) if are_few else share_of_many(looked.lower(), title)
        if out[at, 10]:
            out[at, 10] = has_year(looked)
        out[at, 2] = ends_sentence(text)
        out[at, 3] = leads_on(text)
        out[at, 13] = has_bullet(text)


def capitals_behind(list texts not None, list places not None, list widths not None, double[:, ::1] out):
    """Write to columns 6 and 7 of texts with numbers in front, of these widths, what `count` says of the rest.

    Of the first characters alone; where no word is left they stay as they are.
    """
    cdef double[COLUMNS] told
    cdef Py_ssize_t at, place
    cdef str behind
    for at in range(len(places)):
        place = places[at]
        behind = texts[place][widths[at]:LOOK]
        if behind:
            count(behind, behind, told)
            if told[6] == told[6]:  # no NaN
                out[place, 6], out[place, 7] = told[6], told[7]


cdef int count(str text, str looked, double *out) except -1:
    """Set what is counted in the first characters of a text, and how many characters and words all of it has."""
    cdef Py_ssize_t length = len(looked), blanks = 0, unspaced = 0, punctuation = 0, commas = 0, digits = 0
    cdef Py_ssize_t heads = 0, capitals = 0, words
    cdef int kinds, before = SPACE, all_kinds = 0, first = -1
    cdef Py_UCS4 c
    for c in looked:
        kinds = kinds_of(c)
        all_kinds |= kinds
        if kinds & SPACE:
            blanks += c == u" "
        else:
            unspaced += u"\u3040" <= c <= u"\u9fff"
            if before & SPACE:
                if first < 0:
                    first = kinds
                if kinds & LETTER:
                    heads += 1
                    capitals += kinds & CAPITAL != 0
            if kinds & WORD:
                digits += kinds & DIGIT != 0
            else:
                punctuation += 1
                commas += c in u",;、，；،"
        before = kinds
    words = (text.count(u" ") if len(text) > length else blanks) + 1
    if words < PROSE_WORDS and unspaced // 2 > words:
        words = unspaced // 2
    out[0], out[1], out[4], out[5] = len(text), words, punctuation, commas
    out[6] = NAN if first < 0 else first & CAPITAL != 0
    out[7] = NAN if first < 0 else capitals / <double> (heads or 1)
    out[8] = all_kinds & CAPITAL and not all_kinds & SMALL
    out[9] = digits / <double> length
    out[10] = digits >= YEAR_DIGITS
    out[11] = min(length / <double> (blanks + 1), <double> LONGEST_WORD)
    return 0


cdef int count_in_ascii(str text, str looked, double *out) except -1:
    """Set the same as `count`, where the first characters of a text are of ASCII."""
    cdef const unsigned char *data = <const unsigned char *> PyUnicode_DATA(looked)
    cdef Py_ssize_t at, length = len(looked), words, digits
    cdef uint64_t counts = 0, inside = 0, head
    cdef int kinds, all_kinds = 0, first = -1
    for at in range(length):
        kinds = ascii_kinds[data[at]]
        all_kinds |= kinds
        head = ~inside
        inside = <uint64_t> (kinds & SPACE != 0) - 1
        counts += ascii_counts[data[at]] + (ascii_heads[data[at]] & head & inside)
        if first < 0 and inside:
            first = kinds
    digits = counts >> DIGITS & ((1 << BITS) - 1)
    words = (text.count(u" ") if len(text) > length else <Py_ssize_t> (counts & ((1 << BITS) - 1))) + 1
    out[0], out[1] = len(text), words
    out[4], out[5] = counts >> PUNCTUATION & ((1 << BITS) - 1), counts >> COMMAS & ((1 << BITS) - 1)
    out[6] = NAN if first < 0 else first & CAPITAL != 0
    out[7] = NAN if first < 0 else <double> (counts >> CAPITALS) / <double> (counts >> HEADS & ((1 << BITS) - 1) or 1)
    out[8] = all_kinds & CAPITAL and not all_kinds & SMALL
    out[9] = digits / <double> length
    out[10] = digits >= YEAR_DIGITS
    out[11] = min(length / <double> ((counts & ((1 << BITS) - 1)) + 1), <double> LONGEST_WORD)
    return 0


cdef double share_of(str text, frozenset title, const _Title *told_of) except -1:
    """Of the words of letters, digits and "_" in a text, the share that a title of few words holds too."""
    cdef Py_ssize_t length = len(text)
    cdef void *data = PyUnicode_DATA(text)
    if not told_of.count:
        return 0
    if PyUnicode_FindChar(text, DOTTED_I, 0, length, 1) >= 0 or PyUnicode_FindChar(text, SIGMA, 0, length, 1) >= 0:
        return share_of_many(text.lower(), title)
    if PyUnicode_KIND(text) == PyUnicode_1BYTE_KIND:
        return share_in(<const uint8_t *> data, length, told_of)
    if PyUnicode_KIND(text) == PyUnicode_2BYTE_KIND:
        return share_in(<const uint16_t *> data, length, told_of)
    return share_in(<const uint32_t *> data, length, told_of)


ctypedef fused Characters:
    uint8_t
    uint16_t
    uint32_t


cdef double share_in(const Characters *data, Py_ssize_t length, const _Title *told_of) noexcept:
    """The share of words for characters behind which there is one more, NUL as of all strings."""
    cdef Py_ssize_t at, words = 0, found = 0
    cdef uint32_t before = 0, last = 0, letter
    cdef bint begins
    for at in range(length + 1):
        letter = letter_of(data[at])
        begins = (last != 0) & (before == 0)
        words += begins
        if begins & (told_of.latest[beginning(last, letter)] != 0):
            found += is_among(data + at - 1, told_of, told_of.latest[beginning(last, letter)])
        before, last = last, letter
    return found / <double> (words or 1)


cdef inline uint32_t letter_of(Py_UCS4 c) noexcept:
    """What a character of a word is in small letters, 0 for others."""
    if c < 128:
        return ascii_letters[c]
    c = Py_UNICODE_TOLOWER(c)
    return c if kinds_of(c) & WORD else 0


cdef bint is_among(const Characters *begin, const _Title *told_of, int number) noexcept:
    """Whether the word at a place is the one of that number, or one before it that begins alike."""
    cdef Py_ssize_t at, length
    cdef PyObject *word
    cdef int kind
    cdef void *data
    while number:
        word = told_of.words[number]
        kind, data, length, at = PyUnicode_KIND(<object> word), PyUnicode_DATA(<object> word), len(<str> word), 0
        while at < length and letter_of(begin[at]) == <uint32_t> PyUnicode_READ(kind, data, at):
            at += 1
        if at == length and not letter_of(begin[at]):
            return True
        number = told_of.before[number]
    return False


cdef inline Py_UCS4 character(str text, Py_ssize_t at) noexcept:
    return PyUnicode_READ(PyUnicode_KIND(text), PyUnicode_DATA(text), at)


cdef bint has_bullet(str text) noexcept:
    """Whether a text, not an empty one, begins with a sign that marks an item of a list."""
    return (
        character(text, 0) in u"•·●○■□▪▫◆◇►▸➢➤✓✔✪★☆*–—-" and len(text) > 1
        and kinds_of(character(text, 1)) & SPACE != 0
    )


cdef bint has_year(str text) noexcept:
    """Whether a number of four digits that begins with 19 or 20 stands apart from letters and digits."""
    cdef Py_ssize_t at, length = len(text)
    cdef Py_UCS4 first, second
    for at in range(length - 3):
        first, second = character(text, at), character(text, at + 1)
        if not (first == u"1" and second == u"9" or first == u"2" and second == u"0"):
            continue
        if not kinds_of(character(text, at + 2)) & kinds_of(character(text, at + 3)) & DIGIT:
            continue
        if at and kinds_of(character(text, at - 1)) & WORD:
            continue
        if at + 4 == length or not kinds_of(character(text, at + 4)) & WORD:
            return True
    return False


cdef bint ends_sentence(str text) noexcept:
    cdef Py_ssize_t end = len(text), begin = max(end - END_LOOK, 0), at
    end -= character(text, end - 1) == u"\n"
    if end - begin > 2 and character(text, end - 1) == u"]":  # perhaps a footnote
        at = end - 2
        while at > begin and kinds_of(character(text, at)) & DIGIT:
            at -= 1
        if at < end - 2 and character(text, at) == u"[":
            end = at
    while end > begin and character(text, end - 1) in u"'\"“”‘’«»)]】」":
        end -= 1
    return end > begin and character(text, end - 1) in u".!?。！？…"


cdef bint leads_on(str text) noexcept:
    cdef Py_ssize_t end = len(text), begin = max(end - LEAD_LOOK, 0)
    while end > begin and kinds_of(character(text, end - 1)) & SPACE:
        end -= 1
    return end > begin and character(text, end - 1) in u":："


cdef inline Py_ssize_t signature(long first, long last, long length) noexcept:
    """A number that is the same for equal words; most others have another."""
    return (first ^ (last << 3) ^ (length << 6)) & (SIGNATURES - 1)


cdef double share_of_many(str text, frozenset title) except -1:
    """The same as `share_of` of the text in small letters, for a title of any number of words."""
    cdef Py_ssize_t at = 0, size = 0, words = 0, found = 0
    cdef Py_UCS4 c
    for c in text:
        if kinds_of(c) & WORD:
            size += 1
        elif size:
            words += 1
            found += text[at - size:at] in title
            size = 0
        at += 1
    if size:
        words += 1
        found += text[at - size:at] in title
    return found / <double> (words or 1)


@cython.final
cdef class Slot:
    """An attribute of blocks or scopes: where it is a slot of their class it is read from its place."""

    cdef str name
    cdef PyTypeObject *kind  # the class that came last, which is kept alive by `owner`
    cdef object owner
    cdef Py_ssize_t place

    def __cinit__(self, str name not None):
        self.name = name

    cdef inline object of(self, thing):
        cdef PyObject *value
        if Py_TYPE(thing) == self.kind:
            value = (<PyObject **> (<char *> <PyObject *> thing + self.place))[0]
            if value != NULL:
                return <object> value
        return self.learned(thing)

    cdef object learned(self, thing):
        """The attribute of a thing of another class, whose place is noted. Raises AttributeError if it has none."""
        cdef PyMemberDef *member
        slot = getattr(type(thing), self.name, None)
        if type(slot) is MemberDescriptorType:
            member = (<PyMemberDescrObject *> slot).d_member
            if member.type == T_OBJECT_EX:
                self.owner = type(thing)
                self.kind, self.place = Py_TYPE(thing), member.offset
        return getattr(thing, self.name)


cdef Slot of_text = Slot("text"), of_runs = Slot("runs"), of_style = Slot("style"), of_hidden = Slot("hidden")
cdef Slot scope_of = Slot("scope"), of_centred = Slot("centred"), of_classes = Slot("classes"), of_tag = Slot("tag")
cdef Slot of_children = Slot("children")


def texts_of_lines(list pieces not None, int64_t[::1] counts):
    """The texts of the lines of pieces, a list; writes how many lines each piece has, (pieces,)."""
    cdef Py_ssize_t place
    cdef str text
    cdef list found = [], lines
    for place in range(len(pieces)):
        text = of_text.of(pieces[place])
        if PyUnicode_FindChar(text, c"\n", 0, len(text), 1) < 0:
            found.append(text)
            counts[place] = 1
        else:
            lines = [line for line in text.split("\n") if line.strip()]
            found += lines
            counts[place] = len(lines)
    return found


def places_of_pieces(list pieces not None, blocks, int64_t[::1] of_block):
    """What stands before each piece in the text of its block, a list; writes the number of the block, (pieces,).

    Raises IndexError where the blocks were not combined of the pieces.
    """
    cdef Py_ssize_t number = 0, place = 0, runs, at
    cdef list glues = []
    for block in blocks:
        piece = pieces[place]
        of_block[place] = number
        glues.append("")
        place += 1
        if piece is not block:
            text = of_text.of(block)
            runs, at = len(of_runs.of(block)) - len(of_runs.of(piece)), len(of_text.of(piece))
            while runs > 0:
                piece = pieces[place]
                of_block[place] = number
                glues.append(text[at])
                place += 1
                runs, at = runs - len(of_runs.of(piece)), at + 1 + len(of_text.of(piece))
        number += 1
    if place != len(pieces):
        raise IndexError("a piece is in no block")
    return glues


def columns_of_lines(
    list pieces not None, list texts not None, const int64_t[::1] counts, const int64_t[::1] of_block,
    int64_t[::1] piece, int64_t[::1] block, double[:, ::1] marks,
):
    """Write the columns of lines, (lines,) and (lines, MARKS), but for headings; see `scrapy_semtext.sectioning.lines`.

    ``counts``, ``of_block``: of each piece, how many lines it has and its block. Returns the numbers of pieces of which
    the lengths of runs have to be known too, a list; that of their lines' size is not their own. Raises ValueError for
    other numbers of lines.
    """
    cdef Py_ssize_t line = 0, place, at, column, chars
    cdef double[SIZE + 1] looks
    cdef double size = 0
    cdef bint even = False, centred, hidden
    cdef list uneven = []
    cdef object last = None
    memset(looks, 0, sizeof(looks))
    for place in range(len(pieces)):
        if line + counts[place] > min(len(texts), piece.shape[0], block.shape[0], marks.shape[0]) or marks.shape[1] <= OF:
            raise ValueError("no room for the lines")
        own = pieces[place]
        style = of_style.of(own)
        centred, hidden = of_centred.of(scope_of.of(own)), of_hidden.of(own)
        if isinstance(style, list):
            write_looks(texts, line, line + counts[place], style, marks)
        else:
            if style is not last:
                read_style(style, looks)
                size, last = looks[SIZE], style
                even = size == NORMAL or (size <= EXACT and size == trunc(size))
            if not even and len(of_runs.of(own)) > 1:
                uneven.append(place)
            for at in range(line, line + counts[place]):
                if not even:
                    chars = shown(texts[at])
                    looks[SIZE] = chars * size / <double> (chars or 1)
                for column in range(SIZE + 1):
                    marks[at, column] = looks[column]
        for at in range(counts[place]):
            marks[line, CENTRED], marks[line, HIDDEN] = centred, hidden
            marks[line, HEADING], marks[line, AT], marks[line, OF] = 0, at, counts[place]
            piece[line], block[line] = place, of_block[place]
            line += 1
    return uneven


def headings_of_lines(
    list looks not None, const int64_t[::1] of_scope, const int64_t[::1] parent, const int64_t[::1] of_block,
    dict levels not None, int above, double[:, ::1] marks,
):
    """Write the levels of the heading elements around lines among their marks: those of their scopes or ``above`` them.

    ``looks``: a tag and names each, ``of_scope`` the look of each scope; ``of_block``: the scope of each line.
    """
    cdef bytearray room = bytearray(len(looks) + 1)
    cdef unsigned char *of_look = <unsigned char *> PyByteArray_AS_STRING(room)
    cdef Py_ssize_t place, scope
    cdef PyObject *level
    cdef int step
    cdef bint some = False
    for place in range(len(looks)):
        level = PyDict_GetItem(levels, (<tuple?> looks[place])[0])
        if level != NULL:
            of_look[place] = <object> level
            some = True
    if not some:
        return
    for place in range(of_block.shape[0]):
        scope = of_block[place]
        for step in range(above + 1):
            if of_look[of_scope[scope]]:
                marks[place, HEADING] = of_look[of_scope[scope]]
                break
            scope = parent[scope]


def looks_of_lines(list texts not None, Py_ssize_t begin, Py_ssize_t end, list styles not None, double[:, ::1] marks):
    """Write the looks of some lines, those of one piece, among the marks of all: see `scrapy_semtext.sectioning.lines`.

    ``styles``: of each run, how many characters it has and the six values of its Style. Raises ValueError for lines that
    there are not.
    """
    if not 0 <= begin <= end <= min(len(texts), marks.shape[0]) or marks.shape[1] <= SIZE:
        raise ValueError("no room for the lines")
    write_looks(texts, begin, end, styles, marks)


cdef int write_looks(
    list texts, Py_ssize_t begin, Py_ssize_t end, list styles, double[:, ::1] marks,
) except -1:
    cdef Py_ssize_t next_run = 0, left, chars, taken, count = 0, place
    cdef double[SIZE + 1] looks, sums
    cdef int column
    memset(looks, 0, sizeof(looks))
    for place in range(begin, end):
        left = chars = shown(texts[place])
        memset(sums, 0, sizeof(sums))
        while left:
            if not count:
                if next_run == len(styles):
                    break
                count, style = <tuple?> styles[next_run]
                read_style(style, looks)
                next_run += 1
                continue
            taken = min(count, left)
            for column in range(SIZE + 1):
                sums[column] += taken * looks[column]
            count, left = count - taken, left - taken
        for column in range(SIZE + 1):
            marks[place, column] = sums[column] / <double> (chars or 1)
    return 0


cdef int read_style(style, double *looks) except -1:
    """Set looks to what a Style says but for whether it is centred."""
    if not PyTuple_Check(style) or PyTuple_GET_SIZE(style) != 6:
        raise TypeError("a style has six values")
    looks[BOLD] = <bint> (<object> PyTuple_GET_ITEM(style, 0))
    looks[ITALIC] = <bint> (<object> PyTuple_GET_ITEM(style, 1))
    looks[UNDERLINED] = <bint> (<object> PyTuple_GET_ITEM(style, 2))
    looks[SIZE] = <object> PyTuple_GET_ITEM(style, 4)
    looks[LINK] = <bint> (<object> PyTuple_GET_ITEM(style, 5))
    return 0


cdef Py_ssize_t shown(str text) except -1:
    """The number of characters but for white space."""
    cdef Py_ssize_t found = 0
    cdef Py_UCS4 c
    for c in text:
        found += not kinds_of(c) & SPACE
    return found


def perhaps_numbered(list texts not None, frozenset beginnings not None):
    """The places of texts that are not plain, as `scrapy_semtext.sectioning.numbering` says; a list.

    ``beginnings``: those of the words that name a part of a document, all of one length, in small letters.
    """
    cdef char some[SIGNATURES]
    cdef Py_ssize_t place, size = 0
    cdef str text, word
    cdef list found = []
    memset(some, 0, SIGNATURES)
    for word in beginnings:
        size = len(word)
        some[signature(<Py_UCS4> word[0], <Py_UCS4> word[size - 1], size)] = 1
    for place in range(len(texts)):
        text = texts[place]
        if text and may_be_numbered(text, beginnings, some, size):
            found.append(place)
    return found


@cython.boundscheck(False)
cdef bint may_be_numbered(str text, frozenset beginnings, const char *some, Py_ssize_t size) except -1:
    cdef Py_ssize_t at, length = len(text)
    cdef Py_UCS4 c = text[0], last = 0
    if c >= 128 or not ascii_kinds[c] & LETTER:
        return c >= 128 or ascii_kinds[c] & DIGIT or c == u"("
    for at in range(min(size, length)):
        last = text[at]
        if last >= 128:
            return True
    if length >= size and ascii_kinds[last] & LETTER and some[signature(<long> c | 32, <long> last | 32, size)]:
        if text[:size].lower() in beginnings:
            return True
    at = 1
    while at < length and at < 7 and text[at] < 128 and ascii_kinds[text[at]] & LETTER:
        at += 1
    return at < length and (text[at] == u"." or text[at] == u")")


cdef class KnownNames:
    """Words of a to z with a number for each, and tags with theirs: what is looked for by `signs_of_looks`."""

    cdef uint64_t keys[NAMES]  # a hash table of words, 0 where there is none
    cdef int64_t signs[NAMES]
    cdef dict of_tag

    def __init__(self, dict known not None, dict of_tag not None):
        """Raises ValueError for a word that is too long or not of small letters, and for too many words."""
        cdef str word
        cdef uint64_t key, slot
        if len(known) > NAMES // 2:
            raise ValueError("too many words to be looked for")
        self.of_tag = of_tag
        for word, signs in known.items():
            if not 0 < len(word) <= NAME_LETTERS or not all("a" <= letter <= "z" for letter in word):
                raise ValueError("no word that can be looked for")
            key = 0
            for letter in word:
                key = key << 5 | <long> ord(letter) & 31
            slot = slot_of(key)
            while self.keys[slot]:
                slot = (slot + 1) % NAMES
            self.keys[slot], self.signs[slot] = key, signs

    cdef int64_t of_word(self, uint64_t key) noexcept:
        """The number of a word by its letters, five bits of each."""
        cdef uint64_t slot = slot_of(key)
        while self.keys[slot]:
            if self.keys[slot] == key:
                return self.signs[slot]
            slot = (slot + 1) % NAMES
        return 0


cdef inline uint64_t slot_of(uint64_t key) noexcept:
    return (key * SPREAD) >> 32 & (NAMES - 1)


def signs_of_looks(list looks not None, KnownNames known not None, otherwise, int64_t[::1] out):
    """Write what each pair of a tag and names says, as bits of one number: (looks,).

    That of the tag, and those of each word of a to z in the names. Words end where no letter is, and before a capital
    behind a small letter. ``otherwise`` is called with names that are not all ASCII, and gives their number. Raises
    ValueError for too small an ``out``.
    """
    cdef str tag, name
    cdef const uint8_t *data
    cdef uint8_t c, last = 0
    cdef uint64_t key
    cdef int64_t signs
    cdef Py_ssize_t place, at, size
    cdef PyObject *of_its_tag
    if out.shape[0] < len(looks):
        raise ValueError("no room for what is told of the looks")
    for place in range(len(looks)):
        tag, name = <tuple?> looks[place]
        of_its_tag = PyDict_GetItem(known.of_tag, tag)
        signs = 0 if of_its_tag == NULL else <int64_t> <object> of_its_tag
        if not PyUnicode_IS_ASCII(name):
            out[place] = signs | <int64_t> otherwise(name)
            continue
        data, key, size = <const uint8_t *> PyUnicode_DATA(name), 0, 0
        for at in range(len(name) + 1):  # the last is a NUL
            c = data[at]
            if size and (not ascii_kinds[c] & LETTER or (last >= u"a" and c < u"a")):
                if size <= NAME_LETTERS:
                    signs |= known.of_word(key)
                key = size = 0
            if ascii_kinds[c] & LETTER:
                key = key << 5 | c & 31
                last = c
                size += 1
        out[place] = signs


@cython.boundscheck(False)
def numbers_of_looks(
    list scopes not None, const int64_t[::1] of_block, const double[:, ::1] marks, const double[:, ::1] facts,
    const int64_t[::1] which, int64_t[::1] out,
):
    """Write a number for each line, the same for those that look alike, as `scrapy_semtext.sectioning.features` says.

    From 0 on without a gap, (lines,). ``scopes``: the elements, of which ``of_block`` has that of each line; ``facts``
    are those of the text of which ``which`` has the place.
    """
    cdef dict classes = {}, tags = {}, known = {}
    cdef bytearray room = bytearray(2 * len(scopes) * sizeof(int64_t))
    cdef int64_t *numbers = <int64_t *> PyByteArray_AS_STRING(room)  # of each scope for its class, from 1 on, and tag
    cdef Py_ssize_t line, place
    cdef long number, signs
    cdef int64_t packed, last = -1
    cdef double size
    for line in range(out.shape[0]):
        place = of_block[line]
        if not numbers[2 * place]:
            scope = scopes[place]
            numbers[2 * place] = classes.setdefault(of_classes.of(scope), len(classes) + 1)
            numbers[2 * place + 1] = tags.setdefault(of_tag.of(scope), len(tags))
        number = numbers[2 * place]
        if not marks[line, HEADING] > 0:
            number |= numbers[2 * place + 1] << CLASS_BITS
        signs = marks[line, BOLD] > MOST
        signs |= (marks[line, ITALIC] > MOST) << 1 | (marks[line, UNDERLINED] > MOST) << 2
        signs |= (marks[line, CENTRED] > 0) << 3 | (facts[which[line], CAPS] > 0) << 4 | <long> marks[line, HEADING] << 5
        size = rint(marks[line, SIZE])
        if number < 1 << 32 and 0 <= size < 1 << 20:
            packed = <int64_t> number << 28 | <int64_t> size << 8 | signs
            if packed == last:  # lines that follow each other mostly look alike
                out[line] = out[line - 1]
            else:
                out[line] = known.setdefault(packed, len(known))
            last = packed
        else:
            last = -1
            out[line] = known.setdefault((number, size, signs), len(known))


def features_of_lines(
    float[:, ::1] out, const double[:, ::1] facts, const int64_t[::1] which, const char[::1] follows,
    const double[:, ::1] marks, const int64_t[::1] looks, list scopes not None, layout, const int64_t[::1] signs_of_look,
    const int64_t[::1] shared, int tags, double core_share,
):
    """Write what `scrapy_semtext.sectioning.features` has of lines, of which there is one: (lines, FEATURES).

    ``facts``, (texts, 20), ``which`` and ``follows`` are those of `Texts`, ``marks`` those of `Lines`; ``looks`` is a
    number for each line from 0 on, the same for those that look alike. ``layout`` has the elements, ``scopes``, around
    them. ``signs_of_look`` says what their tags and names say, ``shared`` has the columns of what lines are told of
    their neighbours; ``tags`` is how many tags are told apart, ``core_share`` what the core holds of the prose.
    """
    cdef const int64_t[::1] of_block = layout.of_block, parent = layout.parent, depth = layout.depth
    cdef const int64_t[::1] first = layout.first, last = layout.last, of_scope = layout.looks.of_scope
    cdef Py_ssize_t count = out.shape[0], many = len(scopes), columns = out.shape[1], place
    cdef _Page page
    if columns != OWN + tags + PLACED + 4 * shared.shape[0] + BESIDE + 1:
        raise ValueError("no room for what is told of the lines")
    page.count, page.many, page.tags, page.core_share = count, many, tags, core_share
    page.of_block, page.parent, page.depth = &of_block[0], &parent[0], &depth[0]
    page.first, page.last, page.looks, page.which = &first[0], &last[0], &looks[0], &which[0]
    page.doubles = <double *> calloc(12 * count + 16, sizeof(double))
    page.places = <int64_t *> calloc(2 * count + 5 * many + facts.shape[0] + 8, sizeof(int64_t))
    try:
        if page.doubles == NULL or page.places == NULL:
            raise MemoryError
        page.children, page.signs = page.places, page.places + many
        page.around, page.levels, page.path = page.signs + many, page.signs + 2 * many, page.signs + 3 * many
        page.following, page.times = page.path + many, page.path + many + 2 * count
        page.words, page.log_chars, page.sums = page.doubles, page.doubles + count, page.doubles + 2 * count
        page.of_look = page.sums + 5 * (count + 1)
        page.sizes = page.of_look + 4 * count
        for place in range(many):
            page.children[place] = of_children.of(scopes[place])
            page.signs[place] = signs_of_look[of_scope[place]]
        look_around(&page)
        sum_up(&page, facts, marks)
        find_core(&page)
        find_like(&page, page.following + count)
        for place in range(count):
            write_own(&page, place, &out[place, 0], &facts[which[place], 0], &marks[place, 0], follows[place])
        write_places(&page, out, facts, marks, OWN + tags)
        for place in range(count):
            write_neighbours(&page, place, out, shared, OWN + tags + PLACED)
    finally:
        free(page.doubles)
        free(page.places)


cdef double logs_of_whole[LOGS]
for _code in range(LOGS):
    logs_of_whole[_code] = log1p(<double> _code)


cdef inline double log_of(double number) noexcept nogil:
    """log(1 + number); most numbers are whole and small."""
    if 0 <= number < LOGS and number == <int> number:
        return logs_of_whole[<int> number]
    return log1p(number)


cdef struct _Page:
    Py_ssize_t count, many, tags, core_first, core_last  # lines, scopes, tags told apart, lines of the core
    Py_ssize_t core  # its scope
    double core_share, prose, usual  # the words of running text, and the size of its text
    const int64_t *of_block
    const int64_t *parent
    const int64_t *depth
    const int64_t *first
    const int64_t *last
    const int64_t *looks
    const int64_t *which
    double *doubles  # all that follows
    double *words  # of each line, as are the logarithms
    double *log_chars
    double *sums  # five up to each line: words of running text, characters, those in links, lines, words
    double *of_look  # four of each look: lines; sums of words, of ends of sentences, of those before longer lines
    double *sizes  # of the lines of running text
    int64_t *places  # all that follows
    int64_t *children  # of each scope, as are the next four
    int64_t *signs
    int64_t *around
    int64_t *levels
    int64_t *path
    int64_t *following  # the next line that looks like each
    int64_t *times  # of each text


cdef void look_around(_Page *page) noexcept nogil:
    """Set, for each scope, how many around it have names and tags of the edge and the core of pages."""
    cdef Py_ssize_t scope
    cdef int64_t signs, own
    for scope in range(page.many):
        signs = page.signs[scope]
        own = (signs & EDGE != 0) | <int64_t> (signs & CORE_NAME != 0) << FIELD
        own |= <int64_t> (signs & EDGE_TAG != 0) << 2 * FIELD
        page.around[scope] = own + (page.around[page.parent[scope]] if scope else 0)


@cython.boundscheck(False)
cdef void sum_up(_Page *page, const double[:, ::1] facts, const double[:, ::1] marks) noexcept nogil:
    """Set all that is counted over lines."""
    cdef Py_ssize_t line, count = page.count, many_sizes = 0
    cdef const double *told
    cdef double *sums
    cdef double *look
    cdef double link
    cdef bint prose
    for line in range(count):
        told = &facts[page.which[line], 0]
        page.words[line] = told[1]
        page.log_chars[line] = log_of(told[0])
        page.times[page.which[line]] += 1
    for line in range(count):
        told = &facts[page.which[line], 0]
        link = marks[line, LINK]
        prose = told[2] > 0 and told[1] >= PROSE_WORDS
        if prose:
            page.sizes[many_sizes] = marks[line, SIZE]
            many_sizes += 1
        sums = page.sums + 5 * line
        sums[5] = sums[0] + (told[1] if prose and link < 0.5 else 0)
        sums[6] = sums[1] + told[0]
        sums[7] = sums[2] + told[0] * link
        sums[8] = sums[3] + 1
        sums[9] = sums[4] + told[1]
        look = page.of_look + 4 * page.looks[line]
        look[0] += 1
        look[1] += told[1]
        look[2] += told[2] > 0
        if line + 1 < count and page.looks[line + 1] != page.looks[line]:
            look[3] += page.words[line + 1] > 2 * page.words[line]
    qsort(page.sizes, many_sizes, sizeof(double), rising)
    page.usual = page.sizes[many_sizes // 2] if many_sizes else NORMAL
    if page.usual == 0:
        page.usual = NORMAL


cdef int rising(const void *one, const void *two) noexcept nogil:
    cdef double x = (<const double *> one)[0], y = (<const double *> two)[0]
    return (x > y) - (x < y)


cdef inline double held(_Page *page, Py_ssize_t scope, int which) noexcept nogil:
    """What the lines inside a scope come to."""
    return page.sums[5 * page.last[scope] + which] - page.sums[5 * page.first[scope] + which]


cdef void find_core(_Page *page) noexcept nogil:
    """Set the core, the levels of each scope from it, and the lines from the first to the last inside."""
    cdef Py_ssize_t scope, line, core = 0
    cdef int64_t deepest = -1
    page.prose = held(page, 0, 0)
    if page.prose == 0:
        page.prose = 1
    for scope in range(page.many):
        if page.depth[scope] > deepest and held(page, scope, 0) >= page.core_share * page.prose:
            core, deepest = scope, page.depth[scope]
    page.core = core
    scope = core
    while scope:
        page.path[scope] = 1
        scope = page.parent[scope]
    page.path[0] = 1
    for scope in range(page.many):  # first the levels from the path to the core, which the inner ones need
        page.levels[scope] = 0 if page.path[scope] else page.levels[page.parent[scope]] + 1
    page.core_first = -1
    for line in range(page.count):
        if in_core(page, page.of_block[line]):
            if page.core_first < 0:
                page.core_first = line
            page.core_last = line
    if page.core_first < 0:
        page.core_first, page.core_last = 0, page.count - 1


cdef inline bint in_core(_Page *page, Py_ssize_t scope) noexcept nogil:
    return (
        page.first[scope] >= page.first[page.core] and page.last[scope] <= page.last[page.core]
        and page.depth[scope] >= page.depth[page.core]
    )


cdef void write_own(
    _Page *page, Py_ssize_t line, float *row, const double *told, const double *marks, bint follows
) noexcept nogil:
    """Write what a line's own text, looks and element say."""
    cdef Py_ssize_t scope = page.of_block[line], above = page.parent[scope], column
    cdef int64_t signs = page.signs[scope], around = page.around[scope], title = signs
    cdef int level = 0, listed = 0
    cdef bint is_root = page.depth[scope] == 0
    for column in range(FACTS):
        row[column] = <float> told[column]
    row[0], row[1] = <float> page.log_chars[line], <float> log_of(told[1])
    row[4], row[5] = <float> log_of(told[4]), <float> log_of(told[5])
    row[FACTS] = follows
    row += FACTS + 1
    for column in range(HEADING + 1):
        row[column] = <float> marks[column]
    row[SIZE] = <float> (marks[SIZE] / NORMAL)
    row += HEADING + 1
    for column in range(page.tags):
        row[column] = signs >> SIGNS == column + 1
    row += page.tags
    if not is_root and page.children[above] == 1:
        title |= page.signs[above]
    row[0], row[1] = title & TITLE != 0, title & SMALL_PRINT != 0
    for column in range(3):
        row[2 + column] = <float> (around >> (FIELD * column) & ((1 << FIELD) - 1))
    while level <= LIST_LEVELS:
        listed += page.signs[scope] & LIST != 0
        if page.depth[scope] == 0:
            break
        scope = page.parent[scope]
        level += 1
    scope = page.of_block[line]
    row[5] = listed
    row[6] = <float> (page.depth[scope] / 10.0)
    row[7] = <float> marks[AT]
    row[8] = <float> min(marks[OF], 20.0)
    row[9] = marks[OF] == 1 and page.children[scope] == 0


@cython.boundscheck(False)
cdef void write_places(
    _Page *page, float[:, ::1] out, const double[:, ::1] facts, const double[:, ::1] marks, Py_ssize_t column
) noexcept nogil:
    """Write where the lines stand in the page, and what is said of those that look alike."""
    cdef Py_ssize_t line, scope, one, two, count = page.count
    cdef double span = page.core_last - page.core_first + 1, log_count = log_of(<double> count)
    cdef double before, behind
    cdef const double *look
    cdef float *row
    for line in range(count):
        row = &out[line, column]
        scope = page.of_block[line]
        one = page.parent[scope]
        two = page.parent[one]
        look = page.of_look + 4 * page.looks[line]
        row[0] = <float> (line / <double> count)
        row[1] = <float> log_count
        row[2] = <float> log_of(look[0])
        row[3] = <float> log_of(look[1] / look[0])
        row[4], row[5] = <float> (look[2] / look[0]), <float> (look[3] / look[0])
        row[6] = <float> log_of(<double> page.times[page.which[line]])
        row[7] = <float> (held(page, one, 0) / page.prose)
        row[8] = <float> (held(page, two, 0) / page.prose)
        row[9] = <float> (held(page, page.parent[two], 0) / page.prose)
        row[10] = <float> (held(page, one, 2) / held(page, one, 1))
        row[11] = <float> (held(page, two, 2) / held(page, two, 1))
        row[12] = <float> log_of(held(page, one, 3))
        row[13] = in_core(page, scope)
        row[14] = 0 if row[13] else <float> min(max(page.levels[scope], 1), 10)
        row[15] = line < page.core_first
        row[16] = <float> max(min((line - page.core_first) / span, 2.0), -1.0)
        row[17] = <float> (marks[line, SIZE] / page.usual)
        before = page.depth[page.of_block[line - 1]] if line else 0
        behind = page.depth[page.of_block[line + 1]] if line + 1 < count else 0
        row[18] = <float> max(min(page.depth[scope] - before, 9.0), -9.0)
        row[19] = <float> max(min(behind - page.depth[scope], 9.0), -9.0)


cdef void find_like(_Page *page, int64_t *latest) noexcept nogil:
    """Set the line behind each that looks like it, or the end; ``latest`` is room for a number for each line."""
    cdef Py_ssize_t line
    for line in range(page.count):
        latest[line] = page.count
    for line in range(page.count - 1, -1, -1):
        page.following[line] = latest[page.looks[line]]
        latest[page.looks[line]] = line


@cython.boundscheck(False)
cdef void write_neighbours(
    _Page *page, Py_ssize_t line, float[:, ::1] out, const int64_t[::1] shared, Py_ssize_t column
) noexcept nogil:
    """Write what a line is told of those around it, and of the next like it."""
    cdef float *row = &out[line, column]
    cdef Py_ssize_t at, place, offset
    for offset in OFFSETS:
        at = line + offset
        for place in range(shared.shape[0]):
            row[place] = out[at, shared[place]] if 0 <= at < page.count else -1
        row += shared.shape[0]
    compare(page, line, line - 1, row)
    compare(page, line, line + 1, row + BESIDE // 2)
    row[BESIDE] = <float> log_of(page.sums[5 * page.following[line] + 4] - page.sums[5 * (line + 1) + 4])


cdef void compare(_Page *page, Py_ssize_t line, Py_ssize_t other, float *row) noexcept nogil:
    """Write how a line compares with another next to it."""
    cdef Py_ssize_t scope = page.of_block[line], beside
    if not 0 <= other < page.count:
        row[0] = row[1] = row[2] = row[3] = -1
        return
    beside = page.of_block[other]
    row[0] = <float> (page.log_chars[other] - page.log_chars[line])
    row[1] = scope == beside
    row[2] = page.looks[line] == page.looks[other]
    row[3] = (page.depth[scope] == 0) == (page.depth[beside] == 0) and page.parent[scope] == page.parent[beside]

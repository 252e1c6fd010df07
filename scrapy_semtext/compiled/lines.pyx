# cython: language_level=3, wraparound=False, initializedcheck=False
"""What the texts of lines say by themselves, how they look, and what the elements around them say.

The kinds of characters are those of Python's own tables, which patterns and methods of strings go by too.
"""

from cpython.unicode cimport (
    Py_UNICODE_ISALNUM, Py_UNICODE_ISALPHA, Py_UNICODE_ISDECIMAL, Py_UNICODE_ISLOWER, Py_UNICODE_ISSPACE,
    Py_UNICODE_ISTITLE, Py_UNICODE_ISUPPER,
)
from libc.math cimport NAN
from libc.stdint cimport int64_t
from libc.string cimport memset

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

# Kinds of characters, as bits.
cdef enum:
    WORD = 1
    SPACE = 2
    DIGIT = 4
    LETTER = 8
    CAPITAL = 16
    SMALL = 32

cdef unsigned char ascii_kinds[128]


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


for _code in range(128):
    ascii_kinds[_code] = told(_code)


cdef inline int kinds_of(Py_UCS4 c) noexcept:
    return ascii_kinds[c] if c < 128 else told(c)


def facts_of_texts(list texts not None, frozenset title not None, double[:, ::1] out):
    """Write what `scrapy_semtext.sectioning.texts` tells of texts before it looks for numbers: (texts, 14 or more).

    ``title`` are the words of the page's title, in small letters. The column of years says where one is to be looked
    for. Raises IndexError for a text without a character, and ValueError for too small an ``out``.
    """
    cdef char known[SIGNATURES]
    cdef Py_ssize_t at
    cdef str text, looked, word
    if out.shape[0] < len(texts) or out.shape[1] < COLUMNS:
        raise ValueError("no room for what is told of the texts")
    memset(known, 0, SIGNATURES)
    for word in title:
        if word:
            known[signature(<Py_UCS4> word[0], <Py_UCS4> word[len(word) - 1], len(word))] = 1
    for at in range(len(texts)):
        text = texts[at]
        if not text:
            raise IndexError("a line without text")
        looked = text if len(text) <= LOOK else text[:LOOK]
        count(text, looked, &out[at, 0])
        out[at, 2] = ends_sentence(text)
        out[at, 3] = leads_on(text)
        out[at, 12] = share_of(looked.lower(), title, known) if title else 0.0
        out[at, 13] = text[0] in u"•·●○■□▪▫◆◇►▸➢➤✓✔✪★☆*–—-" and len(text) > 1 and kinds_of(text[1]) & SPACE != 0


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


cdef bint ends_sentence(str text):
    cdef Py_ssize_t end = len(text), begin = max(end - END_LOOK, 0), at
    end -= text[end - 1] == u"\n"
    if end - begin > 2 and text[end - 1] == u"]":  # perhaps a footnote
        at = end - 2
        while at > begin and kinds_of(text[at]) & DIGIT:
            at -= 1
        if at < end - 2 and text[at] == u"[":
            end = at
    while end > begin and text[end - 1] in u"'\"“”‘’«»)]】」":
        end -= 1
    return end > begin and text[end - 1] in u".!?。！？…"


cdef bint leads_on(str text):
    cdef Py_ssize_t end = len(text), begin = max(end - LEAD_LOOK, 0)
    while end > begin and kinds_of(text[end - 1]) & SPACE:
        end -= 1
    return end > begin and text[end - 1] in u":："


cdef inline Py_ssize_t signature(long first, long last, long length) noexcept:
    """A number that is the same for equal words; most others have another."""
    return (first ^ (last << 3) ^ (length << 6)) & (SIGNATURES - 1)


cdef double share_of(str text, frozenset title, const char *known) except -1:
    """Of the words of letters, digits and "_" in a text, the share that ``title`` holds too."""
    cdef Py_ssize_t at = 0, size = 0, words = 0, found = 0
    cdef Py_UCS4 c, first = 0, last = 0
    for c in text:
        if kinds_of(c) & WORD:
            if not size:
                first = c
            last = c
            size += 1
        elif size:
            words += 1
            found += known[signature(first, last, size)] and text[at - size:at] in title
            size = 0
        at += 1
    if size:
        words += 1
        found += known[signature(first, last, size)] and text[at - size:at] in title
    return found / <double> (words or 1)


def looks_of_lines(list lines not None, list styles not None):
    """The looks of the lines of one piece, as `scrapy_semtext.sectioning.lines` says; a list of tuples of five floats.

    ``styles``: of each run, how many characters it has and the six values of its Style.
    """
    cdef Py_ssize_t next_run = 0, left, chars, taken, count = 0, bold, italic, underlined, link
    cdef bint is_bold = False, is_italic = False, is_underlined = False, is_link = False
    cdef double size, pixels = 0, whole
    cdef list found = []
    cdef str line
    for line in lines:
        left = chars = shown(line)
        bold = italic = underlined = link = 0
        size = 0
        while left:
            if not count:
                if next_run == len(styles):
                    break
                count, style = styles[next_run]
                is_bold, is_italic, is_underlined, _, pixels, is_link = style
                next_run += 1
                continue
            taken = min(count, left)
            bold += taken * is_bold
            italic += taken * is_italic
            underlined += taken * is_underlined
            link += taken * is_link
            size += taken * pixels
            count, left = count - taken, left - taken
        whole = <double> (chars or 1)
        found.append((bold / whole, italic / whole, underlined / whole, link / whole, size / whole))
    return found


cdef Py_ssize_t shown(str text) except -1:
    """The number of characters but for white space."""
    cdef Py_ssize_t found = 0
    cdef Py_UCS4 c
    for c in text:
        found += not kinds_of(c) & SPACE
    return found


def signs_of_looks(list looks not None, dict known not None, dict of_tag not None, otherwise, int64_t[::1] out):
    """Write what each pair of a tag and names says, as bits of one number: (looks,).

    Those of ``of_tag``, and those of ``known`` for each word of a to z in the names. Words end where no letter is, and
    before a capital behind a small letter. ``otherwise`` is called with names that are not all ASCII, and gives their
    number. Raises ValueError for too small an ``out``.
    """
    cdef char some[SIGNATURES]
    cdef str name, word
    cdef long signs, first = 0, last = 0
    cdef Py_ssize_t place, at, size
    cdef Py_UCS4 c
    if out.shape[0] < len(looks):
        raise ValueError("no room for what is told of the looks")
    memset(some, 0, SIGNATURES)
    for word in known:  # none of them is empty
        some[signature(<Py_UCS4> word[0], <Py_UCS4> word[len(word) - 1], len(word))] = 1
    for place in range(len(looks)):
        tag, name = looks[place]
        signs = of_tag.get(tag, 0)
        if not name.isascii():
            out[place] = signs | <long> otherwise(name)
            continue
        at = size = 0
        for c in name:
            if size and (not ascii_kinds[c] & LETTER or (last >= u"a" and c < u"a")):
                if some[signature(first | 32, last | 32, size)]:
                    signs |= <long> known.get(name[at - size:at].lower(), 0)
                size = 0
            if ascii_kinds[c] & LETTER:
                if not size:
                    first = c
                last = c
                size += 1
            at += 1
        if size and some[signature(first | 32, last | 32, size)]:
            signs |= <long> known.get(name[at - size:].lower(), 0)
        out[place] = signs

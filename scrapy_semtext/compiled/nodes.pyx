# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Loops over the blocks and the nodes of a page (`scrapy_semtext.questions.nodes`), in time linear in the page.

Lists and arrays must be of the lengths that are said, and numbers of nodes in range; who calls made them.
"""

from cpython.object cimport PyObject, PyObject_Hash
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE
from cpython.unicode cimport PyUnicode_DATA, PyUnicode_GET_LENGTH, PyUnicode_KIND, PyUnicode_READ, PyUnicode_READ_CHAR
from libc.math cimport INFINITY, fmax, fmin, sqrt
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, qsort
from libc.string cimport memchr, memset

cdef extern from "Python.h":
    bint Py_UNICODE_ISALNUM(Py_UCS4) nogil
    bint Py_UNICODE_ISDECIMAL(Py_UCS4) nogil

# What `questions.nodes` and `questions.cues` say.
cdef enum:
    CHARS, LINKS, BLOCKS, DATES, NUMBERS, TINY, SENTENCES, QUESTIONS, LONG, HIDDEN, PROSE, COLUMNS
cdef enum:
    MOST_TINY = 25
    MOST_NUMBER = 12
    LEAST_PROSE = 60
    MOST_SHORT = 120
    LOOK = 400
    MOST_DIGITS = 6
    MOST_CLOSING = 3
    MET_BITS = 10


def sums_of_blocks(list texts, list links, list hidden, list dated, double[:, ::1] out):
    """Write the running sums of the columns of `PageNodes.sums`, (blocks + 1, 11), of which all are whole numbers.

    Of each block ``links``: the characters in links; ``hidden``: whether it is hidden; ``dated``: whether it counts as
    a date. Raises TypeError if a text is none.
    """
    cdef Py_ssize_t blocks = len(texts), block, column, chars, inside, sentences
    cdef bint asks
    cdef str text
    out[0, :] = 0
    for block in range(blocks):
        text = texts[block]
        if text is None:
            raise TypeError("a text is None")
        chars, inside = PyUnicode_GET_LENGTH(text), links[block]
        sentences = _ends(text, &asks)
        for column in range(COLUMNS):
            out[block + 1, column] = out[block, column]
        out[block + 1, CHARS] += chars
        out[block + 1, LINKS] += inside
        out[block + 1, BLOCKS] += 1
        out[block + 1, DATES] += <bint> dated[block]
        out[block + 1, NUMBERS] += _is_number(text)
        out[block + 1, TINY] += chars <= MOST_TINY
        out[block + 1, SENTENCES] += sentences
        out[block + 1, QUESTIONS] += asks
        out[block + 1, LONG] += chars > MOST_SHORT
        out[block + 1, HIDDEN] += <bint> hidden[block]
        if chars >= LEAST_PROSE and inside < 0.3 * chars:
            out[block + 1, PROSE] += chars - inside


def asking(list texts):
    """Return, for each text, whether a line of it ends in a question mark, as `faq_text.asks` tells.

    And the places of those of which `faq_text.may_be_marked` tells that they have, or may begin with, the mark of a
    question. Raises TypeError if a text is none.
    """
    cdef str text
    cdef bint is_marked
    cdef Py_ssize_t at
    cdef list found = [], marked = []
    for at in range(len(texts)):
        text = texts[at]
        if text is None:
            raise TypeError("a text is None")
        found.append(_asks(text, &is_marked))
        if is_marked or (PyUnicode_GET_LENGTH(text) and _may_begin(PyUnicode_READ_CHAR(text, 0))):
            marked.append(at)
    return found, marked


cdef bint _may_begin(Py_UCS4 sign) noexcept:
    """Whether the mark of a question may begin with a sign: none of `faq_text.NO_PREFIX` does."""
    return sign < 33 or sign > 126 or sign in u"qfpdvkQFPDVK"


def united(list several):
    """Return the set of all words of several tuples, which share most of them as objects: each is met but once."""
    cdef PyObject *met[1 << MET_BITS]  # what was met last; ``several`` keeps it alive
    cdef PyObject *word
    cdef size_t slot
    cdef Py_ssize_t at
    cdef tuple words
    cdef set found = set()
    memset(met, 0, sizeof(met))
    for words in several:
        for at in range(PyTuple_GET_SIZE(words)):
            word = PyTuple_GET_ITEM(words, at)
            slot = (<uint64_t> <size_t> word * <uint64_t> 0x9E3779B97F4A7C15) >> (64 - MET_BITS)
            if met[slot] != word:
                found.add(<object> word)
                met[slot] = word
    return frozenset(found)


cdef struct _Weight:
    PyObject *word  # NULL where there is none
    Py_hash_t hash
    double weight


cdef class Weights:
    """Weights of words, cut off beyond a clip, in a table of their own: most of a look-up is waiting for memory."""

    cdef _Weight *table  # at most half full
    cdef size_t mask
    cdef Py_ssize_t fewest, most
    cdef list words  # keeps those in the table alive

    def __cinit__(self, weights, double clip, Py_ssize_t fewest, Py_ssize_t most):
        """``weights``: a mapping; ``fewest``, ``most``: of how many of the greatest to tell the mean."""
        cdef size_t at
        cdef _Weight new
        self.mask, self.fewest, self.most, self.words = 1, fewest, most, list(weights)
        while self.mask < 2 * <size_t> len(self.words):
            self.mask = 2 * self.mask + 1
        self.table = <_Weight *> calloc(self.mask + 1, sizeof(_Weight))
        if self.table == NULL:
            raise MemoryError
        for word in self.words:
            new.word, new.hash, new.weight = <PyObject *> word, PyObject_Hash(word), weights[word]
            new.weight = fmin(fmax(new.weight, -clip), clip)
            at = <size_t> new.hash & self.mask
            while self.table[at].word != NULL:
                at = (at + 1) & self.mask
            self.table[at] = new

    def __dealloc__(self):
        free(self.table)

    def weighed(self, frozenset words):
        """What `page_words.weighed` gives for words, as a list."""
        cdef Py_ssize_t at, known = 0
        cdef double total = 0, few = 0, many = 0
        cdef double *found = <double *> malloc((len(words) + 1) * sizeof(double))
        cdef const _Weight *weight
        if found == NULL:
            raise MemoryError
        try:
            for word in words:
                weight = self.look_up(word)
                if weight != NULL:
                    found[known] = weight.weight
                    known += 1
            qsort(found, known, sizeof(double), _falling)
            for at in range(known):
                total += found[at]
                if at < self.fewest:
                    few += found[at]
                if at < self.most:
                    many += found[at]
        finally:
            free(found)
        if not known:
            return [0.0, 0.0, 0.0]
        return [total / sqrt(known), few / min(self.fewest, known), many / min(self.most, known)]

    cdef const _Weight *look_up(self, str word) except? NULL:
        cdef Py_hash_t hash = PyObject_Hash(word)
        cdef size_t at = <size_t> hash & self.mask
        while self.table[at].word != NULL:
            if self.table[at].hash == hash and (
                self.table[at].word == <PyObject *> word or <str> self.table[at].word == word
            ):
                return &self.table[at]
            at = (at + 1) & self.mask
        return NULL


cdef int _falling(const void *one, const void *other) noexcept nogil:
    cdef double left = (<const double *> one)[0], right = (<const double *> other)[0]
    return (left < right) - (left > right)


def disjoint(list members, const int64_t[::1] first, const int64_t[::1] last, Py_ssize_t most):
    """Return those of the members, numbers in page order, that are not inside one before; a tuple of at most ``most``.

    ``first``, ``last``: the range of blocks of each number.
    """
    cdef Py_ssize_t at
    cdef int64_t covered = 0
    cdef list found = []
    for member in members:
        at = member
        if first[at] >= covered and len(found) < most:
            found.append(member)
            covered = last[at]
    return tuple(found)


def best_disjoint(
    const double[:, ::1] values, const int64_t[::1] parent, const int64_t[::1] first, const int64_t[::1] last,
    double[:, ::1] inner,
):
    """Return the nodes of `candidates.best_disjoint` for each column of ``values``, (nodes, columns), as a list.

    ``inner``: zeros, (nodes, columns), becomes the best sums below each node.
    """
    cdef Py_ssize_t node, column, nodes = values.shape[0], columns = values.shape[1]
    cdef int64_t above, covered
    cdef list found, every = []
    for node in range(nodes - 1, 0, -1):
        above = parent[node]
        for column in range(columns):
            inner[above, column] += max(values[node, column], inner[node, column])
    for column in range(columns):
        found, covered = [], 0
        for node in range(nodes):
            if first[node] >= covered and values[node, column] > 0 and values[node, column] >= inner[node, column]:
                found.append(node)
                covered = last[node]
        every.append(tuple(found))
    return every


def smoothed(const int64_t[::1] groups, const double[::1] scores, double[::1] out):
    """Write the scores of `candidates.smoothed`; (nodes,), as are the ``groups``, from 0 on. Raises MemoryError."""
    cdef Py_ssize_t node, count = groups.shape[0]
    cdef double *sums = <double *> calloc(2 * count + 1, sizeof(double))
    if sums == NULL:
        raise MemoryError
    _sum_up(groups, scores, sums, sums + count)
    for node in range(count):
        out[node] = (scores[node] + sums[groups[node]] / sums[count + groups[node]]) / 2
    free(sums)


def against_means(const int64_t[::1] groups, const double[::1] scores, double[::1] out):
    """Write the mean score of each group with its sign changed, infinity for a group of one; return how many they are.

    ``groups``: (nodes,), numbers from 0 on, each of which comes; there is room for as many as nodes. Raises MemoryError.
    """
    cdef Py_ssize_t group, known = 0, count = groups.shape[0]
    cdef double *sums = <double *> calloc(2 * count + 1, sizeof(double))
    cdef double *sizes = sums + count
    if sums == NULL:
        raise MemoryError
    _sum_up(groups, scores, sums, sizes)
    while known < count and sizes[known]:
        out[known] = -(sums[known] / sizes[known]) if sizes[known] > 1 else INFINITY
        known += 1
    free(sums)
    return known


cdef void _sum_up(const int64_t[::1] groups, const double[::1] scores, double *sums, double *sizes) noexcept:
    """Add up the scores of groups, in their order, and count their nodes."""
    cdef Py_ssize_t node
    for node in range(groups.shape[0]):
        sums[groups[node]] += scores[node]
        sizes[groups[node]] += 1


def openers(const double[::1] smooth, const int64_t[::1] last, double lowest, int64_t[::1] out):
    """Write what `candidates._openers` gives, (blocks + 1,); ``smooth`` and ``last`` are of the nodes."""
    cdef Py_ssize_t node, block
    cdef int64_t before, here
    out[:] = -1
    for node in range(smooth.shape[0]):
        here = out[last[node]]
        if here < 0 or smooth[node] > smooth[here]:
            out[last[node]] = node
    for block in range(1, out.shape[0]):
        before, here = out[block - 1], out[block]
        if before >= 0 and (
            here < 0 or smooth[before] > smooth[here] or (smooth[before] == smooth[here] and before < here)
        ):
            out[block] = before
    for block in range(out.shape[0]):
        if out[block] >= 0 and not smooth[out[block]] > lowest:
            out[block] = -1


def of_groups(
    const int64_t[::1] chosen, const int64_t[::1] groups, const double[::1] scores, double never,
    const int64_t[::1] first, const int64_t[::1] last, const int64_t[::1] openers,
):
    """Return what `candidates._of_groups` gives for the ``chosen`` groups, as a list.

    Of the nodes, ``groups``, ``scores``, ``first`` and ``last``, those count whose score is more than ``never``;
    ``openers``: those of each block. Raises MemoryError.
    """
    cdef Py_ssize_t at, count = groups.shape[0]
    cdef int64_t node, opener, covered
    cdef int64_t *head = <int64_t *> calloc(2 * count + 1, sizeof(int64_t))  # of each group, from 1 on
    cdef int64_t *following = head + count  # the next node of the same group, from 1 on
    cdef list found, every = []
    if head == NULL:
        raise MemoryError
    try:
        for node in range(count - 1, -1, -1):
            if scores[node] > never:
                following[node], head[groups[node]] = head[groups[node]], node + 1
        for at in range(chosen.shape[0]):
            found, covered, node = [], 0, head[chosen[at]] - 1
            opener = openers[first[node]] if node >= 0 else -1
            while node >= 0:
                if first[node] >= covered:
                    found.append(node)
                    covered = last[node]
                node = following[node] - 1
            if found:
                every.append(tuple(found))
            if opener >= 0:
                every.append((opener, *found))
    finally:
        free(head)
    return every


def short_heads(
    list texts, list asking, const int64_t[::1] first, const int64_t[::1] last, const int64_t[::1] innermost,
    Py_ssize_t shortest, Py_ssize_t longest, Py_ssize_t most, int64_t[:, ::1] out, uint8_t[::1] asks,
):
    """Write the heads of `faq_groups._short_heads`: their nodes, first and last blocks, (3, heads), and whether they ask.

    ``texts``, ``asking`` and ``innermost`` are of the blocks, ``first`` and ``last`` of the nodes; characters and blocks
    of a head are those at least and at most. There is room for as many heads as nodes and blocks; returns how many
    there are. Raises MemoryError, and TypeError if a text is none.
    """
    cdef Py_ssize_t nodes = first.shape[0], blocks = len(texts), node, block, at, count = 0
    cdef int64_t *chars = <int64_t *> calloc(2 * (blocks + 1), sizeof(int64_t))  # running sums of the characters
    cdef int64_t *asked = chars + blocks + 1  # and of the blocks that ask
    cdef str text
    if chars == NULL:
        raise MemoryError
    try:
        for block in range(blocks):
            text = texts[block]
            chars[block + 1] = chars[block] + len(text)
            asked[block + 1] = asked[block] + <bint> asking[block]
        for node in range(nodes):
            if last[node] - first[node] <= most and shortest <= chars[last[node]] - chars[first[node]] <= longest:
                # nodes around the same blocks follow each other, from the outside in
                if count and first[node] == out[1, count - 1] and last[node] == out[2, count - 1]:
                    count -= 1
                out[0, count], out[1, count], out[2, count] = node, first[node], last[node]
                count += 1
        for block in range(blocks):
            node = innermost[block]
            if last[node] - first[node] > 1 and shortest <= chars[block + 1] - chars[block] <= longest:
                out[0, count], out[1, count], out[2, count] = node, block, block + 1
                count += 1
        for at in range(count):
            asks[at] = asked[out[2, at]] > asked[out[1, at]]
    finally:
        free(chars)
    return count


def alike(
    const int64_t[::1] kind, const int64_t[::1] node, const uint8_t[::1] whole, const uint8_t[::1] asks,
    Py_ssize_t least, int64_t[::1] room,
):
    """Return the numbers of heads of one kind, each as a tuple, where ``least`` of them ask.

    ``kind``: of each node, from 0 on; ``node``, ``whole``, ``asks``: (heads,), heads being alike whose nodes are of one
    kind and that are both whole, or both not. ``room``: zeros, two for each kind there may be.
    """
    cdef Py_ssize_t head, at, group
    cdef list groups = []
    for head in range(node.shape[0]):
        room[2 * kind[node[head]] + whole[head]] += asks[head]
    for at in range(room.shape[0]):
        if room[at] >= least:
            groups.append([])
            room[at] = len(groups)
        else:
            room[at] = 0
    if groups:
        for head in range(node.shape[0]):
            group = room[2 * kind[node[head]] + whole[head]]
            if group:
                (<list> groups[group - 1]).append(head)
    return [tuple(members) for members in groups]


cdef Py_ssize_t _ends(str text, bint *asks):
    """How many signs end sentences at the beginning of a text; tells whether there is a question mark, too."""
    cdef int kind = PyUnicode_KIND(text)
    cdef const void *data = PyUnicode_DATA(text)
    cdef Py_ssize_t at, length = min(PyUnicode_GET_LENGTH(text), <Py_ssize_t> LOOK), ends = 0, marks = 0, others = 0
    cdef const unsigned char *narrow = <const unsigned char *> data
    cdef Py_UCS4 sign
    if kind == 1:
        for at in range(length):
            ends += narrow[at] == c"." or narrow[at] == c"!"
            marks += narrow[at] == c"?"
    else:
        for at in range(length):
            sign = PyUnicode_READ(kind, data, at)
            ends += sign in u".!…。！"
            marks += sign in u"?？"
            others += sign == u"؟"
    asks[0] = marks + others > 0
    return ends + marks


cdef bint _is_number(str text):
    """Whether all of a short text is the number of a post, as `cues.POST_NUMBER` tells."""
    cdef Py_ssize_t at = 0, digits = 0, length = PyUnicode_GET_LENGTH(text)
    if not 0 < length <= MOST_NUMBER:
        return False
    if PyUnicode_READ_CHAR(text, at) == u"#":
        at += 1
    if at < length and PyUnicode_READ_CHAR(text, at) == u" ":
        at += 1
    while at < length and Py_UNICODE_ISDECIMAL(PyUnicode_READ_CHAR(text, at)):
        at += 1
        digits += 1
    if at < length and PyUnicode_READ_CHAR(text, at) == u".":
        at += 1
    return at == length and 0 < digits <= MOST_DIGITS


cdef bint _asks(str text, bint *is_marked):
    """Whether a line of a text ends in a question mark; tells whether there is one at all, but for the Greek, too."""
    cdef int kind = PyUnicode_KIND(text)
    cdef const void *data = PyUnicode_DATA(text)
    cdef Py_ssize_t at, length = PyUnicode_GET_LENGTH(text)
    cdef bint asks = False
    cdef Py_UCS4 sign
    is_marked[0] = False
    if kind == 1 and memchr(data, c"?", length) == NULL:
        return False
    for at in range(length):
        sign = PyUnicode_READ(kind, data, at)
        if sign == u"?" or sign in u"？؟\u037e":
            is_marked[0] |= sign != u"\u037e"
            asks = asks or _ends_line(kind, data, at + 1, length)
            if asks and is_marked[0]:
                break
    return asks


cdef bint _ends_line(int kind, const void *data, Py_ssize_t at, Py_ssize_t length):
    """Whether nothing but up to three signs that are in no word stands between here and the end of the line."""
    cdef Py_ssize_t closing
    cdef Py_UCS4 sign
    for closing in range(MOST_CLOSING + 1):
        if at + closing == length:
            return True
        sign = PyUnicode_READ(kind, data, at + closing)
        if sign == u"\n":
            return True
        if sign == u"_" or Py_UNICODE_ISALNUM(sign):
            return False
    return False

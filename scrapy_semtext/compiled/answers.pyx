# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Lists of questions: where their answers stand (`scrapy_semtext.questions.faq`), what they are like (`faq_features`).

Lists must be of the lengths that are said, and numbers of nodes and blocks in range; who calls made them.
"""

from cpython.tuple cimport PyTuple_GET_ITEM
from cpython.unicode cimport PyUnicode_GET_LENGTH, PyUnicode_READ_CHAR
from libc.math cimport log1p, sqrt
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc

cdef extern from "Python.h":
    bint Py_UNICODE_ISLOWER(Py_UCS4) nogil
    bint Py_UNICODE_ISUPPER(Py_UCS4) nogil

# What `questions.nodes` says.
cdef enum:
    CHARS, LINKS, BLOCKS, DATES, NUMBERS, TINY, SENTENCES, QUESTIONS, LONG, HIDDEN, PROSE, COLUMNS


# --- where answers stand ---------------------------------------------------------------------------------------------

def answers_of(
    list heads, list places, list levels, bint after, double share, list firsts, list lasts, list parents,
    list own_headings, list block_headings, list kinds,
):
    """Return the blocks of the answer to each head, from and to (exclusive), and whether they stand in its container.

    ``places`` and ``levels``: the containers and how far up these are. With ``after``, or where less than ``share`` of
    them hold more than the question, answers are what stands behind. The others are lists of `PageNodes`: of its nodes
    (``own_headings``: heading_levels) and of its blocks (``kinds``: block_paths).
    """
    cdef Py_ssize_t count = len(heads), blocks = len(block_headings), at, begin, end, place, filled = 0, limit, follow
    cdef list limits = [], ranges = []
    for at in range(count):
        head, place = heads[at], places[at]
        filled += <Py_ssize_t> lasts[place] > <Py_ssize_t> head[2]
    cdef bint inside = not after and not filled < share * count
    for at in range(count):
        head, place = heads[at], places[at]
        begin = head[2]
        follow = heads[at + 1][1] if at + 1 < count else blocks + 1
        limit = lasts[place]
        if not inside:
            if not (<Py_ssize_t> levels[at] <= 0 and limit - <Py_ssize_t> firsts[place] > begin - <Py_ssize_t> head[1]):
                place = parents[place]
                limit = lasts[place] if place >= 0 else blocks
            limits.append(follow > limit)
        end = max(begin, min(limit, follow))
        ranges.append((begin, _end(begin, end, own_headings[<Py_ssize_t> head[0]], block_headings)))
    if not inside and True in limits:
        _close(ranges, limits, kinds)
    return ranges, inside


cdef Py_ssize_t _end(Py_ssize_t begin, Py_ssize_t end, Py_ssize_t own, list headings):
    """Where an answer ends that is cut where a heading as high as the question begins, or nothing follows one."""
    cdef Py_ssize_t block, level
    if own:
        for block in range(begin, end):
            level = headings[block]
            if 0 < level <= own:
                end = block
                break
    while end > begin and headings[end - 1]:
        end -= 1
    return end


cdef _close(list ranges, list is_open, list kinds):
    """End the answers that no question follows where blocks are unlike those of the others, or these are shorter."""
    cdef Py_ssize_t at, begin, end, block, longest = 0
    cdef set known = set()
    cdef bint any_closed = False
    for at in range(len(ranges)):
        if not is_open[at]:
            begin, end = ranges[at]
            any_closed, longest = True, max(longest, end - begin)
            for block in range(begin, end):
                known.add(kinds[block])
    if not any_closed:
        longest = 1
    for at in range(len(ranges)):
        if is_open[at]:
            begin, end = ranges[at]
            block = begin
            while block < min(end, begin + longest) and (not any_closed or kinds[block] in known):
                block += 1
            ranges[at] = (begin, block)


# --- what lists are like ---------------------------------------------------------------------------------------------

def list_columns(
    list lists, dict asked, dict said, Py_ssize_t look, const double[:, ::1] sums, list headings,
    Py_ssize_t most_between, double[:, ::1] out,
):
    """Write the columns of `faq_features` that are told from pairs, (columns, lists), in the order of its ``_OF_PAIRS``.

    ``lists``: the pairs of each, two at least; ``asked``, ``said``: of each question, and of each answer among the first
    ``look``, what `faq_features` says of it; ``sums``: (blocks + 1, 11); ``headings``: the level of each block;
    ``most_between``: how many blocks between the pairs of a list are looked at.
    """
    cdef Py_ssize_t at, column
    cdef tuple pairs
    for at in range(len(lists)):
        pairs = lists[at]
        column = _of_questions(pairs, asked, out, at)
        column = _of_answers(pairs, out, at, column)
        column = _of_blocks(pairs, said, look, sums, out, at, column)
        column = _between(pairs, headings, most_between, out, at, column)
        _extent(pairs, sums, out, at, column)


cdef struct _Numbers:
    Py_ssize_t count
    double mean, std, least, most


cdef _Numbers _numbers_of(tuple pairs, Py_ssize_t part) except *:
    """The logarithms of the lengths of one text of each pair."""
    cdef Py_ssize_t at, count = len(pairs)
    cdef double value, total = 0, squares = 0
    cdef _Numbers found = _Numbers(count, 0, 0, 0, 0)
    for at in range(count):
        value = log1p(_length(pairs[at], part))
        total += value
        found.least = value if not at else min(found.least, value)
        found.most = max(found.most, value)
    found.mean = total / count
    for at in range(count):
        squares += (log1p(_length(pairs[at], part)) - found.mean) ** 2
    found.std = sqrt(squares / count)
    return found


cdef inline Py_ssize_t _length(object pair, Py_ssize_t part) except -1:
    """The length of the question of a pair, or of its answer."""
    return PyUnicode_GET_LENGTH(<str?> <object> PyTuple_GET_ITEM(pair, part))


cdef inline Py_ssize_t _block(object pair, Py_ssize_t part) except -1:
    """One of the blocks of a pair."""
    return <object> PyTuple_GET_ITEM(pair, part)


cdef Py_ssize_t _of_questions(tuple pairs, dict asked, double[:, ::1] out, Py_ssize_t at):
    """Write how many questions there are, and what their texts are like; return the next column."""
    cdef _Numbers chars = _numbers_of(pairs, 0)
    cdef Py_ssize_t asking = 0, opening = 0, capitalised = 0
    cdef str question
    for pair in pairs:
        question = pair[0]
        asks, opens = asked[question]
        asking += <bint> asks
        opening += <bint> opens
        capitalised += PyUnicode_GET_LENGTH(question) > 0 and Py_UNICODE_ISUPPER(PyUnicode_READ_CHAR(question, 0))
    cdef double count = chars.count
    out[0, at], out[1, at], out[2, at] = count, log1p(count), asking / count
    out[3, at], out[4, at] = opening / count, capitalised / count
    out[5, at], out[6, at], out[7, at] = chars.mean, chars.std, chars.most
    return 8


cdef Py_ssize_t _of_answers(tuple pairs, double[:, ::1] out, Py_ssize_t at, Py_ssize_t column):
    """Write how long the answers are; return the next column."""
    cdef _Numbers chars = _numbers_of(pairs, 1)
    out[column, at], out[column + 1, at] = chars.mean, chars.std
    out[column + 2, at], out[column + 3, at] = chars.least, chars.most
    return column + 4


cdef Py_ssize_t _of_blocks(
    tuple pairs, dict said, Py_ssize_t look, const double[:, ::1] sums, double[:, ::1] out, Py_ssize_t at,
    Py_ssize_t column,
):
    """Write what the blocks of questions and answers, and the texts of answers, are like; return the next column."""
    cdef Py_ssize_t first, start, end, last, place, part, low = 0, longer = 0, asking = 0, looked_at = 0
    cdef double inside, blocks, logs = 0, most = 0, all_blocks = 0, hidden = 0, dates = 0, sentences = 0, link_chars = 0
    cdef double head_chars = 0, count = len(pairs)
    cdef double[COLUMNS] total
    cdef str answer
    cdef set different = set()
    for part in range(COLUMNS):
        total[part] = 0
    for pair in pairs:
        first, last, answer = _block(pair, 2), _block(pair, 4), pair[1]
        # a question in its answer's own block is counted with it: blocks are the least that sums are known of
        start = min(_block(pair, 3), last - 1)
        end = max(start, first + 1)
        for part in range(COLUMNS):
            total[part] += sums[last, part] - sums[start, part]
        blocks = max(sums[last, BLOCKS] - sums[start, BLOCKS], 1)
        all_blocks += blocks
        logs += log1p(blocks)
        most = max(most, log1p(blocks))
        hidden += (sums[last, HIDDEN] - sums[start, HIDDEN]) / blocks
        dates += log1p(sums[last, DATES] - sums[start, DATES])
        head_chars += sums[end, CHARS] - sums[first, CHARS]
        link_chars += sums[end, LINKS] - sums[first, LINKS]
        different.add(answer)
        low += PyUnicode_GET_LENGTH(answer) > 0 and Py_UNICODE_ISLOWER(PyUnicode_READ_CHAR(answer, 0))
        longer += PyUnicode_GET_LENGTH(answer) > _length(pair, 0)
        if looked_at < look:
            ends, asks = said[answer]
            looked_at += 1
            sentences += log1p(<double> ends)
            asking += <bint> asks
    out[column, at], out[column + 1, at], out[column + 2, at] = logs / count, most, sentences / looked_at
    out[column + 3, at], out[column + 4, at] = link_chars / max(head_chars, 1), total[LINKS] / max(total[CHARS], 1)
    out[column + 5, at], out[column + 6, at] = total[LONG] / all_blocks, total[TINY] / all_blocks
    out[column + 7, at], out[column + 8, at], out[column + 9, at] = total[QUESTIONS] / count, dates / count, hidden / count
    out[column + 10, at], out[column + 11, at] = 1 - len(different) / count, low / count
    out[column + 12, at], out[column + 13, at] = asking / <double> looked_at, longer / count
    return column + 14


cdef Py_ssize_t _between(
    tuple pairs, list headings, Py_ssize_t most_between, double[:, ::1] out, Py_ssize_t at, Py_ssize_t column,
):
    """Write how evenly the pairs stand, and how many headings stand between them; return the next column."""
    cdef Py_ssize_t place, block, begin, gap, found = 0, count = len(pairs)
    cdef double logs = 0, most = 0
    for place in range(1, count):
        begin = _block(pairs[place - 1], 4)
        gap = max(_block(pairs[place], 2) - begin, 0)
        logs += log1p(gap)
        most = max(most, log1p(gap))
        for block in range(begin, begin + min(gap, most_between)):
            found += <Py_ssize_t> headings[block] > 0
        most_between -= min(gap, most_between)
    out[column, at], out[column + 1, at], out[column + 2, at] = logs / (count - 1), most, found / <double> count
    return column + 3


cdef _extent(tuple pairs, const double[:, ::1] sums, double[:, ::1] out, Py_ssize_t at, Py_ssize_t column):
    """Write where on the page a list stands, and how much of it it is."""
    cdef Py_ssize_t blocks = sums.shape[0] - 1, first = _block(pairs[0], 2), last = 0, shown = 0
    cdef double chars = sums[blocks, CHARS]
    for pair in pairs:
        last = max(last, _block(pair, 4))
        shown += _length(pair, 0) + _length(pair, 1)
    out[column, at], out[column + 1, at] = first / <double> blocks, last / <double> blocks
    out[column + 2, at], out[column + 3, at] = log1p(chars), shown / max(chars, 1)
    out[column + 4, at] = shown / max(sums[last, CHARS] - sums[first, CHARS], 1)

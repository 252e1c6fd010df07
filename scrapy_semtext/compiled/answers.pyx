# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Lists of questions: where their answers stand (`scrapy_semtext.questions.faq`), what they are like (`faq_features`).

Lists must be of the lengths that are said, and numbers of nodes and blocks in range; who calls made them.
"""

from cpython.tuple cimport PyTuple_GET_ITEM
from cpython.unicode cimport PyUnicode_GET_LENGTH, PyUnicode_READ_CHAR
from libc.math cimport log1p, sqrt
from libc.stdint cimport int64_t
from libc.stdlib cimport calloc, free, malloc

cdef extern from "Python.h":
    bint Py_UNICODE_ISLOWER(Py_UCS4) nogil
    bint Py_UNICODE_ISUPPER(Py_UCS4) nogil

# What `questions.nodes` says.
cdef enum:
    CHARS, LINKS, BLOCKS, DATES, NUMBERS, TINY, SENTENCES, QUESTIONS, LONG, HIDDEN, PROSE, COLUMNS


# --- where answers stand ---------------------------------------------------------------------------------------------

cdef struct _Asked:
    int64_t head, node, first, last
    int64_t question  # its number if it ends in a mark, else 0
    int64_t free, level, place, above  # how far up its container may be, how far it is, which it is, and its parent
    int64_t end  # of its answer
    bint is_open  # no question follows before the end of its answer

cdef struct _Page:
    # of the nodes, but for ``innermost``, which is of the blocks; ``headings``: the levels of headings, ``paths``: tag_paths
    const int64_t *firsts
    const int64_t *lasts
    const int64_t *parents
    const int64_t *headings
    const int64_t *paths
    const int64_t *innermost
    Py_ssize_t blocks
    int64_t *counts  # zeros, one more than there are nodes, or levels


def readings_of(
    list groups, const int64_t[::1] node, const int64_t[::1] first, const int64_t[::1] last, const int64_t[::1] asked,
    Py_ssize_t most_levels, double share, const int64_t[::1] firsts, const int64_t[::1] lasts,
    const int64_t[::1] parents, const int64_t[::1] headings, const int64_t[::1] paths, const int64_t[::1] innermost,
):
    """Return the readings of groups of heads, each once, as `faq._readings` gives them.

    Of each the numbers of the heads, the blocks of their answers, from and to (exclusive), whether they stand in the
    containers, and how far up these are. ``groups``: tuples of numbers of heads, that of a head telling its blocks;
    ``node``, ``first``, ``last``, ``asked``: of the heads, the last a number for each question that ends in a mark, else 0;
    ``share`` of containers hold more than the question where answers stand in them. The others are those of `PageNodes`,
    ``headings`` being node_headings and ``paths`` tag_paths. Raises MemoryError.
    """
    cdef Py_ssize_t count = max(map(len, groups), default=0), nodes = firsts.shape[0], at
    cdef int64_t *counts = <int64_t *> calloc(max(nodes, most_levels + 1) + 1, sizeof(int64_t))
    cdef _Asked *all = <_Asked *> malloc(2 * (count + 1) * sizeof(_Asked))
    cdef int64_t number
    cdef tuple group
    cdef list found = []
    cdef set known = set()
    cdef _Page page
    try:
        if counts == NULL or all == NULL:
            raise MemoryError
        page = _Page(
            &firsts[0], &lasts[0], &parents[0], &headings[0], &paths[0], &innermost[0], innermost.shape[0], counts
        )
        for group in groups:
            count = len(group)
            for at in range(count):
                number = group[at]
                all[at].head, all[at].node, all[at].question = number, node[number], asked[number]
                all[at].first, all[at].last, all[at].end = first[number], last[number], last[number] + 1
            if _ask_enough(all, count):
                _read_group(found, known, all, count, most_levels, share, &page)
    finally:
        free(counts)
        free(all)
    return found


cdef _read_group(
    list found, set known, _Asked *heads, Py_ssize_t count, Py_ssize_t most_levels, double share, const _Page *page,
):
    """Add the readings of a group that are not known: there is room for as many heads behind its own."""
    cdef int64_t[2] levels
    cdef Py_ssize_t nth, at, kept
    _free_levels(heads, count, most_levels, page)
    for nth in range(_commonest_levels(heads, count, levels, page.counts)):
        for at in range(count):
            heads[at].level = min(levels[nth], heads[at].free)
            heads[at].place = _climbed(heads[at].node, heads[at].level, page.parents)
            heads[at].above = page.parents[heads[at].place]
        _read(found, known, heads, count, levels[nth], share, page)
        kept = _beside(heads, count, heads + count, page.counts)
        if 2 <= kept < count:
            _read(found, known, heads + count, kept, levels[nth], share, page)


cdef void _free_levels(_Asked *heads, Py_ssize_t count, Py_ssize_t most, const _Page *page) noexcept:
    """Find how many elements up each head can be left before the next one, or the one before, is met."""
    cdef Py_ssize_t at
    cdef int64_t node, level, low, high
    for at in range(count):
        low = heads[at - 1].last if at else 0
        high = heads[at + 1].first if at + 1 < count else page.blocks
        level, node = -1, heads[at].node
        while node >= 0 and level < most and page.firsts[node] >= low and page.lasts[node] <= high:
            level, node = level + 1, page.parents[node]
        heads[at].free = level


cdef Py_ssize_t _commonest_levels(const _Asked *heads, Py_ssize_t count, int64_t *levels, int64_t *counts) noexcept:
    """Find the two levels that most heads may have, the first found of equally common ones; return how many there are."""
    cdef Py_ssize_t at, found = 0
    cdef int64_t best
    for at in range(count):
        counts[heads[at].free + 1] += 1
    while found < 2:
        best = 0
        for at in range(count):
            if counts[heads[at].free + 1] > best:
                best, levels[found] = counts[heads[at].free + 1], heads[at].free
        if not best:
            break
        counts[levels[found] + 1] = 0
        found += 1
    for at in range(count):
        counts[heads[at].free + 1] = 0
    return found


cdef int64_t _climbed(int64_t node, int64_t levels, const int64_t *parents) noexcept:
    while levels > 0 and parents[node] >= 0:
        node, levels = parents[node], levels - 1
    return node


cdef Py_ssize_t _beside(const _Asked *heads, Py_ssize_t count, _Asked *out, int64_t *counts) noexcept:
    """Write the heads whose containers stand in the commonest parent; return how many these are."""
    cdef Py_ssize_t at, kept = 0
    cdef int64_t parent = -1, best = 0
    for at in range(count):
        counts[heads[at].above + 1] += 1
    for at in range(count):
        if counts[heads[at].above + 1] > best:
            best, parent = counts[heads[at].above + 1], heads[at].above
    for at in range(count):
        counts[heads[at].above + 1] = 0
        if heads[at].above == parent:
            out[kept] = heads[at]
            kept += 1
    return kept


cdef _read(
    list found, set known, _Asked *heads, Py_ssize_t count, int64_t level, double share, const _Page *page,
):
    """Add the reading of heads with their containers, if two different questions of it are answered."""
    cdef Py_ssize_t at, filled = 0
    cdef int64_t limit, follow
    cdef bint inside, any_open = False
    cdef _Asked *head
    for at in range(count):
        filled += page.lasts[heads[at].place] > heads[at].last
    inside = level >= 0 and not filled < share * count
    for at in range(count):
        head = &heads[at]
        follow = heads[at + 1].first if at + 1 < count else page.blocks + 1
        limit = page.lasts[head.place]
        if not inside:
            if not (head.level <= 0 and limit - page.firsts[head.place] > head.last - head.first):
                limit = page.lasts[head.above] if head.above >= 0 else page.blocks
            head.is_open = follow > limit
            any_open |= head.is_open
        head.end = _end(head.last, max(head.last, min(limit, follow)), page.headings[head.node], page)
    if any_open and not inside:
        _close(heads, count, page)
    if _ask_enough(heads, count):
        _add(found, known, heads, count, inside, level)


cdef _add(list found, set known, const _Asked *heads, Py_ssize_t count, bint inside, int64_t level):
    """Add a reading, unless there is one with the same heads and answers."""
    cdef Py_ssize_t at
    cdef tuple numbers = tuple([heads[at].head for at in range(count)])
    cdef list answers = [(heads[at].last, heads[at].end) for at in range(count)]
    cdef tuple key = (numbers, tuple(answers))
    if key not in known:
        known.add(key)
        found.append((numbers, answers, inside, level))


cdef bint _ask_enough(const _Asked *heads, Py_ssize_t count) noexcept:
    """Whether at least two different questions that end in a mark have blocks to be answered by."""
    cdef Py_ssize_t at
    cdef int64_t other = 0
    for at in range(count):
        if heads[at].question and heads[at].question != other and heads[at].last < heads[at].end:
            if other:
                return True
            other = heads[at].question
    return False


cdef int64_t _end(int64_t begin, int64_t end, int64_t own, const _Page *page) noexcept:
    """Where an answer ends that is cut where a heading as high as the question begins, or nothing follows one."""
    cdef int64_t block
    if own:
        for block in range(begin, end):
            if 0 < page.headings[page.innermost[block]] <= own:
                end = block
                break
    while end > begin and page.headings[page.innermost[end - 1]]:
        end -= 1
    return end


cdef void _close(_Asked *heads, Py_ssize_t count, const _Page *page) noexcept:
    """End the answers that no question follows where blocks are unlike those of the others, or these are shorter."""
    cdef Py_ssize_t at
    cdef int64_t block, end, longest = 0
    cdef bint any_closed = False
    for at in range(count):
        if not heads[at].is_open:
            any_closed, longest = True, max(longest, heads[at].end - heads[at].last)
            for block in range(heads[at].last, heads[at].end):
                page.counts[page.paths[page.innermost[block]]] = 1
    if not any_closed:
        longest = 1
    for at in range(count):
        if heads[at].is_open:
            block, end = heads[at].last, min(heads[at].end, heads[at].last + longest)
            while block < end and (not any_closed or page.counts[page.paths[page.innermost[block]]]):
                block += 1
            heads[at].end = block
    for at in range(count):
        if not heads[at].is_open:
            for block in range(heads[at].last, heads[at].end):
                page.counts[page.paths[page.innermost[block]]] = 0


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

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Where the answers to questions stand: what `scrapy_semtext.questions.faq` says of a reading, in one loop over it.

Lists must be of the lengths that are said, and numbers of nodes and blocks in range; who calls made them.
"""


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

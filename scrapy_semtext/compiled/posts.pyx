# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""The numbers by which posts are found: of nodes (`questions.node_features`), of sets (`questions.candidate_features`).

Columns stand in the order of those modules. Arrays must be of the shapes that are said, and numbers of nodes, blocks and
groups in range; who calls made them. Sums and elements are counts: whole numbers, none negative.
"""

from libc.math cimport fmax, log1p, sqrt
from libc.stdint cimport int64_t
from libc.stdlib cimport calloc, free, malloc, qsort

# What `questions.nodes` says.
cdef enum:
    CHARS, LINKS, BLOCKS, DATES, NUMBERS, TINY, SENTENCES, QUESTIONS, LONG, HIDDEN, PROSE, COLUMNS
cdef enum:
    IMAGES, TIMES, ANCHORS, CONTROLS, PARAGRAPHS, HEADINGS, QUOTES, ITEMS, KINDS
# What `questions.node_features` and `questions.candidate_features` say.
cdef enum:
    NEAR = 6
    OUTER = 4
    BEFORE = 12
    HIGHEST = 64
    LOW = -15
    MOST_COLUMNS = 160

# The logarithms of small counts, as most are.
cdef enum:
    KNOWN_LOGS = 4096
cdef double[KNOWN_LOGS] logs
cdef int _count
for _count in range(KNOWN_LOGS):
    logs[_count] = log1p(_count)


cdef inline double log_of(double count) noexcept nogil:
    return logs[<int> count] if count < KNOWN_LOGS else log1p(count)


# --- nodes -----------------------------------------------------------------------------------------------------------

cdef struct _Page:
    const double *sums  # (blocks + 1, COLUMNS)
    const double *elements  # (nodes, KINDS)
    const int64_t *first
    const int64_t *last
    const int64_t *parent  # -1 for the root
    const int64_t *depth
    const int64_t *groups
    Py_ssize_t nodes, blocks

cdef struct _Group:
    double size, chars, links, blocks, prose, logs, squares, unique
    double gaps, nested, gap_blocks, gap_chars, gap_dates
    int64_t begin, end, before  # its first block, its last, its node before the one looked at


def node_rows(
    const double[:, ::1] sums, const double[:, ::1] elements, const int64_t[::1] first, const int64_t[::1] last,
    const int64_t[::1] parent, const int64_t[::1] depth, const int64_t[::1] groups, const int64_t[::1] texts,
    const double[::1] lengths, const int64_t[::1] averaged, float[:, ::1] out,
):
    """Write the columns of `node_features` before those of tags; (nodes, columns) for at least one node.

    ``sums``: (blocks + 1, 11); ``elements``: (nodes, 8); ``parent``: -1 for the root; ``groups``: signatures; ``texts``:
    (blocks,), equal for equal ones; ``lengths``: logarithms of the characters of nodes as the Python has them, by whose
    last digits a group of equal ones has a spread or none; ``averaged``: the columns that are averaged over groups.
    Raises MemoryError.
    """
    cdef Py_ssize_t nodes = first.shape[0], node, column, at, averages = averaged.shape[0]
    cdef _Page page = _Page(
        &sums[0, 0], &elements[0, 0], &first[0], &last[0], &parent[0], &depth[0], &groups[0], nodes, texts.shape[0])
    cdef _Group *known = <_Group *> calloc(nodes, sizeof(_Group))
    cdef double *means = <double *> calloc(nodes * averages, sizeof(double))
    cdef int64_t *work = <int64_t *> calloc(nodes, sizeof(int64_t))
    cdef double[MOST_COLUMNS] row
    try:
        if known == NULL or means == NULL or work == NULL:
            raise MemoryError
        with nogil:
            _look_at_groups(&page, &texts[0], &lengths[0], known, work)
            for node in range(nodes):
                work[node] = 0
            for node in range(nodes):
                work[max(parent[node], 0)] += 1
            for node in range(nodes):
                column = _own(&page, node, work[node], row)
                column = _around(&page, known, node, row, column)
                column = _beside(&page, node, row, column)
                for at in range(column):
                    out[node, at] = <float> row[at]
                for at in range(averages):
                    means[groups[node] * averages + at] += row[averaged[at]]
            for node in range(nodes):
                at = _of_group(&page, &known[groups[node]], &means[groups[node] * averages], averages, row)
                for at in range(at):
                    out[node, column + at] = <float> row[at]
    finally:
        free(known)
        free(means)
        free(work)


cdef Py_ssize_t _own(_Page *page, Py_ssize_t node, int64_t children, double *row) noexcept nogil:
    """Write the columns of `node_features._own`; return the next column."""
    cdef const double *all = page.sums + page.blocks * COLUMNS
    cdef const double *elements = page.elements + node * KINDS
    cdef double[COLUMNS] inside
    cdef double chars, blocks
    cdef Py_ssize_t at
    _between(page, page.first[node], page.last[node], inside)
    chars, blocks = fmax(inside[CHARS], 1), inside[BLOCKS]
    row[0], row[1], row[2] = log_of(inside[CHARS]), log_of(blocks), log_of(inside[DATES])
    row[3], row[4], row[5] = log_of(inside[NUMBERS]), log_of(inside[TINY]), log_of(inside[SENTENCES])
    row[6], row[7], row[8] = log_of(inside[QUESTIONS]), log_of(inside[LONG]), log_of(inside[PROSE])
    row[9], row[10] = inside[LINKS] / chars, inside[HIDDEN] / blocks
    row[11], row[12] = inside[CHARS] / all[CHARS], inside[PROSE] / fmax(all[PROSE], 1)
    row[13], row[14] = inside[PROSE] / chars, log1p(chars / blocks)
    row[15], row[16] = inside[TINY] / blocks, inside[SENTENCES] / chars * 100
    row[17] = page.depth[node]
    row[18], row[19] = <double> page.first[node] / page.blocks, <double> page.last[node] / page.blocks
    row[20], row[21] = log_of(all[BLOCKS]), log_of(all[CHARS])
    row[22], row[23] = log_of(all[DATES]), log_of(all[PROSE])
    for at in range(KINDS):
        row[24 + at] = log_of(elements[at])
    row[24 + KINDS] = log_of(children)
    return 25 + KINDS


cdef Py_ssize_t _around(
    _Page *page, const _Group *known, Py_ssize_t node, double *row, Py_ssize_t column
) noexcept nogil:
    cdef Py_ssize_t above = node, level
    cdef const double *own = page.elements + node * KINDS
    cdef const double *elements
    cdef double[COLUMNS] inside, outside
    _between(page, page.first[node], page.last[node], inside)
    row[column] = log_of(known[page.groups[node]].size)
    row += column + 1
    for level in range(OUTER):
        above = max(page.parent[above], 0)
        elements = page.elements + above * KINDS
        _between(page, page.first[above], page.last[above], outside)
        row[0] = inside[CHARS] / fmax(outside[CHARS], 1)
        row[1], row[2] = log_of(outside[BLOCKS] - inside[BLOCKS]), log_of(outside[DATES] - inside[DATES])
        row[3], row[4] = log_of(outside[CHARS] - inside[CHARS]), log_of(outside[PROSE] - inside[PROSE])
        row[5], row[6] = log_of(elements[IMAGES] - own[IMAGES]), log_of(elements[TIMES] - own[TIMES])
        row[7] = log_of(elements[CONTROLS] - own[CONTROLS])
        row[8] = log_of(known[page.groups[above]].size)
        row += 9
    return column + 1 + 9 * OUTER


cdef Py_ssize_t _beside(_Page *page, Py_ssize_t node, double *row, Py_ssize_t column) noexcept nogil:
    cdef int64_t first = page.first[node], last = page.last[node]
    cdef double[COLUMNS] beside
    cdef int side
    row += column
    row[0] = log_of(page.sums[first * COLUMNS + CHARS])
    row[1] = log_of(page.sums[page.blocks * COLUMNS + CHARS] - page.sums[last * COLUMNS + CHARS])
    row += 2
    for side in range(2):
        if side:
            _between(page, last, min(last + NEAR, page.blocks), beside)
        else:
            _between(page, max(first - NEAR, 0), first, beside)
        row[0], row[1], row[2] = beside[DATES], log_of(beside[CHARS]), beside[TINY]
        row[3], row[4] = beside[NUMBERS], beside[LINKS] / fmax(beside[CHARS], 1)
        row += 5
    return column + 12


cdef Py_ssize_t _of_group(
    _Page *page, const _Group *group, const double *means, Py_ssize_t averages, double *row
) noexcept nogil:
    """Write the columns of `node_features._group` and of `_gaps`; return how many."""
    cdef const double *all = page.sums + page.blocks * COLUMNS
    cdef double[COLUMNS] span
    cdef double mean = group.logs / group.size
    cdef Py_ssize_t at
    _between(page, group.begin, group.end, span)
    row[0], row[1] = group.chars / all[CHARS], mean
    row[2] = sqrt(fmax(group.squares / group.size - mean * mean, 0))
    row[3], row[4] = group.links / fmax(group.chars, 1), group.prose / fmax(all[PROSE], 1)
    row[5] = group.prose / fmax(span[PROSE], 1)
    row[6] = group.blocks / max(group.end - group.begin, 1)
    row[7], row[8] = <double> group.begin / page.blocks, <double> group.end / page.blocks
    row[9] = group.unique / group.size
    row += 10
    for at in range(averages):
        row[at] = means[at] / group.size
    row += averages
    row[0] = group.gap_blocks / group.gaps if group.gaps else -1
    row[1] = group.gap_chars / group.gaps if group.gaps else -1
    row[2] = group.gap_dates / group.gaps if group.gaps else -1
    row[3] = group.nested / group.size
    return 14 + averages


cdef void _look_at_groups(
    _Page *page, const int64_t *texts, const double *lengths, _Group *known, int64_t *keys
) noexcept nogil:
    """Sum up the groups of nodes. ``keys`` is room to work in, (nodes,)."""
    cdef Py_ssize_t node
    cdef int64_t first, last, most = page.blocks + 1
    cdef _Group *group
    cdef double[COLUMNS] inside
    for node in range(page.nodes):
        group, first, last = &known[page.groups[node]], page.first[node], page.last[node]
        _between(page, first, last, inside)
        if group.size:
            group.begin, group.end = min(group.begin, first), max(group.end, last)
            _add_gap(page, group, page.last[group.before], first)
        else:
            group.begin, group.end = first, last
        group.before = node
        group.size += 1
        group.chars += inside[CHARS]
        group.links += inside[LINKS]
        group.blocks += inside[BLOCKS]
        group.prose += inside[PROSE]
        group.logs += lengths[node]
        group.squares += lengths[node] * lengths[node]
        keys[node] = (page.groups[node] * most + texts[first]) * most + last - first
    qsort(keys, page.nodes, sizeof(int64_t), _rising)
    for node in range(page.nodes):
        if not node or keys[node] != keys[node - 1]:
            known[keys[node] // (most * most)].unique += 1


cdef void _add_gap(_Page *page, _Group *group, int64_t last, int64_t first) noexcept nogil:
    """Count what stands between the end of a node and the beginning of the next of its group."""
    cdef double[COLUMNS] between
    _between(page, last, max(first, last), between)
    group.gaps += 1
    group.nested += first < last
    group.gap_blocks += log_of(between[BLOCKS])
    group.gap_chars += log_of(between[CHARS])
    group.gap_dates += log_of(between[DATES])


cdef inline void _between(const _Page *page, int64_t begin, int64_t end, double *out) noexcept nogil:
    """Write the sums over the blocks from one to another."""
    cdef int column
    for column in range(COLUMNS):
        out[column] = page.sums[end * COLUMNS + column] - page.sums[begin * COLUMNS + column]


cdef int _rising(const void *one, const void *other) noexcept nogil:
    cdef int64_t left = (<const int64_t *> one)[0], right = (<const int64_t *> other)[0]
    return (left > right) - (left < right)


# --- sets of nodes ---------------------------------------------------------------------------------------------------

def different(const int64_t[::1] values, const int64_t[::1] lengths, int64_t[:, ::1] room, double[:, ::1] out):
    """Write how many different values each run has, and how often its commonest, (2, runs).

    ``values``: those of all runs, each of a length of at least 1; ``room``: zeros, (2, numbers that values may be).
    """
    cdef Py_ssize_t run, at = 0, end, value, kinds, most
    for run in range(lengths.shape[0]):
        end, kinds, most = at + lengths[run], 0, 0
        while at < end:
            value = values[at]
            if room[0, value] <= run:  # not seen in this run
                room[0, value], room[1, value] = run + 1, 0
                kinds += 1
            room[1, value] += 1
            most = max(most, room[1, value])
            at += 1
        out[0, run], out[1, run] = kinds, most


cdef struct _Nodes:
    const double *sums  # (blocks + 1, COLUMNS)
    const double *elements  # (nodes, KINDS)
    const int64_t *first
    const int64_t *last
    const int64_t *parent  # -1 for the root
    const int64_t *depth
    const int64_t *signatures
    const int64_t *own_signatures
    const int64_t *tags
    const int64_t *texts  # (blocks,)
    const double *scores
    const double *smooth
    const int64_t *order  # of the nodes, from the best smooth score on
    const double *lengths
    const double *logs
    Py_ssize_t nodes, blocks
    # room to work in
    int64_t *sizes  # of the groups of equal signatures, (nodes,)
    int64_t *own_sizes
    int64_t *seen  # when a number was seen last, from 1 on, (nodes or blocks + 1,)
    int64_t *times
    int64_t *held  # (blocks + 1,)
    int64_t now

cdef struct _Set:
    const int64_t *chosen
    Py_ssize_t size, gaps
    # room to work in, for each post
    double *inside  # (size, COLUMNS)
    double *between  # (gaps, COLUMNS): up to the next one
    double *elements  # (size, KINDS)
    double *around
    double *values
    double *others
    int64_t *numbers
    # where the next number goes, and how far from it the one behind that
    float *out
    Py_ssize_t step


def set_rows(
    const int64_t[::1] chosen, const int64_t[::1] lengths, tuple of_nodes, const int64_t[::1] texts,
    const double[:, ::1] sums, const double[:, ::1] elements, const double[::1] logs, float[:, ::1] out,
):
    """Write the columns of `candidate_features`, (columns, sets), for at least one set.

    ``chosen``: the nodes of all sets, each of a length of at least 2; ``of_nodes``: arrays of one number a node, namely
    the first block, the last, the parent (-1 for the root), the depth, the signature, the own signature and the number
    of the tag, the order of the smooth scores from the best on, the score, the smooth one and the logarithm of the
    characters; ``texts``: (blocks,), equal for equal ones; ``logs``: the logarithms of counts from 0 on as the Python
    has them, by whose last digits equal ones have a spread or none. Raises MemoryError.
    """
    cdef const int64_t[::1] first = of_nodes[0], last = of_nodes[1], parent = of_nodes[2], depth = of_nodes[3]
    cdef const int64_t[::1] signatures = of_nodes[4], own = of_nodes[5], tags = of_nodes[6], order = of_nodes[7]
    cdef const double[::1] scores = of_nodes[8], smooth = of_nodes[9], characters = of_nodes[10]
    cdef Py_ssize_t nodes = first.shape[0], blocks = texts.shape[0], most = max(nodes, blocks) + 1, at, begin = 0
    cdef Py_ssize_t longest = 0
    for at in range(lengths.shape[0]):
        longest = max(longest, lengths[at])
    cdef int64_t *whole = <int64_t *> calloc(5 * most + longest, sizeof(int64_t))
    cdef double *room = <double *> malloc(longest * (2 * COLUMNS + 2 * KINDS + 2) * sizeof(double))
    cdef _Nodes page = _Nodes(
        &sums[0, 0], &elements[0, 0], &first[0], &last[0], &parent[0], &depth[0], &signatures[0], &own[0], &tags[0],
        &texts[0], &scores[0], &smooth[0], &order[0], &characters[0], &logs[0], nodes, blocks, whole, whole + most,
        whole + 2 * most, whole + 3 * most, whole + 4 * most, 0)
    cdef _Set found = _Set(
        &chosen[0], 0, 0, room, room + longest * COLUMNS, room + 2 * longest * COLUMNS,
        room + longest * (2 * COLUMNS + KINDS), room + longest * (2 * COLUMNS + 2 * KINDS),
        room + longest * (2 * COLUMNS + 2 * KINDS + 1), whole + 5 * most, &out[0, 0], out.shape[1])
    try:
        if whole == NULL or room == NULL:
            raise MemoryError
        with nogil:
            for at in range(nodes):
                page.sizes[signatures[at]] += 1
                page.own_sizes[own[at]] += 1
            for at in range(lengths.shape[0]):
                found.chosen, found.size, found.gaps = &chosen[begin], lengths[at], lengths[at] - 1
                found.out = &out[0, at]
                _describe(&page, &found)
                begin += lengths[at]
    finally:
        free(whole)
        free(room)


cdef void _describe(_Nodes *page, _Set *found) noexcept nogil:
    """Write all columns of a set."""
    cdef Py_ssize_t at, column
    cdef int64_t node, above
    for at in range(found.size):
        node = found.chosen[at]
        above = max(page.parent[node], 0)
        _stretch(page, page.first[node], page.last[node], found.inside + at * COLUMNS)
        for column in range(KINDS):
            found.elements[at * KINDS + column] = page.elements[node * KINDS + column]
            found.around[at * KINDS + column] = page.elements[above * KINDS + column]
        if at < found.gaps:
            _stretch(page, page.last[node], page.first[found.chosen[at + 1]], found.between + at * COLUMNS)
    _coverage(page, found)
    _scores_inside(page, found)
    _texts(page, found)
    _gaps(page, found)
    _likeness(page, found)
    _left_out(page, found)
    _elements(page, found)
    _common(page, found)


cdef void _coverage(_Nodes *page, _Set *found) noexcept nogil:
    cdef const double *all = page.sums + page.blocks * COLUMNS
    cdef int64_t begin = page.first[found.chosen[0]], end = page.last[found.chosen[found.size - 1]]
    cdef double chars = _sum_of(found, CHARS), prose = _sum_of(found, PROSE)
    cdef double[COLUMNS] span
    _stretch(page, begin, end, span)
    _put(found, found.size)
    _put(found, _log(page, found.size))
    _put(found, chars / all[CHARS])
    _put(found, _log(page, chars))
    _put(found, chars / fmax(span[CHARS], 1))
    _put(found, span[CHARS] / all[CHARS])
    _put(found, span[BLOCKS] / all[BLOCKS])
    _put(found, _sum_of(found, BLOCKS) / span[BLOCKS])
    _put(found, prose / fmax(all[PROSE], 1))
    _put(found, prose / fmax(span[PROSE], 1))
    _put(found, prose / fmax(chars, 1))
    _put(found, begin / all[BLOCKS])
    _put(found, end / all[BLOCKS])
    _put(found, _log(page, all[CHARS]))
    _put(found, _log(page, all[BLOCKS]))
    _put(found, _log(page, all[DATES]))
    _put(found, _log(page, all[PROSE]))
    _put(found, _log(page, all[CHARS] - chars))
    _put(found, _log(page, page.sums[begin * COLUMNS + DATES] - page.sums[max(begin - BEFORE, 0) * COLUMNS + DATES]))


cdef void _scores_inside(_Nodes *page, _Set *found) noexcept nogil:
    cdef double *scores = found.values
    cdef double *smooth = found.others
    cdef double best = page.smooth[page.order[0]], first, last, mean, total
    cdef Py_ssize_t at, size = found.size
    for at in range(size):
        scores[at], smooth[at] = page.scores[found.chosen[at]], page.smooth[found.chosen[at]]
    first, last, total = scores[0], scores[size - 1], _total(scores, size)
    qsort(scores, size, sizeof(double), _growing)
    _put(found, total / size)
    _put(found, scores[0])
    _put(found, scores[size - 1])
    _put(found, (scores[(size - 1) // 2] + scores[size // 2]) / 2)
    _put(found, total / 10)
    _put(found, first)
    _put(found, last)
    mean = _total(smooth, size) / size
    _put(found, mean)
    _put(found, _least(smooth, size))
    _put(found, best)
    _put(found, best - mean)


cdef void _texts(_Nodes *page, _Set *found) noexcept nogil:
    cdef double *values = found.values
    cdef double mean, blocks = _sum_of(found, BLOCKS), chars = fmax(_sum_of(found, CHARS), 1)
    cdef Py_ssize_t at, size = found.size
    for at in range(size):
        values[at] = page.lengths[found.chosen[at]]
    mean = _total(values, size) / size
    _put(found, mean)
    _put(found, _spread(found, size))
    _put(found, _least(values, size))
    _put(found, _most(values, size))
    _put(found, values[0] - mean)
    _put(found, _sum_of(found, LINKS) / chars)
    _put(found, _sum_of(found, SENTENCES) / chars * 100)
    _put(found, _with(found.inside, size, COLUMNS, DATES))
    _put(found, _mean_log(page, found, found.inside, size, COLUMNS, DATES))
    _put(found, _sum_of(found, QUESTIONS) / size)
    _put(found, found.inside[QUESTIONS] > 0)
    _put(found, _mean_log(page, found, found.inside, size, COLUMNS, BLOCKS))
    _put(found, _sum_of(found, TINY) / blocks)
    _put(found, _with(found.inside, size, COLUMNS, LONG))
    _put(found, _with(found.inside, size, COLUMNS, PROSE))


cdef void _gaps(_Nodes *page, _Set *found) noexcept nogil:
    cdef double *between = found.between
    cdef Py_ssize_t at, gaps = found.gaps
    cdef double numbers = 0, none = 0, mean
    _put(found, _mean_log(page, found, between, gaps, COLUMNS, BLOCKS))
    _put(found, _spread(found, gaps))
    _put(found, _mean_log(page, found, between, gaps, COLUMNS, CHARS))
    _put(found, _spread(found, gaps))
    _put(found, _with(between, gaps, COLUMNS, DATES))
    _put(found, _mean_log(page, found, between, gaps, COLUMNS, DATES))
    for at in range(gaps):
        found.values[at] = between[at * COLUMNS + DATES]
        numbers += between[at * COLUMNS + NUMBERS]
        none += between[at * COLUMNS + BLOCKS] == 0
    _put(found, _spread(found, gaps))
    _put(found, numbers / gaps)
    _put(found, none / gaps)
    mean = _mean_log(page, found, between, gaps, COLUMNS, PROSE)
    _put(found, mean)
    _put(found, _most(found.values, gaps))
    _put(found, _with(between, gaps, COLUMNS, PROSE))


cdef void _likeness(_Nodes *page, _Set *found) noexcept nogil:
    cdef Py_ssize_t at, size = found.size, commonest, kinds
    cdef double taken = 0, own_taken = 0, square = <double> size * size
    cdef int64_t node
    for at in range(size):
        node = found.chosen[at]
        found.numbers[at] = page.signatures[node]
        taken += page.sizes[page.signatures[node]]
        own_taken += page.own_sizes[page.own_signatures[node]]
    kinds = _kinds(page, found, size, &commonest)
    _put(found, kinds)
    _put(found, <double> kinds / size)
    _put(found, taken / square)
    _put(found, (taken - size) / size if kinds == 1 else -1)
    for at in range(size):
        found.numbers[at] = page.parent[found.chosen[at]] + 1
        found.values[at] = page.depth[found.chosen[at]]
    _put(found, <double> _kinds(page, found, size, &commonest) / size)
    _put(found, _total(found.values, size) / size)
    _put(found, _spread(found, size))
    for at in range(size):
        found.numbers[at] = page.texts[page.first[found.chosen[at]]]
    _put(found, <double> _kinds(page, found, size, &commonest) / size)
    for at in range(size):
        found.numbers[at] = page.own_signatures[found.chosen[at]]
    kinds = _kinds(page, found, size, &commonest)
    _put(found, kinds)
    _put(found, <double> kinds / size)
    _put(found, <double> commonest / size)
    for at in range(size):
        found.numbers[at] = page.tags[found.chosen[at]]
    _kinds(page, found, size, &commonest)
    _put(found, <double> commonest / size)
    _put(found, own_taken / square)


cdef void _left_out(_Nodes *page, _Set *found) noexcept nogil:
    """Write the best scores among the nodes outside the posts, and among those inside them."""
    cdef Py_ssize_t place = 0, others = 0
    cdef int64_t node, inside
    cdef double best = LOW, third = LOW, within = LOW
    cdef bint is_within = False
    _hold(page, found)
    while place < page.nodes and not (is_within and others >= 3):
        node = page.order[place]
        inside = page.held[page.last[node]] - page.held[page.first[node]]
        if not inside:
            others += 1
            if others == 1:
                best = page.smooth[node]
            elif others == 3:
                third = page.smooth[node]
        elif not is_within and inside == page.last[node] - page.first[node]:
            is_within = not _is_among(found, node)
            if is_within:
                within = page.smooth[node]
        place += 1
    _put(found, best)
    _put(found, third)
    _put(found, within)


cdef void _elements(_Nodes *page, _Set *found) noexcept nogil:
    _put(found, _mean_log(page, found, found.elements, found.size, KINDS, IMAGES))
    _put(found, _mean_log(page, found, found.elements, found.size, KINDS, PARAGRAPHS))
    _put(found, _mean_log(page, found, found.elements, found.size, KINDS, ITEMS))
    _put(found, _with(found.elements, found.size, KINDS, HEADINGS))
    _put(found, _mean_log(page, found, found.around, found.size, KINDS, TIMES))
    _put(found, _mean_log(page, found, found.around, found.size, KINDS, IMAGES))
    _put(found, _mean_log(page, found, found.around, found.size, KINDS, CONTROLS))


cdef void _common(_Nodes *page, _Set *found) noexcept nogil:
    """Write how deep the innermost elements are that hold each post and the first block of the next."""
    cdef Py_ssize_t at, gaps = found.gaps, level, commonest
    cdef int64_t node, goal
    cdef double *depths = found.values
    for at in range(gaps):
        node, goal, level = found.chosen[at], page.first[found.chosen[at + 1]], 0
        while level < HIGHEST and node > 0 and page.last[node] <= goal:
            node, level = page.parent[node], level + 1
        found.numbers[at], depths[at] = node, page.depth[node]
    _put(found, _spread(found, gaps))
    _put(found, _most(depths, gaps) - _least(depths, gaps))
    _put(found, _total(depths, gaps) / gaps)
    _kinds(page, found, gaps, &commonest)
    _put(found, <double> commonest / gaps)
    for at in range(gaps):
        depths[at] = page.depth[found.chosen[at + 1]] - depths[at]
    _put(found, _total(depths, gaps) / gaps)
    _put(found, _spread(found, gaps))


cdef inline void _put(_Set *found, double number) noexcept nogil:
    """Write the next column."""
    found.out[0] = <float> number
    found.out += found.step


cdef inline double _log(const _Nodes *page, double count) noexcept nogil:
    return page.logs[<int> count] if 0 <= count < KNOWN_LOGS else log1p(count)


cdef inline void _stretch(const _Nodes *page, int64_t begin, int64_t end, double *out) noexcept nogil:
    """Write the sums over the blocks from one to another."""
    cdef int column
    for column in range(COLUMNS):
        out[column] = page.sums[end * COLUMNS + column] - page.sums[begin * COLUMNS + column]


cdef double _sum_of(const _Set *found, Py_ssize_t column) noexcept nogil:
    """The sum over the posts of a count inside them."""
    cdef Py_ssize_t at
    cdef double total = 0
    for at in range(found.size):
        total += found.inside[at * COLUMNS + column]
    return total


cdef double _with(const double *table, Py_ssize_t rows, Py_ssize_t width, Py_ssize_t column) noexcept nogil:
    """The share of rows of a table where a count is not 0."""
    cdef Py_ssize_t at
    cdef double count = 0
    for at in range(rows):
        count += table[at * width + column] > 0
    return count / rows


cdef double _mean_log(
    const _Nodes *page, _Set *found, const double *table, Py_ssize_t rows, Py_ssize_t width, Py_ssize_t column
) noexcept nogil:
    """The mean of the logarithms of a count; these stay as the set's values."""
    cdef Py_ssize_t at
    for at in range(rows):
        found.values[at] = _log(page, table[at * width + column])
    return _total(found.values, rows) / rows


cdef double _spread(_Set *found, Py_ssize_t count) noexcept nogil:
    """The standard deviation of the first of the set's values."""
    cdef Py_ssize_t at
    cdef double mean = _total(found.values, count) / count
    for at in range(count):
        found.others[at] = (found.values[at] - mean) * (found.values[at] - mean)
    return sqrt(_total(found.others, count) / count)


cdef double _total(const double *values, Py_ssize_t count) noexcept nogil:
    """The sum as ``np.add.reduceat`` has it, to the last digit."""
    return values[0] + _pairwise(values + 1, count - 1)


cdef double _pairwise(const double *values, Py_ssize_t count) noexcept nogil:
    """The sum in the order in which numpy adds: blocks of no more than 128 numbers in eight parts."""
    cdef Py_ssize_t at, part, half
    cdef double[8] parts
    cdef double total = 0
    if count > 128:
        half = count // 2
        half -= half % 8
        return _pairwise(values, half) + _pairwise(values + half, count - half)
    at = 0
    if count >= 8:
        for part in range(8):
            parts[part] = values[part]
        at = 8
        while at < count - count % 8:
            for part in range(8):
                parts[part] += values[at + part]
            at += 8
        total = ((parts[0] + parts[1]) + (parts[2] + parts[3])) + ((parts[4] + parts[5]) + (parts[6] + parts[7]))
    while at < count:
        total += values[at]
        at += 1
    return total


cdef double _least(const double *values, Py_ssize_t count) noexcept nogil:
    cdef Py_ssize_t at
    cdef double least = values[0]
    for at in range(1, count):
        least = min(least, values[at])
    return least


cdef double _most(const double *values, Py_ssize_t count) noexcept nogil:
    cdef Py_ssize_t at
    cdef double most = values[0]
    for at in range(1, count):
        most = max(most, values[at])
    return most


cdef Py_ssize_t _kinds(_Nodes *page, const _Set *found, Py_ssize_t count, Py_ssize_t *commonest) noexcept nogil:
    """How many different ones there are among the first of the set's numbers; tells how often the commonest comes."""
    cdef Py_ssize_t at, kinds = 0, most = 0
    cdef int64_t number
    page.now += 1
    for at in range(count):
        number = found.numbers[at]
        if page.seen[number] != page.now:
            page.seen[number], page.times[number] = page.now, 0
            kinds += 1
        page.times[number] += 1
        most = max(most, page.times[number])
    commonest[0] = most
    return kinds


cdef void _hold(_Nodes *page, const _Set *found) noexcept nogil:
    """Find how many blocks before each one, and in all, stand in the posts."""
    cdef Py_ssize_t at
    cdef int64_t block = 0, inside = 0
    page.held[0] = 0
    for at in range(found.size + 1):
        while block < (page.first[found.chosen[at]] if at < found.size else page.blocks):
            block += 1
            page.held[block] = inside
        while at < found.size and block < page.last[found.chosen[at]]:
            block, inside = block + 1, inside + 1
            page.held[block] = inside


cdef bint _is_among(const _Set *found, int64_t node) noexcept nogil:
    """Whether a node is one of the posts."""
    cdef Py_ssize_t low = 0, high = found.size, middle
    while low < high:
        middle = (low + high) // 2
        if found.chosen[middle] < node:
            low = middle + 1
        else:
            high = middle
    return low < found.size and found.chosen[low] == node


cdef int _growing(const void *one, const void *other) noexcept nogil:
    cdef double left = (<const double *> one)[0], right = (<const double *> other)[0]
    return (left > right) - (left < right)

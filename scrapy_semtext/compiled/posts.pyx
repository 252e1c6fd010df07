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


def joints(
    const int64_t[::1] nodes, const int64_t[::1] goals, const int64_t[::1] last, const int64_t[::1] parent,
    Py_ssize_t highest, int64_t[::1] out,
):
    """Write the innermost of each node and those around it in which the block ``goals`` stands, (nodes,).

    That is looked for no more than ``highest`` levels up; ``last``, ``parent`` are those of all nodes of a page.
    """
    cdef Py_ssize_t at, level
    cdef int64_t node
    for at in range(nodes.shape[0]):
        node, level = nodes[at], 0
        while level < highest and node > 0 and last[node] <= goals[at]:
            node, level = parent[node], level + 1
        out[at] = node


def left_out(
    const int64_t[::1] chosen, const int64_t[::1] lengths, const double[::1] scores, const int64_t[::1] first,
    const int64_t[::1] last, const int64_t[::1] order, int64_t[::1] held, double[:, ::1] out,
):
    """Write the columns of `CandidateRows._left_out`, (3, candidates), where there is such a score.

    ``chosen``: the nodes of all candidates, each of a length; ``scores``, ``first``, ``last``: of all nodes; ``order``:
    these, from the highest score on; ``held`` is room for a number for each block and one more.
    """
    cdef Py_ssize_t candidate, begin = 0, place, others
    cdef int64_t node, inside
    cdef bint is_within
    for candidate in range(lengths.shape[0]):
        _hold(chosen[begin:begin + lengths[candidate]], first, last, held)
        place = others = 0
        is_within = False
        while place < order.shape[0] and not (is_within and others >= 3):
            node = order[place]
            inside = held[last[node]] - held[first[node]]
            if not inside:
                others += 1
                if others == 1 or others == 3:
                    out[others // 2, candidate] = scores[node]
            elif not is_within and inside == last[node] - first[node]:
                is_within = not _is_among(chosen[begin:begin + lengths[candidate]], node)
                if is_within:
                    out[2, candidate] = scores[node]
            place += 1
        begin += lengths[candidate]


cdef void _hold(
    const int64_t[::1] chosen, const int64_t[::1] first, const int64_t[::1] last, int64_t[::1] held
) noexcept:
    """Write how many blocks before each one, and in all, stand in nodes that are in page order, none in another."""
    cdef Py_ssize_t at, block = 0, inside = 0
    held[0] = 0
    for at in range(chosen.shape[0] + 1):
        while block < (first[chosen[at]] if at < chosen.shape[0] else held.shape[0] - 1):
            block += 1
            held[block] = inside
        while at < chosen.shape[0] and block < last[chosen[at]]:
            block, inside = block + 1, inside + 1
            held[block] = inside


cdef bint _is_among(const int64_t[::1] chosen, int64_t node) noexcept:
    """Whether a node is one of those in rising order."""
    cdef Py_ssize_t low = 0, high = chosen.shape[0], middle
    while low < high:
        middle = (low + high) // 2
        if chosen[middle] < node:
            low = middle + 1
        else:
            high = middle
    return low < chosen.shape[0] and chosen[low] == node

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""The columns that trees judge blocks by: see `scrapy_semtext.structure.rows`, `names` and `block_table`.

Scopes stand behind their parents, the root, its own parent, first. Tables have a line for each column. That numbers of
scopes are in range, and arrays of the sizes given, is not checked.
"""

from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.dict cimport PyDict_GetItem
from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memset

cdef enum:
    _CHARS = 0  # the columns of BlockTable.totals
    _LINKS = 1
    _BLOCKS = 2
    _PROSE_CHARS = 3
    _HEADINGS = 4
    _SENTENCES = 5
    _PROSE = 6

cdef uint64_t _SPREAD = 0x9E3779B97F4A7C15  # a number whose multiples differ in their first bits
cdef float _FAR = 999, _ONE = 1


def block_columns(
    list texts, list links, const double[::1] words, const int64_t[::1] looks, list levels, double prose_words,
    double prose_links, double[:, ::1] out, int64_t[::1] headings,
):
    """Write the columns of `BlockTable`, (7, blocks), but for sentences, and the levels of headings, (blocks,).

    ``links``: the characters in links; ``words`` and ``looks``: (blocks,); ``levels``: the heading that a look is, or 0.
    Prose has ``prose_words`` and a share in links below ``prose_links``.
    """
    cdef Py_ssize_t block
    cdef double chars, in_links
    cdef bint prose
    for block in range(headings.shape[0]):
        chars, in_links = len(<str?> texts[block]), links[block]
        prose = words[block] > prose_words - 0.5 and in_links < prose_links * chars
        headings[block] = levels[looks[block]]
        out[_CHARS, block] = chars
        out[_LINKS, block] = in_links
        out[_BLOCKS, block] = 1
        out[_PROSE_CHARS, block] = chars if prose else 0
        out[_HEADINGS, block] = headings[block] > 0
        out[_PROSE, block] = prose


def totals(const double[:, ::1] columns, const int64_t[::1] first, const int64_t[::1] last, double[:, ::1] out):
    """Write the sums of block columns, (columns, blocks), over the blocks inside each scope: (columns, scopes)."""
    cdef Py_ssize_t column, block, scope
    cdef bytearray room = bytearray((columns.shape[1] + 1) * sizeof(double))
    cdef double *sums = <double *> PyByteArray_AS_STRING(room)
    for column in range(columns.shape[0]):
        for block in range(columns.shape[1]):
            sums[block + 1] = sums[block] + columns[column, block]
        for scope in range(first.shape[0]):
            out[column, scope] = sums[last[scope]] - sums[first[scope]]


def of_scopes(const double[:, ::1] totals, list scopes, const int64_t[::1] alike, double[:, ::1] out):
    """Write the numbers of scopes, (14, scopes), before logarithms are taken: ten of their own, four of those alike.

    ``totals``: (7, scopes); ``alike``: (scopes,), a number for each, the same for those that are alike.
    """
    cdef Py_ssize_t count = alike.shape[0], at
    cdef double chars, blocks, most_prose = max(totals[_PROSE_CHARS, 0], 1.0)
    cdef bytearray room = bytearray(4 * count * sizeof(double))
    cdef double *sums = <double *> PyByteArray_AS_STRING(room)
    cdef double *own
    for at in range(count):
        own = sums + 4 * alike[at]
        own[0] += 1
        own[1] += totals[_CHARS, at]
        own[2] += totals[_PROSE_CHARS, at]
        own[3] += totals[_PROSE_CHARS, at] > 0
    for at in range(count):
        chars, blocks, own = totals[_CHARS, at], totals[_BLOCKS, at], sums + 4 * alike[at]
        out[0, at] = chars
        out[1, at] = totals[_LINKS, at] / chars
        out[2, at] = blocks
        out[3, at] = totals[_PROSE_CHARS, at] / chars
        out[4, at] = chars / totals[_CHARS, 0]
        out[5, at] = totals[_PROSE_CHARS, at] / most_prose
        out[6, at] = totals[_PROSE, at] / blocks
        out[8, at] = 100 * totals[_SENTENCES, at] / chars
        out[9, at] = totals[_HEADINGS, at] / blocks
        out[10, at] = own[0]
        out[11, at] = own[1] / own[0]
        out[12, at] = (own[2] / own[0]) / (own[1] / own[0])
        out[13, at] = own[3] / own[0]
    for at in range(count):
        out[7, at] = scopes[at].children


def above(
    const float[:, ::1] table, const int64_t[::1] of_block, const int64_t[::1] parent, tuple levels, float[:, ::1] out,
):
    """Write what ``table``, (columns, scopes), has for the scopes above each block: (levels * columns, blocks).

    They are those so many ``levels``, in rising order, above that of the block, or the root.
    """
    cdef Py_ssize_t count = of_block.shape[0], line = 0, level = 0, wanted, column, block
    cdef bytearray room = bytearray(count * sizeof(int64_t))
    cdef int64_t *scopes = <int64_t *> PyByteArray_AS_STRING(room)
    for block in range(count):
        scopes[block] = of_block[block]
    for wanted in levels:
        while level < wanted:
            level += 1
            for block in range(count):
                scopes[block] = parent[scopes[block]]
        for column in range(table.shape[0]):
            for block in range(count):
                out[line, block] = table[column, scopes[block]]
            line += 1


def places(
    const int64_t[::1] of_block, const int64_t[::1] parent, const int64_t[::1] depth, const int64_t[::1] of_scope,
    list looks, const int64_t[::1] headings, const uint8_t[::1] prose, const double[::1] words, double all_words,
    const double[:, ::1] totals, const int64_t[::1] joint, const int64_t[::1] levels_off, Py_ssize_t end,
    float[:, ::1] out,
):
    """Write where blocks stand, (14, blocks): see `scrapy_semtext.structure.rows`.

    ``looks`` are tags with names, ``of_scope`` that of each scope; ``end`` is the last scope of the path.
    """
    cdef Py_ssize_t count = of_block.shape[0], block, scope, heading = -1, title = -1, next_prose = -1, last_prose = -1
    cdef Py_ssize_t proses = 0, before = 0
    cdef double most_prose = max(totals[_PROSE_CHARS, 0], 1.0), most_words = max(all_words, 1.0), words_before = 0
    _write_shares_alike(of_block, parent, of_scope, looks, out)
    for block in range(count - 1, -1, -1):
        if prose[block]:
            next_prose = block
            proses += 1
        out[10, block] = next_prose - block if next_prose >= 0 else _FAR
    for block in range(count):
        scope = joint[of_block[block]]
        if headings[block]:
            heading = block
            if headings[block] == 1:
                title = block
        words_before += words[block]
        out[0, block] = levels_off[of_block[block]]
        out[1, block] = scope == end
        out[2, block] = totals[_PROSE_CHARS, scope] / most_prose
        out[3, block] = totals[_CHARS, scope] / totals[_CHARS, 0]
        out[4, block] = depth[of_block[block]]
        out[5, block] = block - heading if heading >= 0 else -1
        out[6, block] = headings[heading] if heading >= 0 else 0
        out[7, block] = block - title if title >= 0 else -1
        out[9, block] = headings[block]
        out[11, block] = block - last_prose if last_prose >= 0 else _FAR
        out[12, block] = <double> before / <double> max(proses, 1)
        out[13, block] = words_before / most_words
        if prose[block]:
            last_prose = block
            before += 1


cdef int _write_shares_alike(
    const int64_t[::1] of_block, const int64_t[::1] parent, const int64_t[::1] of_scope, list looks, float[:, ::1] out,
) except -1:
    """Write the share of blocks whose elements have the look of each block's and stand in elements of the same tag."""
    cdef Py_ssize_t count = of_block.shape[0], size = 4, block, scope, look
    cdef int64_t key
    cdef uint64_t slot
    cdef dict numbers = {}
    cdef list tags = [numbers.setdefault((<tuple?> each)[0], len(numbers)) for each in looks]
    while size < 2 * count:
        size *= 2
    cdef bytearray room = bytearray((2 * size + count) * sizeof(int64_t))
    cdef int64_t *keys = <int64_t *> PyByteArray_AS_STRING(room)
    cdef int64_t *times = keys + size  # 0 where no key is yet
    cdef int64_t *slots = times + size
    for block in range(count):
        scope = of_block[block]
        look = of_scope[parent[scope]]
        # the root stands in no other
        key = of_scope[scope] * (len(looks) + 1) + (<Py_ssize_t> tags[look] if scope else len(looks))
        slot = (<uint64_t> key * _SPREAD) >> 32 & (size - 1)
        while times[slot] and keys[slot] != key:
            slot = slot + 1 & (size - 1)
        keys[slot] = key
        times[slot] += 1
        slots[block] = slot
    for block in range(count):
        out[8, block] = <double> times[slots[block]] / <double> count
    return 0


def nearness(
    list looks, list words, dict of_word, dict of_tag, const int64_t[::1] of_scope, const int64_t[::1] parent,
    const int64_t[::1] of_block, float[:, ::1] out,
):
    """Write how near words are to blocks, (words, blocks): see `scrapy_semtext.structure.names`.

    ``looks`` are tags with names, ``words`` a set of those of the names for each look; ``of_word`` and ``of_tag`` have
    the columns of words and of tags; ``of_scope`` says which look a scope has. Time grows with the depth of blocks.
    """
    cdef Py_ssize_t block, scope, look, size = 0, at
    cdef float near
    cdef frozenset own
    cdef PyObject *column
    for own in words:
        size += len(own) + 1
    cdef bytearray room = bytearray((len(looks) + 1 + size) * sizeof(int64_t))
    cdef int64_t *begins = <int64_t *> PyByteArray_AS_STRING(room)
    cdef int64_t *columns = begins + len(looks) + 1
    size = 0
    for look in range(len(looks)):
        begins[look] = size
        for word in <frozenset> words[look]:
            column = PyDict_GetItem(of_word, word)
            if column != NULL:
                columns[size] = <object> column
                size += 1
        column = PyDict_GetItem(of_tag, (<tuple?> looks[look])[0])
        if column != NULL:
            columns[size] = <object> column
            size += 1
    begins[len(looks)] = size
    if out.shape[0]:
        memset(&out[0, 0], 0, out.shape[0] * out.shape[1] * sizeof(float))
    for block in range(of_block.shape[0]):
        scope = of_block[block]
        near = 1
        while True:
            look = of_scope[scope]
            for at in range(begins[look], begins[look + 1]):
                if out[columns[at], block] == 0:
                    out[columns[at], block] = near
            if scope == 0:
                break
            scope = parent[scope]
            near = near / (_ONE + near)


def highest_ratio(
    const double[::1] likely, const double[::1] words, const double[::1] factors, const double[::1] shares,
    double[::1] ratios,
):
    """Return how many of the first blocks to keep for the highest expected F1: see `expected_f1_choice`.

    ``likely``, ``words``: (blocks,), at least one, in the order of likelihood; ``factors``, ``shares``: (shifts,), those
    of the odds. ``ratios``: zeros, (blocks,), becomes the expected F1.
    """
    cdef Py_ssize_t shift, block, best = 0, blocks = likely.shape[0]
    cdef double more, hits, kept, every
    for shift in range(factors.shape[0]):
        every = hits = kept = 0
        for block in range(blocks):
            more = likely[block] * factors[shift]
            every += more / (more + 1 - likely[block]) * words[block]
        for block in range(blocks):
            more = likely[block] * factors[shift]
            hits += more / (more + 1 - likely[block]) * words[block]
            kept += words[block]
            ratios[block] += 2 * shares[shift] * hits / (kept + every)
    for block in range(blocks):
        if ratios[block] > ratios[best]:
            best = block
    return best + 1

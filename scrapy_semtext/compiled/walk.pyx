# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""The walk through a page's tree that `scrapy_semtext.segment.search` takes; what it does is said there."""

cimport cython
from cpython.dict cimport PyDict_GetItemWithError
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF, Py_XDECREF
from cpython.unicode cimport PyUnicode_DATA, PyUnicode_KIND, PyUnicode_READ
from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memcmp, memcpy

from types import MemberDescriptorType

from scrapy_semtext.sectioning.style import STYLING
from scrapy_semtext.tags import BREAK_OUT, GROUPS, INTEGRATION_POINTS, PAGE_PARTS, Group

cdef extern from "structmember.h":
    ctypedef struct PyMemberDef:
        Py_ssize_t offset
    ctypedef struct PyMemberDescrObject:
        PyMemberDef *d_member

cdef extern from "Python.h":
    object PyType_GenericAlloc(type kind, Py_ssize_t items)
    void PyObject_GC_UnTrack(void *value)
    str PyUnicode_New(Py_ssize_t size, Py_UCS4 maxchar)
    void PyUnicode_WRITE(int kind, void *data, Py_ssize_t index, Py_UCS4 value)
    bint Py_UNICODE_ISSPACE(Py_UCS4 ch) nogil
    bint Py_UNICODE_ISLOWER(Py_UCS4 ch) nogil
    bint Py_UNICODE_ISUPPER(Py_UCS4 ch) nogil

cdef enum:
    OTHER_SPACE = 1 << 30  # no character's bit
    MOST_SLOTS = 8
    # attributes
    ID = 1
    CLASS = 2
    STYLE = 4
    ALIGN = 8
    HIDDEN = 16
    # what is asked of tags beside their groups
    GROUP = 15
    MAY_HOLD_PAGE = 16
    TEMPLATE = 32
    FONT = 64
    MAY_STYLE = 128

cdef int REMOVED = Group.REMOVED, SWALLOWER = Group.SWALLOWER, INLINE = Group.INLINE, VOID = Group.VOID
cdef int LINK = Group.LINK, BREAK = Group.BREAK, BOUNDARY = Group.BOUNDARY
cdef int PREFORMATTED = Group.PREFORMATTED, RULE = Group.RULE, CELL = Group.CELL
# The groups of tags, with what else is asked of them.
cdef dict groups = {tag: int(group) for tag, group in GROUPS.items()}
groups["button"] |= MAY_HOLD_PAGE
groups["template"] |= TEMPLATE
groups["font"] |= FONT
for _tag in STYLING:
    groups[_tag] = groups.get(_tag, INLINE) | MAY_STYLE
# Which of the first characters are white space or NUL, and so part words.
cdef uint8_t[256] parts
for _code in range(256):
    parts[_code] = _code == 0 or chr(_code).isspace()
cdef frozenset page_parts = PAGE_PARTS, break_out = BREAK_OUT, integration_points = INTEGRATION_POINTS


# Scopes and blocks are made without a call of their classes: where an object of a class with __slots__ has each of them,
# its class says.
cdef struct ScopeSlots:
    Py_ssize_t element, parent, tag, names, hidden, centred, depth, children, has_text

cdef struct BlockSlots:
    Py_ssize_t text, scope, runs, link_chars, style, hidden

cdef ScopeSlots in_scope
cdef BlockSlots in_block
cdef type scope_class = None, block_class = None


cdef Py_ssize_t _place(type kind, str name) except -1:
    """Where the objects of a class have a slot; TypeError if it is no slot, AttributeError if there is none."""
    slot = getattr(kind, name)
    if type(slot) is not MemberDescriptorType:
        raise TypeError(f"{kind.__name__}.{name} is no slot")
    return (<PyMemberDescrObject *> slot).d_member.offset


cdef int _learn(type scopes, type blocks) except -1:
    global scope_class, block_class
    if scopes is scope_class and blocks is block_class:
        return 0
    scope_class = block_class = None
    in_scope.element, in_scope.parent = _place(scopes, "element"), _place(scopes, "parent")
    in_scope.tag, in_scope.names = _place(scopes, "tag"), _place(scopes, "names")
    in_scope.hidden, in_scope.centred = _place(scopes, "hidden"), _place(scopes, "centred")
    in_scope.depth = _place(scopes, "depth")
    in_scope.children, in_scope.has_text = _place(scopes, "children"), _place(scopes, "has_text")
    in_block.text, in_block.scope, in_block.runs = _place(blocks, "text"), _place(blocks, "scope"), _place(blocks, "runs")
    in_block.link_chars, in_block.hidden = _place(blocks, "link_chars"), _place(blocks, "hidden")
    in_block.style = _place(blocks, "style")
    scope_class, block_class = scopes, blocks
    return 0


cdef inline object _get(thing, Py_ssize_t place):
    cdef PyObject *value = (<PyObject **> (<char *> <PyObject *> thing + place))[0]
    if value == NULL:
        raise AttributeError("a slot was not set")
    return <object> value


cdef inline int _set(thing, Py_ssize_t place, value) except -1:
    cdef PyObject **slot = <PyObject **> (<char *> <PyObject *> thing + place)
    cdef PyObject *before = slot[0]
    Py_INCREF(value)
    slot[0] = <PyObject *> value
    Py_XDECREF(before)
    return 0


cdef object _scope(_Open place, above):
    scope = PyType_GenericAlloc(scope_class, 0)
    _set(scope, in_scope.element, place.element)
    _set(scope, in_scope.parent, above)
    _set(scope, in_scope.tag, place.tag)
    _set(scope, in_scope.names, _names(place.element, place.attributes))
    _set(scope, in_scope.hidden, place.hidden)
    _set(scope, in_scope.centred, place.style.centred)
    _set(scope, in_scope.depth, 0 if above is None else <int> _get(above, in_scope.depth) + 1)
    _set(scope, in_scope.children, 0)
    _set(scope, in_scope.has_text, True)
    return scope


cdef object _block(str text, scope, list runs, Py_ssize_t link_chars, style):
    block = PyType_GenericAlloc(block_class, 0)
    _set(block, in_block.text, text)
    _set(block, in_block.scope, scope)
    _set(block, in_block.runs, runs)
    _set(block, in_block.link_chars, link_chars)
    _set(block, in_block.style, style)
    _set(block, in_block.hidden, _get(scope, in_scope.hidden))
    return block


def made(type kind not None, tuple names not None, tuple columns not None):
    """Return values of a class with __slots__, made without a call of it, that the garbage collector does not know of.

    ``columns`` are lists of what the slots of these ``names`` hold, which has to be texts and numbers; there have to be
    all slots of the class. Raises ValueError for columns of different lengths.
    """
    cdef Py_ssize_t[MOST_SLOTS] places
    cdef Py_ssize_t count, row, column, many = len(names)
    cdef list values, found = []
    if not 0 < many <= MOST_SLOTS or len(columns) != many:
        raise ValueError("not a column for each slot")
    count = len(columns[0])
    for column in range(many):
        places[column] = _place(kind, names[column])
        values = columns[column]
        if len(values) != count:
            raise ValueError("columns of different lengths")
    for row in range(count):
        value = PyType_GenericAlloc(kind, 0)
        for column in range(many):
            _set(value, places[column], (<list> columns[column])[row])
        PyObject_GC_UnTrack(<void *> value)
        found.append(value)
    return found


def search(
    root, type scopes not None, type blocks not None, preformatted, holds_page, restyled, plain
):
    """Return the blocks of the search phase below ``root``.

    The classes of scopes and blocks; what makes a text of what was collected in a <pre>, and tells whether a <button>
    holds a page. ``restyled`` gives the style in an element from that around it, which for the outermost is ``plain``,
    its tag, whether it is aligned to the centre, its style attribute, and its size; it is not asked for elements that
    change nothing.
    """
    cdef _Walk walk = _Walk()
    cdef int attributes
    _learn(scopes, blocks)
    walk.preformatted, walk.holds_page = preformatted, holds_page
    walk.restyled, walk.style = restyled, plain
    walk.blocks, walk.buffer, walk.runs, walk.opened = [], [], [], []
    tag, attributes = root.tag, _told_by(root.keys())
    if isinstance(tag, str):
        walk.dress(root, tag, _asked(tag), attributes, _declared(root, attributes))
    else:
        tag = ""
    walk.place = _opened(root, tag, BOUNDARY, None, None)
    walk.place.attributes, walk.place.style = attributes, walk.style
    walk.through(root)
    if walk.buffer:
        walk.cut()
    walk.place.close()
    return walk.blocks


@cython.final
@cython.freelist(32)
cdef class _Open:
    """An element that something is to be done at the end of; one of group 3 is a scope, which is made for a text."""

    cdef object element, tag, removed, scope, style
    cdef _Open around
    cdef _Open inner  # the next to be made a scope
    cdef int group, attributes, children
    cdef bint hidden

    cdef int close(self) except -1:
        if self.scope is not None:
            if self.children:
                _set(self.scope, in_scope.children, self.children)
            if self.around is not None:
                self.around.children += 1
        return 0


cdef _Open _opened(element, tag, int group, removed, _Open around):
    cdef _Open place = _Open.__new__(_Open)
    place.element, place.tag, place.group, place.removed, place.around = element, tag, group, removed, around
    return place


@cython.final
@cython.freelist(32)
cdef class _Level:
    """An element that the walk is in, the number of its children that were seen, and the style around it."""

    cdef object element, style
    cdef list children
    cdef Py_ssize_t at
    cdef _Level around


cdef _Level _level(element, style, _Level around):
    cdef _Level level = _Level.__new__(_Level)
    level.element, level.style, level.around = element, style, around
    level.children = element[:]  # sooner than an iterator
    return level


@cython.final
cdef class _Walk:
    cdef object preformatted, holds_page, restyled
    cdef object style  # that of text where the walk is
    cdef object first_style  # that of the first run
    cdef list styles  # how many characters all runs have, and their styles; None if these are the same
    cdef object tag_before, style_before, style_in  # the last tag that changed a style by itself, and the styles
    cdef list blocks, buffer, runs, opened
    cdef object removed  # the tag of the group-1 element that the walk is inside, if any
    cdef _Open place  # the innermost scope
    cdef Py_ssize_t link_chars, links, in_preformatted
    cdef bint after_link

    cdef int through(self, root) except -1:
        cdef _Level level = _level(root, None, None)
        self.add(root.text, root, False)
        while True:
            if level.at < len(level.children):
                child = level.children[level.at]
                level.at += 1
                style = self.style
                if not self.enter(child):
                    self.style = style
                    self.add(child.tail, child, True)
                    continue
                level = _level(child, style, level)
            elif level.around is not None:
                self.style = level.style
                self.leave(level.element)
                level = level.around
            else:
                return 0

    cdef bint enter(self, element) except -1:
        """Begin an element and its text; False for a comment, and if nothing below it is to be looked at."""
        cdef int group, attributes, asked
        cdef bint hides
        cdef str declared
        tag = element.tag
        if not isinstance(tag, str):
            return False
        asked = _asked(tag)
        group = asked & GROUP
        if self.removed is not None and tag not in (
            break_out if self.removed == "svg" or self.removed == "head" else page_parts
        ):
            if group == REMOVED or tag in integration_points:
                return False
            attributes = _told_by(element.keys())
            self.dress(element, tag, asked, attributes, _declared(element, attributes))
            return True
        if group == REMOVED:
            return False
        attributes = _told_by(element.keys())
        declared = _declared(element, attributes)
        self.dress(element, tag, asked, attributes, declared)
        hides = attributes & HIDDEN or (declared is not None and _hides(declared))
        if group >= BOUNDARY:
            self.start_boundary(element, tag, asked, attributes, hides)
        elif group != INLINE or hides:
            if not self.start_inline(element, tag, group, hides):
                return False
            if group == SWALLOWER:
                return True
        self.add(element.text, element, False)
        return True

    cdef int dress(self, element, tag, int asked, int attributes, str declared) except -1:
        """Set the style to that inside an element with these attributes, and this style attribute."""
        if attributes & (STYLE | ALIGN) or asked & FONT:
            centred = attributes & ALIGN and element.get(b"align") == "center"
            size = element.get(b"size") if asked & FONT else None
            self.style = self.restyled(self.style, tag, <bint> centred, declared, size)
        elif asked & MAY_STYLE:
            if tag != self.tag_before or self.style is not self.style_before:
                self.style_in = self.restyled(self.style, tag, False, None, None)
                self.tag_before, self.style_before = tag, self.style
            self.style = self.style_in
        return 0

    cdef int leave(self, element) except -1:
        """End an element and go on with the text behind it."""
        cdef _Open last
        tail = element.tail
        if self.opened:
            last = self.opened[len(self.opened) - 1]
            if last.element is element:
                self.opened.pop()
                self.end(last, tail)
        self.add(tail, element, True)
        return 0

    cdef int start_boundary(self, element, tag, int asked, int attributes, bint hides) except -1:
        cdef _Open place
        cdef int group = asked & GROUP
        if self.buffer:
            self.cut()
        self.after_link = False
        if group == RULE or (asked & MAY_HOLD_PAGE and len(element) and self.holds_page(element)):
            return 0
        place = _opened(element, tag, group, self.removed, self.place)
        place.hidden = hides or self.place.hidden or asked & TEMPLATE
        place.attributes, place.style = attributes, self.style
        self.place = place
        self.opened.append(place)
        self.removed = None
        if group == PREFORMATTED:
            self.in_preformatted += 1
        return 0

    cdef bint start_inline(self, element, tag, int group, bint hides) except -1:
        if group == SWALLOWER:
            self.opened.append(_opened(element, tag, group, self.removed, None))
            self.removed = tag
        elif group == BREAK:
            self.buffer.append("\0")
        elif group != VOID and hides:
            return False
        elif group == LINK:
            if self.after_link:
                self.buffer.append(" ")
            self.opened.append(_opened(element, tag, group, self.removed, None))
            self.links += 1
        return True

    cdef int end(self, _Open last, tail) except -1:
        self.removed = last.removed
        if last.group == LINK:
            self.links -= 1
            self.after_link = not tail
        elif last.group != SWALLOWER:
            if self.buffer:
                self.cut()
            self.after_link = False
            if last.group == PREFORMATTED:
                self.in_preformatted -= 1
            last.close()
            self.place = last.around
        return 0

    cdef int add(self, str text, element, bint is_tail) except -1:
        if text is None or self.removed is not None or not text or (not self.buffer and _is_space(text)):
            return 0
        self.after_link = False
        if self.buffer and not self.in_preformatted and _meet(self.buffer[len(self.buffer) - 1], text):
            tag = element.tag
            if isinstance(tag, str) and tag != "wbr":
                self.buffer.append(" ")
        self.buffer.append(text)
        if not self.runs:
            self.first_style = self.style
        else:
            if self.styles is None and self.style is not self.first_style and self.style != self.first_style:
                self.styles = [(_shown(_text(run)), self.first_style) for run in self.runs]
            if self.styles is not None:
                self.styles.append((_shown(text), self.style))
        self.runs.append((element, is_tail))
        if self.links:
            self.link_chars += _squeezed(text, 0, NULL, NULL)
        return 0

    cdef int cut(self) except -1:
        raw = self.buffer[0] if len(self.buffer) == 1 else "".join(self.buffer)
        text = self.preformatted(raw) if self.in_preformatted else _collapsed(raw)
        if text:
            style = self.first_style if self.styles is None else self.styles
            self.blocks.append(_block(text, self.scope(), self.runs, min(self.link_chars, len(<str> text)), style))
        self.buffer.clear()
        self.runs = []
        self.styles = None
        self.link_chars = 0
        return 0

    cdef object scope(self):
        """The innermost scope, made if it has not been, as are those around it."""
        cdef _Open place = self.place, inner = None
        while place is not None and place.scope is None:
            place.inner, inner = inner, place
            place = place.around
        above = None if place is None else place.scope
        while inner is not None:
            above = inner.scope = _scope(inner, above)
            place, inner = inner, inner.inner
            place.inner = None
        return above


cdef int _asked(str tag) except -1:
    cdef PyObject *asked = PyDict_GetItemWithError(groups, tag)
    if asked != NULL:
        return <object> asked
    return BOUNDARY if "-" in tag else INLINE


cdef int _told_by(list names) except -1:
    """Which of the attributes that tell something have these names."""
    cdef int told = 0
    cdef str name
    for name in names:
        if len(name) == 2:
            told |= _if_equal(name, b"id", ID)
        elif len(name) == 5:
            told |= _if_equal(name, b"class", CLASS) | _if_equal(name, b"style", STYLE) | _if_equal(name, b"align", ALIGN)
        elif len(name) == 6:
            told |= _if_equal(name, b"hidden", HIDDEN)
    return told


cdef inline int _if_equal(str name, const char *other, int bit) noexcept:
    """The bit if a name equals another one of ASCII, of the same length."""
    return bit if PyUnicode_KIND(name) == 1 and not memcmp(PyUnicode_DATA(name), other, len(name)) else 0


cdef str _declared(element, int attributes):
    return element.get(b"style") if attributes & STYLE else None  # lxml need not encode names that are bytes


cdef bint _hides(str declared) except -1:
    """Whether a style attribute hides its element."""
    cdef str squeezed = declared.replace(" ", "").lower()
    return "display:none" in squeezed or "visibility:hidden" in squeezed


cdef str _names(element, int attributes):
    identifier = element.get(b"id") if attributes & ID else None
    classes = element.get(b"class") if attributes & CLASS else None
    if identifier and classes:
        return f"{identifier} {classes}"
    return identifier or classes or ""


cdef str _text(tuple run):
    return run[0].tail if run[1] else run[0].text


cdef Py_ssize_t _shown(str text) except -1:
    """The number of characters but for white space."""
    cdef int kind = PyUnicode_KIND(text)
    cdef void *data = PyUnicode_DATA(text)
    cdef Py_ssize_t at, found = 0
    for at in range(len(text)):
        found += not Py_UNICODE_ISSPACE(PyUnicode_READ(kind, data, at))
    return found


cdef bint _is_space(str text):
    cdef int kind = PyUnicode_KIND(text)
    cdef void *data = PyUnicode_DATA(text)
    cdef Py_ssize_t at
    for at in range(len(text)):
        if not Py_UNICODE_ISSPACE(PyUnicode_READ(kind, data, at)):
            return False
    return True


cdef bint _meet(str before, str text):
    """Whether a lower-case letter stands before a capital."""
    return (
        Py_UNICODE_ISUPPER(PyUnicode_READ(PyUnicode_KIND(text), PyUnicode_DATA(text), 0))
        and Py_UNICODE_ISLOWER(PyUnicode_READ(PyUnicode_KIND(before), PyUnicode_DATA(before), len(before) - 1))
    )


def combined(list found not None, type scopes not None, type blocks not None, plain):
    """Return the blocks of the combine phase from those of the search phase, and the classes of scopes and blocks.

    ``plain`` is the style that those have that were joined.
    """
    cdef list stack = [], done = []
    cdef _Joined first, last
    _learn(scopes, blocks)
    for block in found:
        last = _joined(block)
        while stack:
            first = stack[len(stack) - 1]
            if first.scope is not last.scope and first.scope is not last.around and first.around is not last.around:
                break  # case 3, as most often
            separator = _joint(first, last)
            if separator is None:
                break
            if first.followers is None:
                first.followers = []
            first.followers.append((separator, last))
            last = stack.pop()
        stack.append(last)
    for first in stack:
        done.append(first.block if first.followers is None else first.settled(plain))
    return done


@cython.final
@cython.freelist(64)
cdef class _Joined:
    """A block of the combine phase: the blocks that were joined to it, and whether it stands for a leaf of the tree."""

    cdef object block, scope, around
    cdef list followers
    cdef bint leaf

    cdef object settled(self, plain):
        """A block with the text and nodes of all that were joined to this one, directly or not."""
        cdef list parts = [_get(self.block, in_block.text)], runs = list(_get(self.block, in_block.runs)), waiting
        cdef Py_ssize_t link_chars = _get(self.block, in_block.link_chars)
        cdef _Joined joined
        waiting = self.followers[::-1]
        while waiting:
            separator, joined = waiting.pop()
            parts.append(separator)
            parts.append(_get(joined.block, in_block.text))
            runs.extend(_get(joined.block, in_block.runs))
            link_chars += _get(joined.block, in_block.link_chars)
            if joined.followers is not None:
                waiting.extend(joined.followers[::-1])
        return _block("".join(parts), _get(self.block, in_block.scope), runs, link_chars, plain)


cdef _Joined _joined(block):
    cdef _Joined joined = _Joined.__new__(_Joined)
    if type(block) is not block_class:
        raise TypeError("not a block that was found")
    joined.block, joined.scope = block, _get(block, in_block.scope)
    if type(joined.scope) is not scope_class:
        raise TypeError("not the scope of a block")
    joined.around = _get(joined.scope, in_scope.parent)
    joined.leaf = _get(joined.scope, in_scope.children) == 0
    return joined


cdef str _joint(_Joined first, _Joined second):
    """What to write between two neighbouring blocks that belong together; None if they do not."""
    x, y = first.scope, second.scope
    if x is y:
        return "\n"
    if first.around is second.around:
        if not (first.leaf and second.leaf):
            return None
        tag = _get(x, in_scope.tag)
        if tag != _get(y, in_scope.tag) or _get(x, in_scope.names) != _get(y, in_scope.names):
            return None
        return "\t" if _asked(tag) & GROUP == CELL else "\n"
    if second.around is x and second.leaf and _get(x, in_scope.children) == 1 and not _get(y, in_scope.names):
        first.leaf = True
        return "\n"
    return None


cdef str _collapsed(str raw):
    """A text with each stretch of white space as one space, or as its line breaks (NUL) alone; none at the ends."""
    cdef uint32_t together = 0
    cdef Py_ssize_t size = _squeezed(raw, 0, NULL, &together)
    cdef str text
    if size == len(raw) and not together & OTHER_SPACE:
        return raw
    together &= ~OTHER_SPACE
    text = PyUnicode_New(size, 127 if together < 128 else 255 if together < 256 else min(together, 0x10FFFF))
    _squeezed(raw, PyUnicode_KIND(text), PyUnicode_DATA(text), NULL)
    return text


cdef Py_ssize_t _squeezed(str raw, int out_kind, void *out, uint32_t *together):
    """The length of a collapsed text, which is written to ``out`` if that is not NULL.

    ``together`` gets the bits of its characters, and OTHER_SPACE if white space but " " was read.
    """
    cdef int kind = PyUnicode_KIND(raw)
    cdef const void *data = PyUnicode_DATA(raw)
    cdef Py_ssize_t at = 0, end, size = 0, breaks, length = len(raw)
    cdef uint32_t character, bits = 0
    while True:
        breaks = 0
        while at < length:
            character = PyUnicode_READ(kind, data, at)
            if character == 0:
                breaks += 1
                bits |= OTHER_SPACE
            elif not Py_UNICODE_ISSPACE(character):
                break
            elif character != c" ":
                bits |= OTHER_SPACE
            at += 1
        if at == length:
            break
        end = _end_of_word(kind, data, at, length, &bits)
        if size:  # what was passed over is a space, or its line breaks
            character = c"\n" if breaks else c" "
            for _ in range(max(breaks, 1)):
                if out != NULL:
                    PyUnicode_WRITE(out_kind, out, size, character)
                size += 1
        if out != NULL:
            _copy(kind, data, at, end, out_kind, out, size)
        size += end - at
        at = end
    if together != NULL:
        together[0] = bits
    return size


cdef Py_ssize_t _end_of_word(int kind, const void *data, Py_ssize_t at, Py_ssize_t length, uint32_t *together):
    """Where white space begins, or the text ends, from a character on; adds the bits of what is before it."""
    cdef const uint8_t *bytes_ = <const uint8_t *> data
    cdef uint32_t character, bits = 0
    if kind == 1:
        while at < length and not parts[bytes_[at]]:
            bits |= bytes_[at]
            at += 1
    else:
        while at < length:
            character = PyUnicode_READ(kind, data, at)
            if character == 0 or Py_UNICODE_ISSPACE(character):
                break
            bits |= character
            at += 1
    together[0] |= bits
    return at


cdef void _copy(
    int kind, const void *data, Py_ssize_t at, Py_ssize_t end, int out_kind, void *out, Py_ssize_t place
) noexcept:
    if kind == out_kind:
        memcpy(<char *> out + place * kind, <const char *> data + at * kind, (end - at) * kind)
        return
    while at < end:
        PyUnicode_WRITE(out_kind, out, place, PyUnicode_READ(kind, data, at))
        at += 1
        place += 1

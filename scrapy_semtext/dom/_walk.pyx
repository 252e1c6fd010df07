# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""The walk through a page's tree that `scrapy_semtext.dom.segmentation.search` takes; what it does is said there."""

cimport cython
from cpython.dict cimport PyDict_GetItemWithError
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF, Py_XDECREF
from cpython.unicode cimport PyUnicode_DATA, PyUnicode_DecodeUTF8, PyUnicode_KIND, PyUnicode_READ
from libc.stdint cimport uint8_t, uint32_t, uintptr_t
from libc.string cimport memcpy, strcmp, strlen
from lxml.includes.etreepublic cimport (
    _Document, _Element, _isElement, attributeValue, elementFactory, hasChild, import_lxml__etree, namespacedName,
    tailOf, textOf
)
from lxml.includes.tree cimport (
    XML_CDATA_SECTION_NODE, XML_ELEMENT_NODE, XML_TEXT_NODE, XML_XINCLUDE_END, XML_XINCLUDE_START, const_xmlChar, xmlAttr,
    xmlNode
)

from types import MemberDescriptorType

from scrapy_semtext.dom.style import STYLING
from scrapy_semtext.dom.tags import BREAK_OUT, GROUPS, INTEGRATION_POINTS, PAGE_PARTS, Group

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

import_lxml__etree()  # ImportError if this lxml has another interface than the one that this was compiled for

cdef enum:
    OTHER_SPACE = 1 << 30  # no character's bit
    MOST_SLOTS = 8
    MOST_TAGS = 64  # known at a time, a power of two
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
# The tags that the package speaks of, each as one object: texts that are the same object are sooner known to be equal.
cdef dict interned = {tag: tag for tag in groups}


# Scopes and blocks are made without a call of their classes: where an object of a class with __slots__ has each of them,
# its class says.
cdef struct ScopeSlots:
    Py_ssize_t element, parent, tag, names, classes, hidden, centred, depth, children, has_text

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
    in_scope.classes = _place(scopes, "classes")
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


cdef object _scope(_Document document, _Open place, above):
    cdef str identifier = _value(place.node, b"id"), classes = _value(place.node, b"class")
    scope = PyType_GenericAlloc(scope_class, 0)
    _set(scope, in_scope.element, elementFactory(document, place.node))
    _set(scope, in_scope.parent, above)
    _set(scope, in_scope.tag, place.tag)
    _set(scope, in_scope.names, f"{identifier} {classes}" if identifier and classes else identifier or classes or "")
    _set(scope, in_scope.classes, classes)
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
    _Element root not None, type scopes not None, type blocks not None, preformatted, holds_page, restyled, plain
):
    """Return the blocks of the search phase below ``root``.

    The classes of scopes and blocks; what makes a text of what was collected in a <pre>, and tells whether a <button>
    holds a page. ``restyled`` gives the style in an element from that around it, which for the outermost is ``plain``,
    its tag, whether it is aligned to the centre, its style attribute, and its size; it is not asked for elements that
    change nothing.

    The walk goes over the nodes of libxml2: elements of lxml are made for scopes and runs alone. Raises TypeError for
    what is no element.
    """
    cdef _Walk walk = _Walk()
    cdef _Tag tag = None
    if root._c_node == NULL:
        raise TypeError("an element without a tree")
    _learn(scopes, blocks)
    walk.document, walk.tags = root._doc, {}
    walk.preformatted, walk.holds_page = preformatted, holds_page
    walk.restyled, walk.style = restyled, plain
    walk.blocks, walk.buffer, walk.runs, walk.opened, walk.outer_styles = [], [], [], [], []
    if root._c_node.type == XML_ELEMENT_NODE:
        tag = walk.tag(root._c_node)
        walk.dress(root._c_node, tag, _told(root._c_node))
    walk.place = _opened(root._c_node, "" if tag is None else tag.name, BOUNDARY, None, None)
    walk.place.style = walk.style
    walk.through(root._c_node)
    if walk.buffer:
        walk.cut()
    walk.place.close()
    return walk.blocks


@cython.final
@cython.freelist(64)
cdef class _Tag:
    """A tag, and what is asked of it."""

    cdef str name
    cdef int asked


# The attributes of an element that tell how its text looks, NULL where it has none.
cdef struct _Told:
    xmlAttr *style
    xmlAttr *align
    bint hidden


# Where libxml2 has a name, of which it keeps one for a document, and the tag of that name.
cdef struct _Known:
    const_xmlChar *name
    PyObject *tag


@cython.final
@cython.freelist(32)
cdef class _Open:
    """An element that something is to be done at the end of; one of group 3 is a scope, which is made for a text."""

    cdef xmlNode *node
    cdef object tag, removed, scope, style
    cdef _Open around
    cdef _Open inner  # the next to be made a scope
    cdef int group, children
    cdef bint hidden

    cdef int close(self) except -1:
        if self.scope is not None:
            if self.children:
                _set(self.scope, in_scope.children, self.children)
            if self.around is not None:
                self.around.children += 1
        return 0


cdef _Open _opened(xmlNode *node, str tag, int group, removed, _Open around):
    cdef _Open place = _Open.__new__(_Open)
    place.node, place.tag, place.group, place.removed, place.around = node, tag, group, removed, around
    return place


@cython.final
cdef class _Walk:
    cdef _Document document
    cdef object preformatted, holds_page, restyled
    cdef object style  # that of text where the walk is
    cdef object first_style  # that of the first run
    cdef list styles  # how many characters all runs have, and their styles; None if these are the same
    cdef list outer_styles  # those around the elements that the walk is in and that have another
    cdef object tag_before, style_before, style_in  # the last tag that changed a style by itself, and the styles
    cdef list blocks, buffer, runs, opened
    cdef object removed  # the tag of the group-1 element that the walk is inside, if any
    cdef _Open place  # the innermost scope
    cdef Py_ssize_t link_chars, links, in_preformatted
    cdef bint after_link
    cdef dict tags  # by their names
    cdef _Known[MOST_TAGS] known  # by where their names are

    cdef int through(self, xmlNode *root) except -1:
        cdef xmlNode *node
        cdef xmlNode *around = root
        self.add(root, False)
        node = _first_element(root.children)
        while True:
            if node == NULL:
                if around == root:
                    return 0
                self.leave(around)
                node, around = _first_element(around.next), around.parent
            elif self.enter(node):
                node, around = _first_element(node.children), node
            else:
                self.add(node, True)
                node = _first_element(node.next)

    cdef bint enter(self, xmlNode *node) except -1:
        """Begin an element and its text; False for a comment, and if nothing below it is to be looked at."""
        cdef _Tag tag
        cdef _Told told
        cdef int group
        cdef bint hides
        cdef str declared = None
        if node.type != XML_ELEMENT_NODE:
            return False
        tag = self.tag(node)
        group = tag.asked & GROUP
        if self.removed is not None and tag.name not in (
            break_out if self.removed == "svg" or self.removed == "head" else page_parts
        ):
            if group == REMOVED or tag.name in integration_points:
                return False
            self.outer_styles.append(self.style)
            self.dress(node, tag, _told(node))
            return True
        if group == REMOVED:
            return False
        told = _told(node)
        style = self.style
        declared = self.dress(node, tag, told)
        hides = told.hidden or (declared is not None and _hides(declared))
        if group >= BOUNDARY:
            self.start_boundary(node, tag, hides)
        elif group != INLINE or hides:
            if not self.start_inline(node, tag, hides):
                self.style = style
                return False
        self.outer_styles.append(style)
        if group != SWALLOWER:
            self.add(node, False)
        return True

    cdef str dress(self, xmlNode *node, _Tag tag, _Told told):
        """Set the style to that inside an element with these attributes; return its style attribute, None without one."""
        cdef str declared = None if told.style == NULL else attributeValue(node, told.style)
        if told.style != NULL or told.align != NULL or tag.asked & FONT:
            centred = told.align != NULL and attributeValue(node, told.align) == "center"
            size = _value(node, b"size") if tag.asked & FONT else None
            self.style = self.restyled(self.style, tag.name, <bint> centred, declared, size)
        elif tag.asked & MAY_STYLE:
            if tag.name != self.tag_before or self.style is not self.style_before:
                self.style_in = self.restyled(self.style, tag.name, False, None, None)
                self.tag_before, self.style_before = tag.name, self.style
            self.style = self.style_in
        return declared

    cdef int leave(self, xmlNode *node) except -1:
        """End an element and go on with the text behind it."""
        cdef _Open last
        self.style = self.outer_styles.pop()
        if self.opened:
            last = self.opened[len(self.opened) - 1]
            if last.node == node:
                self.opened.pop()
                self.end(last)
        self.add(node, True)
        return 0

    cdef int start_boundary(self, xmlNode *node, _Tag tag, bint hides) except -1:
        cdef _Open place
        cdef int group = tag.asked & GROUP
        if self.buffer:
            self.cut()
        self.after_link = False
        if group == RULE or (
            tag.asked & MAY_HOLD_PAGE and hasChild(node) and self.holds_page(elementFactory(self.document, node))
        ):
            return 0
        place = _opened(node, tag.name, group, self.removed, self.place)
        place.hidden = hides or self.place.hidden or tag.asked & TEMPLATE
        place.style = self.style
        self.place = place
        self.opened.append(place)
        self.removed = None
        if group == PREFORMATTED:
            self.in_preformatted += 1
        return 0

    cdef bint start_inline(self, xmlNode *node, _Tag tag, bint hides) except -1:
        cdef int group = tag.asked & GROUP
        if group == SWALLOWER:
            self.opened.append(_opened(node, tag.name, group, self.removed, None))
            self.removed = tag.name
        elif group == BREAK:
            self.buffer.append("\0")
        elif group != VOID and hides:
            return False
        elif group == LINK:
            if self.after_link:
                self.buffer.append(" ")
            self.opened.append(_opened(node, tag.name, group, self.removed, None))
            self.links += 1
        return True

    cdef int end(self, _Open last) except -1:
        self.removed = last.removed
        if last.group == LINK:
            self.links -= 1
            self.after_link = not _has_text(last.node.next)
        elif last.group != SWALLOWER:
            if self.buffer:
                self.cut()
            self.after_link = False
            if last.group == PREFORMATTED:
                self.in_preformatted -= 1
            last.close()
            self.place = last.around
        return 0

    cdef int add(self, xmlNode *node, bint is_tail) except -1:
        """Add the text at the beginning of an element, or behind it."""
        cdef str text
        cdef xmlNode *first = _text_node(node.next if is_tail else node.children)
        if first == NULL or self.removed is not None or (not self.buffer and _is_blank(first)):
            return 0
        text = _text_of(node, first, is_tail)
        if text is None or not text or (not self.buffer and _is_space(text)):
            return 0
        self.after_link = False
        if self.buffer and not self.in_preformatted and _meet(self.buffer[len(self.buffer) - 1], text):
            if node.type == XML_ELEMENT_NODE and self.tag(node).name != "wbr":
                self.buffer.append(" ")
        self.buffer.append(text)
        if not self.runs:
            self.first_style = self.style
        else:
            if self.styles is None and self.style is not self.first_style and self.style != self.first_style:
                self.styles = [(_shown(_text(run)), self.first_style) for run in self.runs]
            if self.styles is not None:
                self.styles.append((_shown(text), self.style))
        self.runs.append((elementFactory(self.document, node), is_tail))
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
            above = inner.scope = _scope(self.document, inner, above)
            place, inner = inner, inner.inner
            place.inner = None
        return above

    cdef _Tag tag(self, xmlNode *node):
        """The tag of an element."""
        cdef size_t place = <size_t> (<uintptr_t> node.name >> 3) & (MOST_TAGS - 1)
        cdef _Tag tag
        if node.ns == NULL and self.known[place].name == node.name:
            return <_Tag> self.known[place].tag
        name = namespacedName(node)
        tag = self.tags.get(name)
        if tag is None:
            tag = _Tag.__new__(_Tag)
            tag.name, tag.asked = interned.get(name, name), _asked(name)
            self.tags[name] = tag
        if node.ns == NULL:
            self.known[place].name, self.known[place].tag = node.name, <PyObject *> tag
        return tag


cdef int _asked(str tag) except -1:
    cdef PyObject *asked = PyDict_GetItemWithError(groups, tag)
    if asked != NULL:
        return <object> asked
    return BOUNDARY if "-" in tag else INLINE


cdef inline xmlNode *_first_element(xmlNode *node) noexcept:
    """The first that lxml takes for an element, comments among them, of a node and those behind it; NULL if none is."""
    while node != NULL and not _isElement(node):
        node = node.next
    return node


cdef inline xmlNode *_text_node(xmlNode *node) noexcept:
    """The node, or the one behind marks of XInclude, if it is text; else NULL."""
    while node != NULL and (node.type == XML_XINCLUDE_START or node.type == XML_XINCLUDE_END):
        node = node.next
    if node != NULL and (node.type == XML_TEXT_NODE or node.type == XML_CDATA_SECTION_NODE):
        return node
    return NULL


cdef bint _has_text(xmlNode *node) noexcept:
    """Whether the texts from a node on, up to the next element, have a character."""
    node = _text_node(node)
    while node != NULL and (node.content == NULL or not node.content[0]):
        node = _text_node(node.next)
    return node != NULL


cdef inline bint _is_blank(xmlNode *text) noexcept:
    """Whether a text that is one node, as most are, has nothing but white space of ASCII."""
    cdef const uint8_t *at = <const uint8_t *> text.content
    if _text_node(text.next) != NULL:
        return False
    if at != NULL:
        while at[0] < 128 and at[0] and parts[at[0]]:
            at += 1
    return at == NULL or not at[0]


cdef str _text_of(xmlNode *node, xmlNode *first, bint is_tail):
    """The text of an element, or the text behind it, of which ``first`` is the first node."""
    if _text_node(first.next) != NULL or first.content == NULL:
        return tailOf(node) if is_tail else textOf(node)
    return PyUnicode_DecodeUTF8(<const char *> first.content, strlen(<const char *> first.content), NULL)


cdef _Told _told(xmlNode *node) noexcept:
    """Which of the attributes that tell something an element has."""
    cdef _Told told
    cdef xmlAttr *attribute = node.properties if node.type == XML_ELEMENT_NODE else NULL
    told.style = told.align = NULL
    told.hidden = False
    while attribute != NULL:
        if attribute.ns == NULL:
            if not strcmp(<const char *> attribute.name, b"style"):
                told.style = attribute
            elif not strcmp(<const char *> attribute.name, b"align"):
                told.align = attribute
            elif not strcmp(<const char *> attribute.name, b"hidden"):
                told.hidden = True
        attribute = attribute.next
    return told


cdef str _value(xmlNode *node, const char *name):
    """The value of an attribute of an element, None if it has none of the name."""
    cdef xmlAttr *attribute = node.properties if node.type == XML_ELEMENT_NODE else NULL
    while attribute != NULL and (attribute.ns != NULL or strcmp(<const char *> attribute.name, name)):
        attribute = attribute.next
    return None if attribute == NULL else attributeValue(node, attribute)


cdef bint _hides(str declared) except -1:
    """Whether a style attribute hides its element."""
    cdef str squeezed = declared.replace(" ", "").lower()
    return "display:none" in squeezed or "visibility:hidden" in squeezed


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

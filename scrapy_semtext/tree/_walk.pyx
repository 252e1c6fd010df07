# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""The compiled search phase of `scrapy_semtext.tree.segmentation`, and a count for `scrapy_semtext.tree.parsing`."""

cimport cython
from cpython cimport array as arrays
from cpython.dict cimport PyDict_GetItemWithError
from cpython.object cimport PyObject
from cpython.unicode cimport (
    PyUnicode_DATA, PyUnicode_DecodeASCII, PyUnicode_DecodeUTF8, PyUnicode_KIND, PyUnicode_READ
)
from libc.stdint cimport int64_t, uint8_t, uintptr_t
from libc.string cimport memchr, strcmp, strlen
from lxml.includes.etreepublic cimport (
    _Document, _Element, _isElement, attributeValue, elementFactory, hasChild, import_lxml__etree, namespacedName,
    tailOf, textOf
)
from lxml.includes.tree cimport (
    XML_CDATA_SECTION_NODE, XML_ELEMENT_NODE, XML_TEXT_NODE, XML_XINCLUDE_END, XML_XINCLUDE_START, const_xmlChar, xmlAttr,
    xmlNode
)

from array import array

from scrapy_semtext.tree.tags import BREAK_OUT, GROUPS, INTEGRATION_POINTS, PAGE_PARTS, STYLING, Group

cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(object text)
    bint Py_UNICODE_ISSPACE(Py_UCS4 ch) nogil
    bint Py_UNICODE_ISLOWER(Py_UCS4 ch) nogil
    bint Py_UNICODE_ISUPPER(Py_UCS4 ch) nogil

import_lxml__etree()  # ImportError if the interface of the installed lxml differs from that at compile time

cdef enum:
    MOST_TAGS = 64  # maximum number of cached tags, a power of two
    # flags of tags besides their groups
    GROUP = 15
    MAY_HOLD_PAGE = 16
    TEMPLATE = 32
    FONT = 64
    MAY_STYLE = 128
    # columns of `SearchColumns.table`
    FIRST = 1
    LAST = 2
    COLUMNS = 5

cdef int REMOVED = Group.REMOVED, SWALLOWER = Group.SWALLOWER, INLINE = Group.INLINE, VOID = Group.VOID
cdef int LINK = Group.LINK, BREAK = Group.BREAK, BOUNDARY = Group.BOUNDARY
cdef int PREFORMATTED = Group.PREFORMATTED, RULE = Group.RULE
# Groups of tags combined with their flags.
cdef dict groups = {tag: int(group) for tag, group in GROUPS.items()}
groups["button"] |= MAY_HOLD_PAGE
groups["template"] |= TEMPLATE
groups["font"] |= FONT
for _tag in STYLING:
    groups[_tag] = groups.get(_tag, INLINE) | MAY_STYLE
# Which ASCII characters are white space.
cdef uint8_t[128] is_space
for _code in range(128):
    is_space[_code] = chr(_code).isspace()
cdef frozenset page_parts = PAGE_PARTS, break_out = BREAK_OUT, integration_points = INTEGRATION_POINTS


def search(
    _Element root not None, type scopes not None, type blocks not None, collapsed, preformatted, holds, are_apart,
    restyled, plain,
):
    """Return the values of `scrapy_semtext.tree.segmentation.SearchColumns` for the tree below ``root``.

    ``scopes`` and ``blocks`` are the classes `Scope` and `TextBlock`. ``collapsed`` and, in a <pre>, ``preformatted``
    convert the collected content of a block to its text; ``holds`` returns whether a <button> contains a page, or a hidden element prose; ``are_apart``
    returns whether to insert a space before a text where a capital follows a lower-case letter. ``restyled`` returns
    the style inside an element from the style around it (``plain`` around the root), its tag, whether it is centered,
    its style attribute and its size; it is only called for elements that may change the style.

    The walk uses libxml2's nodes: lxml elements are only created for scopes and runs. Raises TypeError if ``root`` is
    not an element.
    """
    cdef _Walk walk = _Walk()
    cdef _Tag tag = None
    if root._c_node == NULL:
        raise TypeError("an element without a tree")
    walk.document, walk.tags = root._doc, {}
    walk.scope_class, walk.block_class = scopes, blocks
    walk.collapsed, walk.preformatted, walk.holds, walk.are_apart = collapsed, preformatted, holds, are_apart
    walk.restyled, walk.style = restyled, plain
    walk.blocks, walk.buffer, walk.runs, walk.opened, walk.outer_styles = [], [], [], [], []
    walk.scopes, walk.pairs, walk.table, walk.of_block = [], {}, array("q"), array("q")
    if root._c_node.type == XML_ELEMENT_NODE:
        tag = walk.tag(root._c_node)
        walk.dress(root._c_node, tag, _styling_of(root._c_node))
    walk.place = _opened(root._c_node, "" if tag is None else tag.name, BOUNDARY, None, None)
    walk.place.style = walk.style
    walk.through(root._c_node)
    if walk.buffer:
        walk.cut()
    walk.close()
    return walk.blocks, walk.scopes, walk.table, walk.of_block, list(walk.pairs)


@cython.final
@cython.freelist(64)
cdef class _Tag:
    """A tag and its flags."""

    cdef str name
    cdef int asked


# The attributes of an element that may change the style of its text, NULL if missing.
cdef struct _Styling:
    xmlAttr *style
    xmlAttr *align
    bint hidden


# The address of a name in libxml2, which keeps one copy per document, and the tag of that name.
cdef struct _Known:
    const_xmlChar *name
    PyObject *tag


@cython.final
@cython.freelist(32)
cdef class _Open:
    """An open element that needs an action at its end; group-3 elements become scopes once they contain text."""

    cdef xmlNode *node
    cdef object tag, removed, scope, style
    cdef _Open around
    cdef _Open inner  # the next to become a scope
    cdef int group
    cdef int64_t number  # of the scope, once created
    cdef bint hidden


cdef _Open _opened(xmlNode *node, str tag, int group, removed, _Open around):
    cdef _Open place = _Open.__new__(_Open)
    place.node, place.tag, place.group, place.removed, place.around = node, tag, group, removed, around
    return place


@cython.final
cdef class _Walk:
    cdef _Document document
    cdef object collapsed, preformatted, holds, are_apart, restyled
    cdef object style  # style at the current position
    cdef object first_style  # style of the first run
    cdef list styles  # character counts and styles of all runs; None if all styles are the same
    cdef list outer_styles  # styles around the open elements that change the style
    cdef object tag_before, style_before, style_in  # last tag that changed a style without attributes; the styles
    cdef type scope_class, block_class
    cdef list blocks, scopes, buffer, runs, opened
    cdef dict pairs  # the tags and names of scopes, each with its index
    cdef arrays.array table, of_block  # as in `SearchColumns`
    cdef object removed  # the tag of the group-1 element around the current position, if any
    cdef _Open place  # the innermost scope
    cdef Py_ssize_t link_chars, links, in_preformatted
    cdef bint after_link
    cdef dict tags  # by name
    cdef _Known[MOST_TAGS] known  # by the address of the name

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
        """Start an element and its text; return False for comments and elements whose content is skipped."""
        cdef _Tag tag
        cdef _Styling styling
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
            self.dress(node, tag, _styling_of(node))
            return True
        if group == REMOVED:
            return False
        styling, style = _styling_of(node), self.style
        declared = self.dress(node, tag, styling)
        hides = styling.hidden or (declared is not None and _hides(declared))
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

    cdef str dress(self, xmlNode *node, _Tag tag, _Styling styling):
        """Set the style inside an element with these attributes; return its style attribute, None without one."""
        cdef str declared = None if styling.style == NULL else attributeValue(node, styling.style)
        if styling.style != NULL or styling.align != NULL or tag.asked & FONT:
            centred = styling.align != NULL and attributeValue(node, styling.align) == "center"
            size = _value(node, b"size") if tag.asked & FONT else None
            self.style = self.restyled(self.style, tag.name, <bint> centred, declared, size)
        elif tag.asked & MAY_STYLE:
            if tag.name != self.tag_before or self.style is not self.style_before:
                self.style_in = self.restyled(self.style, tag.name, False, None, None)
                self.tag_before, self.style_before = tag.name, self.style
            self.style = self.style_in
        return declared

    cdef int leave(self, xmlNode *node) except -1:
        """End an element and add the text after it."""
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
            tag.asked & MAY_HOLD_PAGE and hasChild(node) and self.holds(elementFactory(self.document, node))
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
        elif group != VOID and hides and not (
            group == INLINE and node.children != NULL and self.holds(elementFactory(self.document, node))
        ):
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
            self.close()
        return 0

    cdef int close(self) except -1:
        """End the innermost scope."""
        cdef _Open place = self.place, around = place.around
        if place.scope is not None:
            self.table.data.as_longlongs[place.number * COLUMNS + LAST] = len(self.blocks)
        self.place = around
        return 0

    cdef int add(self, xmlNode *node, bint is_tail) except -1:
        """Add the text at the beginning of an element, or after it."""
        cdef str text
        cdef xmlNode *first = _text_node(node.next if is_tail else node.children)
        if first == NULL or self.removed is not None or (not self.buffer and _is_blank(first)):
            return 0
        text = _text_of(node, first, is_tail)
        if text is None or not text or (not self.buffer and text.isspace()):
            return 0
        self.after_link = False
        if self.buffer and not self.in_preformatted and _meet(self.buffer[len(self.buffer) - 1], text):
            if self.are_apart(self.buffer[len(self.buffer) - 1], text, elementFactory(self.document, node), is_tail):
                self.buffer.append(" ")
        self.buffer.append(text)
        if not self.runs:
            self.first_style = self.style
        else:
            if self.styles is None and self.style is not self.first_style and self.style != self.first_style:
                texts = [element.tail if tail else element.text for element, tail in self.runs]
                self.styles = [(_shown(each), self.first_style) for each in texts]
            if self.styles is not None:
                self.styles.append((_shown(text), self.style))
        self.runs.append((elementFactory(self.document, node), is_tail))
        if self.links:
            self.link_chars += len(" ".join(text.split()))
        return 0

    cdef int cut(self) except -1:
        raw = self.buffer[0] if len(self.buffer) == 1 else "".join(self.buffer)
        text = None if self.in_preformatted else _squeezed(raw)
        if text is None:
            text = self.preformatted(raw) if self.in_preformatted else self.collapsed(raw)
        if text:
            style = self.first_style if self.styles is None else self.styles
            scope = self.scope()
            self.of_block.append(self.place.number)
            link_chars = min(self.link_chars, len(<str> text))
            self.blocks.append(self.block_class(text, scope, self.runs, link_chars, style))
        self.buffer.clear()
        self.runs = []
        self.styles = None
        self.link_chars = 0
        return 0

    cdef object scope(self):
        """Return the innermost scope, creating it and its ancestors if necessary."""
        cdef _Open place = self.place, inner = None
        while place is not None and place.scope is None:
            place.inner, inner = inner, place
            place = place.around
        while inner is not None:
            self.add_scope(inner)
            place, inner = inner, inner.inner
            place.inner = None
        return self.place.scope

    cdef int add_scope(self, _Open place) except -1:
        """Create the scope of an element and its row of the table, up to the end of its blocks."""
        cdef str identifier = _value(place.node, b"id"), classes = _value(place.node, b"class"), names
        cdef Py_ssize_t at = len(self.table)
        cdef _Open around = place.around
        cdef int64_t *row
        names = f"{identifier} {classes}" if identifier and classes else identifier or classes or ""
        element = elementFactory(self.document, place.node)
        above = None if around is None else around.scope
        place.scope = self.scope_class(element, above, place.tag, names, <bint> place.hidden, place.style.centred, classes)
        place.number = len(self.scopes)
        self.scopes.append(place.scope)
        arrays.resize_smart(self.table, at + COLUMNS)
        row = <int64_t *> &self.table.data.as_longlongs[at]
        row[0] = 0 if around is None else around.number
        row[FIRST] = row[LAST] = len(self.blocks)
        row[3] = 0 if around is None else self.table.data.as_longlongs[around.number * COLUMNS + 3] + 1
        row[4] = self.pairs.setdefault((place.tag, names), len(self.pairs))
        return 0

    cdef _Tag tag(self, xmlNode *node):
        """Return the tag of an element."""
        cdef size_t place = <size_t> (<uintptr_t> node.name >> 3) & (MOST_TAGS - 1)
        cdef _Tag tag
        if node.ns == NULL and self.known[place].name == node.name:
            return <_Tag> self.known[place].tag
        name = namespacedName(node)
        tag = self.tags.get(name)
        if tag is None:
            tag = _Tag.__new__(_Tag)
            tag.name, tag.asked = name, _asked(name)
            self.tags[name] = tag
        if node.ns == NULL:
            self.known[place].name, self.known[place].tag = node.name, <PyObject *> tag
        return tag


def odd_elements(_Element root not None, set classes not None):
    """Return the elements of a page whose attributes may tell that they are displayed in an odd way, in page order.

    ``classes``: the values of ``class`` that may.
    """
    cdef xmlNode *node = root._c_node
    cdef list found = []
    while node != NULL:
        if node.type == XML_ELEMENT_NODE:
            if _may_be_odd(node, classes):
                found.append(elementFactory(root._doc, node))
            if node.children != NULL:
                node = node.children
                continue
        while node != root._c_node and node.next == NULL:
            node = node.parent
        node = NULL if node == root._c_node else node.next
    return found


cdef bint _may_be_odd(xmlNode *node, set classes) except -1:
    cdef xmlAttr *attribute = node.properties
    cdef const char *name
    if node.ns == NULL and not strcmp(<const char *> node.name, b"dialog"):
        return True
    while attribute != NULL:
        if attribute.ns == NULL:
            name = <const char *> attribute.name
            if not strcmp(name, b"class"):
                if classes and attributeValue(node, attribute) in classes:
                    return True
            elif not strcmp(name, b"style") or not strcmp(name, b"role"):
                if attributeValue(node, attribute):
                    return True
            elif not strcmp(name, b"hidden"):
                return True
            elif not strcmp(name, b"aria-hidden"):
                if attributeValue(node, attribute) == "true":
                    return True
            elif not strcmp(name, b"href") and node.ns == NULL and not strcmp(<const char *> node.name, b"a"):
                if attributeValue(node, attribute)[:1] == "#":
                    return True
        attribute = attribute.next
    return False


cdef int _asked(str tag) except -1:
    cdef PyObject *asked = PyDict_GetItemWithError(groups, tag)
    if asked != NULL:
        return <object> asked
    return BOUNDARY if "-" in tag else INLINE


cdef inline xmlNode *_first_element(xmlNode *node) noexcept:
    """Return the first of a node and its next siblings that is an element (or comment) for lxml, NULL if none is."""
    while node != NULL and not _isElement(node):
        node = node.next
    return node


cdef inline xmlNode *_text_node(xmlNode *node) noexcept:
    """Return the node, or the one after XInclude marks, if it is text; else NULL."""
    while node != NULL and (node.type == XML_XINCLUDE_START or node.type == XML_XINCLUDE_END):
        node = node.next
    if node != NULL and (node.type == XML_TEXT_NODE or node.type == XML_CDATA_SECTION_NODE):
        return node
    return NULL


cdef bint _has_text(xmlNode *node) noexcept:
    """Return whether the text nodes from a node up to the next element are not empty."""
    node = _text_node(node)
    while node != NULL and (node.content == NULL or not node.content[0]):
        node = _text_node(node.next)
    return node != NULL


cdef inline bint _is_blank(xmlNode *text) noexcept:
    """Return whether a text that is a single node, as most are, is only ASCII white space."""
    cdef const uint8_t *at = <const uint8_t *> text.content
    if _text_node(text.next) != NULL:
        return False
    if at != NULL:
        while at[0] < 128 and is_space[at[0]]:
            at += 1
    return at == NULL or not at[0]


cdef str _text_of(xmlNode *node, xmlNode *first, bint is_tail):
    """Return the text in an element, or the text after it; ``first`` is its first node."""
    if _text_node(first.next) != NULL or first.content == NULL:
        return tailOf(node) if is_tail else textOf(node)
    return PyUnicode_DecodeUTF8(<const char *> first.content, strlen(<const char *> first.content), NULL)


cdef _Styling _styling_of(xmlNode *node) noexcept:
    """Return the attributes of an element that affect the style."""
    cdef _Styling styling
    cdef xmlAttr *attribute = node.properties if node.type == XML_ELEMENT_NODE else NULL
    styling.style = styling.align = NULL
    styling.hidden = False
    while attribute != NULL:
        if attribute.ns == NULL:
            if not strcmp(<const char *> attribute.name, b"style"):
                styling.style = attribute
            elif not strcmp(<const char *> attribute.name, b"align"):
                styling.align = attribute
            elif not strcmp(<const char *> attribute.name, b"hidden"):
                styling.hidden = True
        attribute = attribute.next
    return styling


cdef str _value(xmlNode *node, const char *name):
    """Return the value of an attribute of an element, None if it is missing."""
    cdef xmlAttr *attribute = node.properties if node.type == XML_ELEMENT_NODE else NULL
    while attribute != NULL and (attribute.ns != NULL or strcmp(<const char *> attribute.name, name)):
        attribute = attribute.next
    return None if attribute == NULL else attributeValue(node, attribute)


cdef bint _hides(str declared) except -1:
    """Return whether a style attribute hides its element."""
    cdef str squeezed = declared.replace(" ", "").lower()
    return "display:none" in squeezed or "visibility:hidden" in squeezed


cdef str _squeezed(str raw):
    """Return an ASCII text of one line with single spaces between words; None for any other text."""
    cdef Py_ssize_t at, end = 0, length = len(raw)
    cdef const uint8_t *read = <const uint8_t *> PyUnicode_DATA(raw)
    cdef uint8_t *written
    cdef bytearray squeezed
    if not PyUnicode_IS_ASCII(raw) or memchr(read, 0, length) != NULL:
        return None
    squeezed = bytearray(length + 1)
    written = squeezed
    for at in range(length):
        if not is_space[read[at]]:
            written[end] = read[at]
            end += 1
        elif end and written[end - 1] != c" ":
            written[end] = c" "
            end += 1
    if end and written[end - 1] == c" ":
        end -= 1
    return PyUnicode_DecodeASCII(<const char *> written, end, NULL)


cdef Py_ssize_t _shown(str text) except -1:
    """Return the number of characters that are not white space."""
    cdef int kind = PyUnicode_KIND(text)
    cdef void *data = PyUnicode_DATA(text)
    cdef Py_ssize_t at, found = 0
    for at in range(len(text)):
        found += not Py_UNICODE_ISSPACE(PyUnicode_READ(kind, data, at))
    return found


cdef bint _meet(str before, str text):
    """Return whether a lower-case letter precedes a capital at the joint."""
    return (
        Py_UNICODE_ISUPPER(PyUnicode_READ(PyUnicode_KIND(text), PyUnicode_DATA(text), 0))
        and Py_UNICODE_ISLOWER(PyUnicode_READ(PyUnicode_KIND(before), PyUnicode_DATA(before), len(before) - 1))
    )


def most_attributes(bytes html):
    """Return the maximum number of attributes of a tag that begins at any "<" followed by a letter (HTML, 13.2.5)."""
    cdef const uint8_t *text = html
    cdef uint8_t code, following = 0
    # Parser states in a tag: in its name; before, in and after an attribute name; before and in a value.
    cdef Py_ssize_t at, most = 0, tag = 0, before = 0, name = 0, behind = 0, value = 0
    cdef Py_ssize_t in_double = 0, in_single = 0, plain = 0
    for at in range(len(html) - 1, -1, -1):
        code = text[at]
        if code == c">":
            tag = before = name = behind = value = plain = 0
        elif code == c" " or 9 <= code <= 13:
            tag, name, plain = before, behind, before
        elif code == c"/":
            tag, name, behind, value = before, before, before, plain
        elif code == c"=":
            before, name, behind, value = name + 1, value, value, plain
        elif code == c'"':
            before, behind, value, in_double = name + 1, name + 1, in_double, before
        elif code == c"'":
            before, behind, value, in_single = name + 1, name + 1, in_single, before
        else:
            if code == c"<" and c"a" <= following | 32 <= c"z":
                most = max(most, tag)
            before, behind, value = name + 1, name + 1, plain
        following = code
    return most

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""The walk through a page's tree that `scrapy_semtext.segment.search` takes; what it does is said there."""

cimport cython
from cpython.unicode cimport PyUnicode_DATA, PyUnicode_KIND, PyUnicode_READ
from libc.stdint cimport uint32_t

from scrapy_semtext.tags import BREAK_OUT, GROUPS, INTEGRATION_POINTS, PAGE_PARTS, Group

cdef extern from "Python.h":
    str PyUnicode_New(Py_ssize_t size, Py_UCS4 maxchar)
    void PyUnicode_WRITE(int kind, void *data, Py_ssize_t index, Py_UCS4 value)
    bint Py_UNICODE_ISSPACE(Py_UCS4 ch) nogil
    bint Py_UNICODE_ISLOWER(Py_UCS4 ch) nogil
    bint Py_UNICODE_ISUPPER(Py_UCS4 ch) nogil

cdef enum:
    OTHER_SPACE = 1 << 30  # no character's bit

cdef int REMOVED = Group.REMOVED, SWALLOWER = Group.SWALLOWER, INLINE = Group.INLINE, VOID = Group.VOID
cdef int LINK = Group.LINK, BREAK = Group.BREAK, BOUNDARY = Group.BOUNDARY
cdef int PREFORMATTED = Group.PREFORMATTED, RULE = Group.RULE
cdef object groups = GROUPS
cdef frozenset page_parts = PAGE_PARTS, break_out = BREAK_OUT, integration_points = INTEGRATION_POINTS


def search(
    root, make_scope, make_block, preformatted, holds_page, is_hidden, frozenset styling not None, styled, plain,
):
    """Return the blocks of the search phase below ``root``.

    The classes of scopes and blocks; what makes a text of what was collected in a <pre>, tells whether a <button> holds
    a page, and whether an element's attributes, of these names, hide it. ``styled`` gives the style in an element from
    that around it, which for the outermost is ``plain``; it is asked for elements of the tags of ``styling`` and those
    with an attribute that may say how text looks, others change nothing.
    """
    cdef _Walk walk = _Walk()
    walk.make_scope, walk.make_block = make_scope, make_block
    walk.preformatted, walk.holds_page, walk.is_hidden = preformatted, holds_page, is_hidden
    walk.styling, walk.styled, walk.style = styling, styled, styled(plain, root)
    walk.blocks, walk.buffer, walk.runs, walk.opened = [], [], [], []
    tag = root.tag
    walk.place = _opened(root, tag if isinstance(tag, str) else "", BOUNDARY, None, None, False, walk.style)
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
    cdef int group, children
    cdef bint hidden

    cdef int close(self) except -1:
        if self.scope is not None:
            if self.children:
                self.scope.children = self.children
            if self.around is not None:
                self.around.children += 1
        return 0


cdef _Open _opened(element, tag, int group, removed, _Open around, bint hidden, style):
    cdef _Open place = _Open.__new__(_Open)
    place.element, place.tag, place.group, place.removed = element, tag, group, removed
    place.around, place.hidden, place.style = around, hidden, style
    return place


@cython.final
cdef class _Walk:
    cdef object make_scope, make_block, preformatted, holds_page, is_hidden, styled
    cdef frozenset styling
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
        # the elements around, what is left to see of their children, and the styles around them
        cdef list elements = [], ways = [], styles = []
        element, way = root, iter(root)
        self.add(root.text, root, False)
        while True:
            child = next(way, None)
            if child is not None:
                style = self.style
                if not self.enter(child):
                    self.style = style
                    self.add(child.tail, child, True)
                elif len(child):
                    elements.append(element)
                    ways.append(way)
                    styles.append(style)
                    element, way = child, iter(child)
                else:
                    self.style = style
                    self.leave(child)
            elif ways:
                self.style = styles.pop()
                self.leave(element)
                element, way = elements.pop(), ways.pop()
            else:
                return 0

    cdef bint enter(self, element) except -1:
        """Begin an element and its text; False for a comment, and if nothing below it is to be looked at."""
        cdef int group
        cdef bint hides = False
        cdef list attributes
        tag = element.tag
        if not isinstance(tag, str):
            return False
        group = groups[tag]
        if self.removed is not None and tag not in (
            break_out if self.removed == "svg" or self.removed == "head" else page_parts
        ):
            if group == REMOVED or tag in integration_points:
                return False
            self.dress(element, tag, element.keys())
            return True
        if group == REMOVED:
            return False
        attributes = element.keys()
        self.dress(element, tag, attributes)
        if "hidden" in attributes or "style" in attributes:
            hides = self.is_hidden(element, attributes)
        if group >= BOUNDARY:
            self.start_boundary(element, tag, group, hides)
        elif group != INLINE or hides:
            if not self.start_inline(element, tag, group, hides):
                return False
            if group == SWALLOWER:
                return True
        self.add(element.text, element, False)
        return True

    cdef int dress(self, element, tag, list attributes) except -1:
        """Set the style to that inside an element with attributes of these names."""
        if "style" in attributes or "align" in attributes or tag == "font":
            self.style = self.styled(self.style, element)
        elif tag in self.styling:
            if tag is not self.tag_before or self.style is not self.style_before:
                self.style_in = self.styled(self.style, element)
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

    cdef int start_boundary(self, element, tag, int group, bint hides) except -1:
        cdef bint hidden
        if self.buffer:
            self.cut()
        self.after_link = False
        if group == RULE or (tag == "button" and self.holds_page(element)):
            return 0
        hidden = self.place.hidden or tag == "template" or hides
        self.place = _opened(element, tag, group, self.removed, self.place, hidden, self.style)
        self.opened.append(self.place)
        self.removed = None
        if group == PREFORMATTED:
            self.in_preformatted += 1
        return 0

    cdef bint start_inline(self, element, tag, int group, bint hides) except -1:
        if group == SWALLOWER:
            self.opened.append(_opened(element, tag, group, self.removed, None, False, None))
            self.removed = tag
        elif group == BREAK:
            self.buffer.append("\0")
        elif group != VOID and hides:
            return False
        elif group == LINK:
            if self.after_link:
                self.buffer.append(" ")
            self.opened.append(_opened(element, tag, group, self.removed, None, False, None))
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
            self.blocks.append(self.make_block(text, self.scope(), self.runs, min(self.link_chars, len(text)), style))
        self.buffer.clear()
        self.runs = []
        self.styles = None
        self.link_chars = 0
        return 0

    cdef object scope(self):
        """The innermost scope, made if it has not been, as are those around it."""
        cdef list missing = []
        cdef _Open place = self.place
        while place is not None and place.scope is None:
            missing.append(place)
            place = place.around
        above = None if place is None else place.scope
        while missing:
            place = missing.pop()
            names, centred = _names(place.element), place.style.centred
            above = place.scope = self.make_scope(place.element, above, place.tag, names, place.hidden, centred)
            above.has_text = True
        return above


cdef object _names(element):
    identifier, classes = element.get("id"), element.get("class")
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
    cdef void *data = PyUnicode_DATA(raw)
    cdef Py_ssize_t at, size = 0, breaks = 0
    cdef uint32_t character, bits = 0
    cdef bint space = False
    for at in range(len(raw)):
        character = PyUnicode_READ(kind, data, at)
        if character == 0:
            breaks += 1
            bits |= OTHER_SPACE
        elif Py_UNICODE_ISSPACE(character):
            space = True
            if character != c" ":
                bits |= OTHER_SPACE
        else:
            if size and (breaks or space):
                if not breaks:
                    if out != NULL:
                        PyUnicode_WRITE(out_kind, out, size, c" ")
                    size += 1
                while breaks:
                    if out != NULL:
                        PyUnicode_WRITE(out_kind, out, size, c"\n")
                    size += 1
                    breaks -= 1
            breaks, space = 0, False
            if out != NULL:
                PyUnicode_WRITE(out_kind, out, size, character)
            size += 1
            bits |= character
    if together != NULL:
        together[0] = bits
    return size

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Looks through the tree of a page for elements of some tags, of which lxml makes no objects: see the module `elements`.

A tag is told from others by where libxml2 keeps its name, once it was met: a document has each name once.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.unicode cimport PyUnicode_AsUTF8AndSize, PyUnicode_DecodeUTF8
from libc.stdint cimport int64_t, uintptr_t
from libc.string cimport memcmp, strchr, strcmp, strcspn, strlen, strstr
from lxml.includes.etreepublic cimport _Element, attributeValue, elementFactory, import_lxml__etree
from lxml.includes.tree cimport (
    XML_CDATA_SECTION_NODE, XML_ELEMENT_NODE, XML_TEXT_NODE, const_xmlChar, xmlAttr, xmlNode
)

import_lxml__etree()  # ImportError if this lxml has another interface than the one that this was compiled for

cdef enum:
    ROOM = 256  # names known at a time, a power of two, of which half are taken
    # what a tag is that has no number of its own
    NONE = -1
    ANCHOR = -2
    META = -3
    LINK = -4
    TITLE = -5
    H1 = -6
    FAILED = -7

cdef dict _named = {b"a": ANCHOR, b"meta": META, b"link": LINK, b"title": TITLE, b"h1": H1}
cdef dict _naming = {META: "meta", LINK: "link", TITLE: "title", H1: "h1"}

cdef struct _Name:
    const_xmlChar *name  # NULL where there is none
    int number

cdef struct _Known:
    _Name[ROOM] names
    int count


cdef int _number(xmlNode *node, dict numbers, _Known *known) except FAILED:
    """The number of an element's tag in ``numbers``, by their names in bytes, or what else it is."""
    cdef size_t at = (<uintptr_t> node.name >> 3) & (ROOM - 1)
    cdef int number
    if node.ns != NULL:
        return NONE
    while known.names[at].name != NULL:
        if known.names[at].name == node.name:
            return known.names[at].number
        at = (at + 1) & (ROOM - 1)
    name = <bytes> <const char *> node.name
    number = numbers[name] if name in numbers else _named.get(name, NONE)
    if known.count < ROOM // 2:
        known.names[at] = _Name(node.name, number)
        known.count += 1
    return number


cdef void _forget(_Known *known) noexcept nogil:
    cdef int at
    known.count = 0
    for at in range(ROOM):
        known.names[at].name = NULL


cdef xmlNode *_node_of(element) except NULL:
    if not isinstance(element, _Element) or (<_Element> element)._c_node == NULL:
        raise TypeError("no element of a tree")
    return (<_Element> element)._c_node


cdef inline xmlNode *_next(xmlNode *node, const xmlNode *root) noexcept nogil:
    """The node that follows one in page order below a root; NULL behind the last."""
    if node.type == XML_ELEMENT_NODE and node.children != NULL:
        return node.children
    return _behind(node, root)


cdef inline xmlNode *_behind(xmlNode *node, const xmlNode *root) noexcept nogil:
    """The node that follows one and all that is in it, likewise."""
    while node != root:
        if node.next != NULL:
            return node.next
        node = node.parent
    return NULL


def looked_through(
    _Element root not None, dict numbers not None, bytes host not None, bytes below not None, bytes beside not None,
    int64_t[::1] counts,
):
    """Return the naming elements of a tree, and the numbers of its links, as a tuple.

    ``numbers``: of the tags, in bytes, whose elements are added to ``counts``; ``host``, ``below``, ``beside``: how
    addresses near that of the page begin. Raises TypeError for what is no element.
    """
    cdef _Known known
    cdef xmlNode *top = _node_of(root)
    cdef xmlNode *node = top
    cdef xmlNode *head = _head(top)
    cdef xmlNode *body = NULL if head == NULL else _behind(head, top)
    cdef bint in_head = False
    cdef int number
    cdef list naming = []
    cdef dict targets = {}
    _forget(&known)
    while node != NULL:
        if node == head or node == body:
            in_head = node == head
        if node.type == XML_ELEMENT_NODE:
            number = _number(node, numbers, &known)
            if number >= 0:
                counts[number] += 1
            elif number == ANCHOR:
                target = _value(node, b"href").strip()
                targets[target] = targets.get(target, 0) + 1
            elif number != NONE:
                naming.append((elementFactory(root._doc, node), _naming[number], _key(node, number), in_head))
        node = _next(node, top)
    return naming, _links(targets, host, below, beside)


cdef xmlNode *_head(const xmlNode *root) noexcept nogil:
    """The first <head> right below the root of a tree, NULL without one."""
    cdef xmlNode *node = root.children
    while node != NULL and not (node.type == XML_ELEMENT_NODE and node.ns == NULL and _is(node.name, b"head")):
        node = node.next
    return node


cdef str _key(xmlNode *node, int number):
    """What an element that names the page says something of."""
    cdef const xmlNode *around = node.parent
    if number == META:
        return (_value(node, b"property") or _value(node, b"name")).lower()
    if number == LINK:
        return _value(node, b"rel").lower()
    if number == H1:
        return ""
    if around == NULL or around.type != XML_ELEMENT_NODE:
        return "title"
    if around.ns == NULL and (_is(around.name, b"head") or _is(around.name, b"html") or _is(around.name, b"body")):
        return "title"
    return ""


cdef str _value(xmlNode *node, const char *name):
    """The value of an attribute of an element, "" without one."""
    cdef xmlAttr *attribute = node.properties
    cdef const char *text
    while attribute != NULL:
        if attribute.ns == NULL and _is(attribute.name, name):
            if attribute.children == NULL:
                return ""
            if attribute.children.type != XML_TEXT_NODE or attribute.children.next != NULL:
                return attributeValue(node, attribute)
            text = <const char *> attribute.children.content
            return "" if text == NULL else PyUnicode_DecodeUTF8(text, strlen(text), NULL)
        attribute = attribute.next
    return ""


cdef inline bint _is(const_xmlChar *name, const char *other) noexcept nogil:
    return not strcmp(<const char *> name, other)


def holding(list elements not None, bytes tag not None):
    """Return how many of some elements have one of a tag in them, or are such. Raises TypeError for what is no element."""
    cdef xmlNode *top
    cdef xmlNode *node
    cdef const char *name = tag
    cdef Py_ssize_t found = 0
    for element in elements:
        node = top = _node_of(element)
        while node != NULL and not (node.type == XML_ELEMENT_NODE and node.ns == NULL and _is(node.name, name)):
            node = _next(node, top)
        found += node != NULL
    return found


def stating(_Element root not None, bytes one not None, bytes other not None):
    """Whether the types of microdata in a tree have one of two words in them, and whether a script of JSON-LD has."""
    cdef xmlNode *top = _node_of(root)
    cdef xmlNode *node = top
    cdef bint shows = False, tells = False
    while node != NULL:
        if node.type == XML_ELEMENT_NODE:
            if not shows:
                shows = _says(_value(node, b"itemtype"), one, other)
            if not tells and node.ns == NULL and _is(node.name, b"script"):
                tells = "ld+json" in _value(node, b"type").lower() and _holds(node, one, other)
        node = _next(node, top)
    return shows, tells


cdef bint _says(str text, const char *one, const char *other) except -1:
    cdef const char *said = PyUnicode_AsUTF8AndSize(text, NULL)
    return strstr(said, one) != NULL or strstr(said, other) != NULL


cdef bint _holds(xmlNode *top, const char *one, const char *other) noexcept:
    """Whether a text in an element has one of two words in it."""
    cdef xmlNode *node = top
    cdef const char *text
    while node != NULL:
        if node.type == XML_TEXT_NODE or node.type == XML_CDATA_SECTION_NODE:
            text = <const char *> node.content
            if text != NULL and (strstr(text, one) != NULL or strstr(text, other) != NULL):
                return True
        node = _next(node, top)
    return False


def counted_inside(_Element root not None, list holders not None, dict numbers not None, int64_t[:, ::1] counts):
    """Add to ``counts``, (holders, numbers), how many elements of a tree have which holder for the nearest.

    ``holders``: elements of the tree in page order, each of which is the nearest to itself; ``numbers``: the columns of
    tags, in bytes. Raises TypeError for what is no element, ValueError for holders that are not below the root in page order.
    """
    cdef _Known known
    cdef xmlNode *top = _node_of(root)
    cdef xmlNode *node = top
    cdef Py_ssize_t place = 0, count = len(holders)
    cdef list around = []  # the places of the holders that the node is in, but for the nearest
    cdef xmlNode *following = NULL if not count else _node_of(holders[0])
    cdef xmlNode *nearest = NULL
    cdef Py_ssize_t of_nearest = -1
    cdef int number
    _forget(&known)
    while node != NULL:
        if node == following:
            around.append(of_nearest)
            of_nearest, nearest = place, node
            place += 1
            following = NULL if place == count else _node_of(holders[place])
        if node.type == XML_ELEMENT_NODE:
            number = _number(node, numbers, &known)
            if number >= 0 and of_nearest >= 0:
                counts[of_nearest, number] += 1
            if node.children != NULL:
                node = node.children
                continue
        while True:  # up to the next that has another behind it
            if node == nearest:
                of_nearest = around.pop()
                nearest = NULL if of_nearest < 0 else _node_of(holders[of_nearest])
            if node == top or node.next != NULL:
                break
            node = node.parent
        node = NULL if node == top else node.next
    if place < count:
        raise ValueError("elements that are not below the root in page order")


cdef tuple _links(dict targets, bytes host, bytes below, bytes beside):
    """The numbers of `elements.Links`, in their order, of addresses with how often each comes."""
    cdef int count = 0, under = 0, siblings = 0, external = 0, empty = 0, twice = 0, paged = 0, query = 0, anchors = 0
    cdef int times
    cdef const char *target
    cdef const char *there
    cdef const char *local
    for address, known in targets.items():
        target, times = PyUnicode_AsUTF8AndSize(address, NULL), known
        if not target[0] or _begins(target, b"javascript:") or _begins(target, b"mailto:") or _begins(target, b"tel:"):
            empty += times
            continue
        if target[0] == c"#":
            anchors += times
            continue
        count += 1
        twice += times > 1
        local = target
        if _begins(target, b"http://") or _begins(target, b"https://") or _begins(target, b"//"):
            there = strstr(target, b"//") + 2
            if _begins(there, b"www."):
                there += 4
            local = there + strcspn(there, b"/")
            if local - there != PyBytes_GET_SIZE(host) or memcmp(there, PyBytes_AS_STRING(host), local - there):
                external += 1
                continue
        if below and _begins(local, below) and local[PyBytes_GET_SIZE(below)]:
            under += 1
        elif beside and _begins(local, beside):
            siblings += 1
        paged += strstr(target, b"page=") != NULL or strstr(target, b"/page/") != NULL or strstr(target, b"?p=") != NULL
        query += strchr(target, c"?") != NULL
    return count, under, siblings, external, empty, twice, paged, query, anchors


cdef inline bint _begins(const char *text, bytes beginning) noexcept:
    cdef size_t length = PyBytes_GET_SIZE(beginning)
    return strlen(text) >= length and not memcmp(text, PyBytes_AS_STRING(beginning), length)

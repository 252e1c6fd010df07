# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Elements of a tree counted on the nodes of libxml2: no element of lxml is made for them."""

from cpython.dict cimport PyDict_GetItemWithError
from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uintptr_t
from libc.string cimport strcmp
from lxml.includes.etreepublic cimport _Element, attributeValue, import_lxml__etree
from lxml.includes.tree cimport XML_ELEMENT_NODE, const_xmlChar, xmlAttr, xmlNode

import_lxml__etree()  # ImportError if this lxml has another interface than the one that this was compiled for

cdef enum:
    MOST_NAMES = 64  # known at a time, a power of two


# Where libxml2 has a name, of which it keeps one for a document, and its column; -1 if it has none.
cdef struct _Known:
    const_xmlChar *name
    int64_t column


cdef class _Columns:
    """The columns of tags."""

    cdef dict columns
    cdef int64_t most
    cdef _Known[MOST_NAMES] known

    cdef int64_t of(self, xmlNode *node) except? -2:
        """The column of a node; -1 if it is none of the elements that have one."""
        cdef size_t place
        cdef PyObject *column
        if node.type != XML_ELEMENT_NODE or node.ns != NULL:
            return -1
        place = <size_t> (<uintptr_t> node.name >> 3) & (MOST_NAMES - 1)
        if self.known[place].name != node.name:
            column = PyDict_GetItemWithError(self.columns, (<const char *> node.name).decode("utf-8"))
            self.known[place].column = -1 if column == NULL else <object> column
            if self.known[place].column >= self.most:
                raise ValueError("a column that there is not")
            self.known[place].name = node.name
        return self.known[place].column


cdef _Columns _columns(dict columns, int64_t most):
    cdef _Columns made = _Columns()
    made.columns, made.most = columns, most
    return made


cdef xmlNode *_root_of(_Element root) except NULL:
    if root._c_node == NULL:
        raise TypeError("an element without a tree")
    return root._c_node


cdef inline xmlNode *_next(xmlNode *node, xmlNode *root) noexcept:
    """The node that follows in document order, below the root; NULL behind the last."""
    if node.type == XML_ELEMENT_NODE and node.children != NULL:
        return node.children
    while node != root and node.next == NULL:
        node = node.parent
    return NULL if node == root else node.next


def counted(_Element root not None, dict columns not None, int64_t[::1] out, str link not None):
    """Add to the columns of tags how many elements of the tree have them; return the addresses of all links.

    Links are elements of the tag ``link``, which has to have a column. Their addresses are as written, None where they
    have none. Raises TypeError for what is no element.
    """
    cdef xmlNode *top = _root_of(root)
    cdef xmlNode *node = top
    cdef xmlAttr *attribute
    cdef _Columns of_tags = _columns(columns, out.shape[0])
    cdef int64_t column, of_links = columns[link]
    cdef list addresses = []
    while node != NULL:
        column = of_tags.of(node)
        if column >= 0:
            out[column] += 1
            if column == of_links:
                attribute = node.properties
                while attribute != NULL and (attribute.ns != NULL or strcmp(<const char *> attribute.name, b"href")):
                    attribute = attribute.next
                addresses.append(None if attribute == NULL else attributeValue(node, attribute))
        node = _next(node, top)
    return addresses


def counted_inside(_Element root not None, list holders not None, dict columns not None, int64_t[:, ::1] out):
    """Add to the columns of tags, (holders, columns), how many elements of the tree have which holder for the nearest.

    ``holders`` are elements of the tree in document order, each of which is the nearest to itself. Raises TypeError for
    what is no element, ValueError if the holders are not below the root in document order.
    """
    cdef xmlNode *top = _root_of(root)
    cdef xmlNode *node = top
    cdef Py_ssize_t known = 0, count = len(holders)
    cdef list around = []  # the numbers of the holders that the node is in
    cdef xmlNode *holder = NULL if not count else _root_of(holders[0])
    cdef xmlNode *nearest = NULL
    cdef _Columns of_tags = _columns(columns, out.shape[1])
    cdef int64_t column, number = -1
    if out.shape[0] < count:
        raise ValueError("not a row for each holder")
    while node != NULL:
        if node == holder:
            around.append(number)
            number, nearest = known, node
            known += 1
            holder = NULL if known == count else _root_of(holders[known])
        column = of_tags.of(node)
        if column >= 0 and number >= 0:
            out[number, column] += 1
        if node.type == XML_ELEMENT_NODE and node.children != NULL:
            node = node.children
            continue
        while True:  # up to the next that has another behind it
            if node == nearest:
                number = around.pop()
                nearest = NULL if number < 0 else _root_of(holders[number])
            if node == top or node.next != NULL:
                break
            node = node.parent
        node = NULL if node == top else node.next
    if known < count:
        raise ValueError("elements that are not below the root in document order")

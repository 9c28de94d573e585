/**
 * Python for LLDB: children of containers of libstdc++ and libc++ for which LLDB has none, or false ones. LLDB 19 reports
 * no elements for each `std::unordered_map` of libstdc++.
 */

/** The source of the providers of children. It follows the summaries. */
export const children = String.raw`def is_far(type, _=None):
    """
    True for a pointer to a pointer, and for a reference to a pointer to an object. LLDB 19 uses the formatters of the object for them, and
    crashes if the object is a std::shared_ptr. LLDB asks this of each type before it reads a value of the type.
    """
    try:
        type = type.GetCanonicalType()
        referred = type.GetDereferencedType().GetCanonicalType() if type.IsReferenceType() else type
        if points_to_pointer(referred):
            return True
        pointee = referred.GetPointeeType().GetCanonicalType()
        return type.IsReferenceType() and referred.IsPointerType() and is_class(pointee)
    except Exception:
        return False


class Children:
    """Children of a container, read from memory. LLDB 19 asks for those of a pointer to a pointer to a container too: its target."""

    def __init__(self, value, _):
        self.value = value
        self.count = 0

    def update(self):
        self.count = 0
        self.outer = None
        try:
            value = plain(target(self.value))
            if points_to_pointer(value.GetType()):
                self.outer = value
                self.count = value.GetNumChildren()
            else:
                self.read(value)
        except Exception:
            self.count = 0
        return False

    def num_children(self, _most=0):
        return self.count

    def has_children(self):
        return True

    def get_child_index(self, name):
        found = re.match(r"\[(\d+)\]$", name)
        return int(found.group(1)) if found else -1

    def get_child_at_index(self, index):
        try:
            if not 0 <= index < self.count:
                return None
            if self.outer is None:
                return self.child(index)
            return self.outer.GetChildAtIndex(index).Clone("*" + (self.value.GetName() or "pointer"))
        except Exception:
            return None


class Pointers(Children):
    """A pointer to a pointer has its target. A reference to a pointer has what the pointer has."""

    def read(self, value):
        self.referred = synthetic(value)
        self.count = self.referred.GetNumChildren()

    def get_child_index(self, name):
        return 0 if self.outer is not None else self.referred.GetIndexOfChildWithName(name)

    def child(self, index):
        return self.referred.GetChildAtIndex(index)


class Hashed(Children):
    """std::unordered_map and its relatives: a list of nodes, the value after the link."""

    def read(self, value):
        self.nodes = []
        self.link = None
        table = member(value, "_M_h")
        if not table.IsValid():
            return self.read_libcxx(value.GetChildMemberWithName("__table_"))
        self.type = table.GetType().GetCanonicalType().GetTemplateArgumentType(1)
        self.next = number(member(table, "_M_before_begin", "_M_nxt"))
        self.width = value.GetProcess().GetAddressByteSize()
        align = self.type.GetByteAlign() if hasattr(self.type, "GetByteAlign") else self.width
        self.offset = max(self.width, align)
        count = number(member(table, "_M_element_count"))
        if count > 0 and not readable(value, self.next):
            return
        self.count = count

    def read_libcxx(self, table):
        first = table.GetChildMemberWithName("__first_node_")
        size = table.GetChildMemberWithName("__size_")
        if not first.IsValid():
            first = member(table, "__p1_", "__value_")
            size = member(table, "__p2_", "__value_")
        self.link = member(first, "__next_")
        self.node = first.GetType().GetCanonicalType().GetTemplateArgumentType(0)
        self.count = number(size)

    def child_libcxx(self, index):
        while len(self.nodes) <= index:
            if number(self.link) == 0:
                return None
            node = self.link.Cast(self.node).Dereference()
            self.link = node.GetChildMemberWithName("__next_")
            self.nodes.append(node.GetChildMemberWithName("__value_"))
        for name in ("__cc_", "__cc"):
            inner = self.nodes[index].GetChildMemberWithName(name)
            if inner.IsValid():
                return inner.Clone("[%d]" % index)
        return self.nodes[index].Clone("[%d]" % index)

    def child(self, index):
        if self.link is not None:
            return self.child_libcxx(index)
        error = lldb.SBError()
        while len(self.nodes) <= index:
            if self.next == 0:
                return None
            self.nodes.append(self.next)
            self.next = self.value.GetProcess().ReadPointerFromMemory(self.next, error)
            if error.Fail():
                self.next = 0
        return self.value.CreateValueFromAddress("[%d]" % index, self.nodes[index] + self.offset, self.type)


class Tupled(Children):
    """std::tuple: a chain of base classes, or one base with leaves."""

    def read(self, value):
        self.heads = []
        leaves = value.GetChildMemberWithName("__base_")
        if leaves.IsValid():
            self.heads = [child.GetChildMemberWithName("__value_") for child in plain(leaves)]
            self.count = len(self.heads)
            return
        level = value
        while level.GetNumChildren() > 0:
            base = None
            for index in range(level.GetNumChildren()):
                child = plain(level.GetChildAtIndex(index))
                name = child.GetType().GetCanonicalType().GetName() or ""
                if "_Head_base<" in name.split(" ")[0] and name.startswith("std::_Head_base<"):
                    head = child.GetChildMemberWithName("_M_head_impl")
                    self.heads.append(head if head.IsValid() else child)
                elif name.startswith("std::_Tuple_impl<"):
                    base = child
            if base is None:
                break
            level = base
        self.count = len(self.heads)

    def child(self, index):
        return self.heads[index].Clone("[%d]" % index)


class Arrayed(Children):
    """std::array."""

    def read(self, value):
        self.elements = value.GetChildMemberWithName("_M_elems")
        if not self.elements.IsValid():
            self.elements = value.GetChildMemberWithName("__elems_")
        # libc++ gives an array of no elements the memory of one.
        empty = re.search(r", 0[UL]*>$", value.GetType().GetCanonicalType().GetUnqualifiedType().GetName() or "")
        self.count = 0 if empty else self.elements.GetNumChildren()

    def child(self, index):
        return self.elements.GetChildAtIndex(index)


def kept_size(value):
    """The number of elements that a deque or list of libc++ keeps; some versions keep it beside the allocator."""
    size = first_of(value, "__size_alloc_", "__size_")
    held = [member(size, name) for name in ("__value_", "__first_")]
    return next((number(one) for one in held if one.IsValid()), number(size))


class Blocks(Children):
    """
    std::deque of libc++: a list of blocks of elements. LLDB 19 reads each element by an expression, after which it reads all other values
    again: it takes half a minute to show a pointer to a queue.
    """

    def read(self, value):
        self.first = number(first_of(member(value, "__map_"), "__begin_"))
        self.type = base_type(value.GetType()).GetTemplateArgumentType(0)
        self.width = self.type.GetByteSize()
        self.room = 4096 // self.width if self.width < 256 else 16
        self.start = number(member(value, "__start_"))
        count = kept_size(value)
        if count > 0 and not readable(value, self.first):
            return
        self.count = count

    def child(self, index):
        block, place = divmod(self.start + index, self.room)
        process = self.value.GetProcess()
        error = lldb.SBError()
        at = process.ReadPointerFromMemory(self.first + block * process.GetAddressByteSize(), error)
        address = at + place * self.width
        return None if error.Fail() else self.value.CreateValueFromAddress("[%d]" % index, address, self.type)


class Nodes(Children):
    """std::list of libc++: nodes with two links before the value. LLDB 19 finds none in a list that is an element of a list."""

    def read(self, value):
        self.type = base_type(value.GetType()).GetTemplateArgumentType(0)
        count = kept_size(value)
        self.nodes = [number(member(value, "__end_", "__next_"))]
        if count > 0 and not readable(value, self.nodes[0]):
            return
        self.count = count

    def child(self, index):
        process = self.value.GetProcess()
        width = process.GetAddressByteSize()
        error = lldb.SBError()
        while len(self.nodes) <= index and not error.Fail():
            self.nodes.append(process.ReadPointerFromMemory(self.nodes[-1] + width, error))
        if error.Fail():
            return None
        return self.value.CreateValueFromAddress("[%d]" % index, self.nodes[index] + 2 * width, self.type)


class Adapted(Children):
    """std::queue, std::stack and std::priority_queue: the elements of the container inside."""

    def read(self, value):
        self.elements = synthetic(adapted(value))
        self.count = self.elements.GetNumChildren() if intact(self.elements) else 0

    def child(self, index):
        return self.elements.GetChildAtIndex(index)


class Spanned(Children):
    """std::span and std::initializer_list."""

    def read(self, value):
        data = first_of(value, "_M_ptr", "_M_array", "__data_", "__data", "__begin_")
        extent = member(value, "_M_extent", "_M_extent_value")
        for name in ("_M_len", "__size_", "__size"):
            extent = extent if extent.IsValid() else member(value, name)
        if not extent.IsValid():
            found = re.search(r"(\d+)U?L*>$", value.GetType().GetCanonicalType().GetName() or "")
            count = int(found.group(1)) if found else 0
        else:
            count = number(extent)
        self.type = data.GetType().GetPointeeType()
        self.start = number(data)
        self.size = self.type.GetByteSize()
        if count > 0 and not readable(value, self.start):
            return
        self.count = count

    def child(self, index):
        return self.value.CreateValueFromAddress("[%d]" % index, self.start + index * self.size, self.type)
`

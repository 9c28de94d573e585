/**
 * Python for LLDB: types of the C++ library that wrap one value: any, complex, filesystem::path, thread ids. And what an
 * iterator, an optional or a smart pointer points to.
 */

/** The source of the summaries and of the provider. It follows the providers of containers. */
export const wrapped = String.raw`def held_type(value, name):
    """The type with a name as it is part of the name of a function; None if it is unknown."""
    name = name.strip()
    for spelled in (name, re.sub(">(?=>)", "> ", name)):
        found = value.GetTarget().FindFirstType(spelled)
        if found.IsValid():
            return found
    return None


def any_of_type(value):
    """The name of the type in a std::any, and where its object is; the name is None if it is empty."""
    raw = plain(value)
    handler = raw.GetChildMemberWithName("_M_manager")
    storage = raw.GetChildMemberWithName("_M_storage")
    inside, outside = "_M_buffer", "_M_ptr"
    pattern = r"_Manager_(?:internal|external)<(.*)>::_S_manage\b"
    if not handler.IsValid():
        handler = first_of(raw, "__h_", "__h")
        storage = first_of(raw, "__s_", "__s")
        inside, outside = "__buf_", "__ptr_"
        pattern = r"_(?:Small|Large)Handler<(.*)>::__handle\b"
    if number(handler) == 0:
        return None, 0
    symbol = value.GetTarget().ResolveLoadAddress(number(handler))
    name = symbol.GetFunction().GetName() or symbol.GetSymbol().GetName() or ""
    found = re.search(pattern, name)
    if not found:
        raise KeyError("unknown manager")
    if re.search("_Manager_internal<|_SmallHandler<", name):
        at = first_of(storage, inside, inside.rstrip("_")).GetLoadAddress()
    else:
        at = number(first_of(storage, outside, outside.rstrip("_")))
    return found.group(1), at


def any_of(value):
    name, _ = any_of_type(value)
    if name is None:
        return "empty"
    inside = synthetic(value)
    return text(inside.GetChildAtIndex(0), ROOM) if inside.GetNumChildren() > 0 else "an object of " + name


class Any(Children):
    """The object in a std::any."""

    def read(self, value):
        name, self.at = any_of_type(value)
        self.type = None if name is None else held_type(value, name)
        self.count = 0 if self.type is None or not readable(value, self.at) else 1

    def child(self, _):
        return self.value.CreateValueFromAddress("[0]", self.at, self.type)


def complex_of(value):
    """The two numbers, as GDB writes them."""
    both = member(value, "_M_value")
    if both.IsValid():
        return both.GetValue()
    return "%s + %si" % (first_of(value, "__re_").GetValue(), first_of(value, "__im_").GetValue())


def path_of(value):
    name = first_of(value, "_M_pathname", "__pn_")
    return synthetic(name).GetSummary() or name.GetSummary()


def thread_of(value):
    """The number that the system gave the thread; it is 0 for no thread."""
    raw = plain(value)
    inside = first_of(raw, "_M_id", "__t_") if (base_type(raw.GetType()).GetName() or "").endswith("::thread") else raw
    own = inside if inside.GetValue() else first_of(inside, "_M_thread", "__id_")
    return "no thread" if number(own) == 0 else "id " + hex(number(own))


def behind(value, own, type, room):
    """The object of a type in a node that a member of a value points to, behind the node's own pointers."""
    node = number(member(value, own))
    width = value.GetProcess().GetAddressByteSize()
    align = type.GetByteAlign() if hasattr(type, "GetByteAlign") else width
    at = node + room * width
    return value.CreateValueFromAddress("element", at + -at % max(align, 1), type)


def is_end(value):
    """True for an iterator behind the last element of a tree or a table: the header of a tree is red, and its root is black."""
    node = member(value, "_M_node")
    if not node.IsValid():
        return number(member(value, "_M_cur")) == 0
    root = member(node, "_M_parent")
    is_header = number(root) == 0 or number(member(root, "_M_parent")) == number(node)
    return is_header and number(member(node, "_M_color")) == 0


def position(value):
    """The pointer in an iterator over neighbouring elements; None for other values."""
    if value.GetType().IsPointerType():
        return value
    name = base_type(value.GetType()).GetName() or ""
    for pattern, own in (
        (r"__gnu_cxx::__normal_iterator<", "_M_current"),
        (r"std::_Deque_iterator<", "_M_cur"),
        (r"std::__\w+::__wrap_iter<", "__i_"),
        (r"std::__\w+::__wrap_iter<", "__i"),
    ):
        found = plain(value).GetChildMemberWithName(own)
        if re.match(pattern, name) and found.IsValid():
            return found
    return None


def pointed(value, path):
    """
    What an iterator, an optional or a smart pointer points to; None for other values. With a path if it has one, and True if that is the
    path of a pointer to it.
    """
    type = base_type(value.GetType())
    short = kind(value)
    if short == "optional":
        inside = synthetic(value)
        if inside.GetNumChildren() == 0:
            raise KeyError("the optional has no value")
        return inside.GetChildAtIndex(0), None if path is None else path + "[0]", False
    if short in ("__map_iterator", "__map_const_iterator"):
        # LLDB shows the key and the value as its members.
        return synthetic(value), path, False
    if short in ("unique_ptr", "shared_ptr"):
        pointer = address_of_smart(value)[0]
        if number(pointer) == 0:
            raise KeyError("the pointer is null")
        return (pointer.Dereference() if pointer.GetType().IsPointerType() else pointer), path, True
    if short == "reverse_iterator":
        pointer = position(first_of(value, "current", "__current_", "__current"))
        if pointer is None:
            return None
        type = pointer.GetType().GetPointeeType()
        return value.CreateValueFromAddress("element", number(pointer) - type.GetByteSize(), type), None, False
    pointer = None if value.GetType().IsPointerType() else position(value)
    if pointer is not None:
        return pointer.Dereference(), None if path is None else path + "." + pointer.GetName(), True
    for pattern, own, room in (
        ("_Rb_tree_(const_)?iterator", "_M_node", 4),
        ("_List_(const_)?iterator", "_M_node", 2),
        ("_Node_(const_)?iterator", "_M_cur", 1),
    ):
        if re.fullmatch(pattern, short):
            if "List" not in pattern and is_end(value):
                raise KeyError("the iterator is at the end")
            return behind(value, own, element_type(value), room), None, False
    return None
`

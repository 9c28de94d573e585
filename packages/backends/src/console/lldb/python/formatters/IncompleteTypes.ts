/**
 * Python for LLDB: classes that the debug information only declares, as clang does for one whose constructors or virtual functions are in
 * another file, and for the instances of templates of the C++ library that its binary has. LLDB shows objects of them without members.
 */

/** The source of the summary. It follows the other summaries. */
export const incompleteTypes = String.raw`INCOMPLETE = "<incomplete type>"


def is_complete(type):
    kind = base_type(type)
    return not is_class(kind) or kind.IsTypeComplete()


def is_incomplete(type, _):
    """True for an object of such a class. Strings have a summary of their own, and LLDB marks references itself."""
    if type.IsPointerType() or type.IsReferenceType() or is_complete(type):
        return False
    return string_class(type) is None


def has_members(type):
    """False for an incomplete class of the library, also for the empty copy that LLDB makes of one for an expression."""
    kind = base_type(type)
    return is_complete(kind) and kind.GetNumberOfFields() + kind.GetNumberOfDirectBaseClasses() > 0


def has_sized_elements(value):
    """False if LLDB counts elements one after the other in memory, and their type is incomplete: it takes them for one byte each."""
    inside = synthetic(value)
    if inside.GetNumChildren() == 0 or pair(inside.GetChildAtIndex(0)) is not None:
        return True
    element = base_type(inside.GetChildAtIndex(0).GetType())
    # In the result of an expression LLDB takes such a class for an empty one.
    is_made_up = is_class(element) and string_class(element) is not None and not has_members(element)
    return is_complete(element) and not is_made_up


def is_filled(value):
    """True if the members of a container say that it has elements."""
    own = member(value, "_M_impl")
    for first, last in ((("_M_start",), ("_M_finish",)), (("_M_start", "_M_cur"), ("_M_finish", "_M_cur"))):
        begin = member(own, *first)
        if begin.IsValid() and begin.GetType().IsPointerType():
            return number(begin) != number(member(own, *last))
    begin = member(value, "__begin_")
    end = member(value, "__end_")
    if begin.IsValid() and end.IsValid() and begin.GetType().IsPointerType():
        return number(begin) != number(end)
    counts = (("_M_t", "_M_impl", "_M_node_count"), ("_M_h", "_M_element_count"), ("_M_impl", "_M_node", "_M_size"))
    return any(number(member(value, *names)) > 0 for names in counts)


def intact(value):
    """
    False if the members of a container contradict each other, or what LLDB reports. It reports no elements if their type is
    incomplete, as clang leaves std::string where no code needs its members, and no members of an incomplete container.
    """
    if not has_members(value.GetType()) or not consistent(value) or not has_sized_elements(value):
        return False
    return synthetic(value).GetNumChildren() > 0 or not is_filled(value)


def incomplete_of(value, _):
    return INCOMPLETE
`

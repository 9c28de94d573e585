/**
 * Python for LLDB: iterators over nodes of libstdc++, and references to bits. An iterator behind the last element of a tree or a hash table is
 * `end`. Of other iterators LLDB cannot tell the end without their container, so one over a list shows its element if its node cannot
 * be the list itself.
 */

/** The source of the summaries. It follows what tells where an iterator points. */
export const iterators = String.raw`LONGEST_RING = 10000


def element_type(value):
    """The type of the elements of an iterator. gcc leaves the arguments of some templates out, so that only the name has it."""
    type = base_type(value.GetType())
    found = type.GetTemplateArgumentType(0)
    if found.IsValid() and found.GetByteSize() > 0:
        return found
    name = type.GetName() or ""
    named = held_type(value, name[name.index("<") + 1 : name.rindex(">")])
    if named is None:
        raise KeyError("the type of the elements is not known")
    return named


def is_ring_head(value):
    """True if the node of an iterator over a list may be the list itself, which has the number of its elements behind its pointers."""
    process, width = value.GetProcess(), value.GetProcess().GetAddressByteSize()
    start = number(member(value, "_M_node"))
    error = lldb.SBError()
    node, count = process.ReadPointerFromMemory(start, error), 0
    while node != start:
        count += 1
        if error.Fail() or node == 0 or count > LONGEST_RING:
            return True
        node = process.ReadPointerFromMemory(node, error)
    return count == 0 or process.ReadPointerFromMemory(start + 2 * width, error) == count or error.Fail()


def node_iterator_of(value):
    """The element of an iterator."""
    short = kind(value)
    node = first_of(value, "_M_node", "_M_cur")
    if number(node) == 0 and "_Node_" not in short:
        return "{_M_node:0x0}"
    if number(node) != 0 and not readable(value, number(node)):
        return "<unreadable>"
    if "_List_" in short:
        if is_ring_head(value):
            return "{_M_node:0x%x}" % number(node)
    elif is_end(value):
        return "end"
    return text(pointed(value, None)[0], ROOM)


def bit_of(value):
    """The bit of a std::vector<bool> or a std::bitset to which a reference refers."""
    raw = plain(value)
    pointer = first_of(raw, "_M_p", "_M_wp")
    mask = raw.GetChildMemberWithName("_M_mask")
    bit = number(mask) if mask.IsValid() else 1 << number(first_of(raw, "_M_bpos"))
    word = pointer.Dereference()
    if word.GetError().Fail():
        raise KeyError("the bit cannot be read")
    return "true" if number(word) & bit else "false"
`

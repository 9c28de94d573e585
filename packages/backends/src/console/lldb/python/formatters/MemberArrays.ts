/**
 * Python for LLDB: arrays in unions and classes whose length or contents LLDB 19 loses.
 *
 * gcc writes no offset for the members of a union, and one size for all classes that have the same. LLDB 19 reads neither, and takes an
 * array for one that begins behind the object: it makes the array one without a length, shown as a string up to the next zero byte. The
 * length is in the debug information. An array in an object that is in a register is empty in LLDB.
 */

/** The source of the provider of members. It follows the other providers. */
export const memberArrays = String.raw`COUNTS = {}
"""The classes and unions that were looked up, by their name, with the numbers of elements of their arrays by member."""


def is_cut(type):
    return type.GetTypeClass() == lldb.eTypeClassArray and "[]" in (type.GetName() or "")


def in_memory(value):
    """False for a value in a register, whose load address is what the register contains, and for one that LLDB computed."""
    return (value.GetLocation() or "").startswith("0x") and value.GetLoadAddress() != lldb.LLDB_INVALID_ADDRESS


def is_lost(owner, member):
    """True for an array that LLDB shows wrongly: without its length, or empty because its owner is in no memory."""
    return is_cut(member.GetType()) or (is_array(member.GetType()) and not in_memory(owner))


def holds_arrays(type):
    return any(is_array(type.GetFieldAtIndex(index).GetType()) for index in range(type.GetNumberOfFields()))


def has_arrays(type, _=None):
    """True for a class or union with arrays, or of the same name as one. LLDB asks this of each type before it reads a value of the type."""
    try:
        type = type.GetCanonicalType()
        return is_class(type) and any_of_name(holds_arrays, type)
    except Exception:
        return False


def whole_type(value, member):
    """The type of an array without a length, with its length; None if it is unknown."""
    owner = value.GetType().GetCanonicalType().GetUnqualifiedType()
    known = next((counts for type, counts in COUNTS.get(owner.GetName(), []) if type == owner), None)
    if known is None:
        try:
            known = counts_of(value.GetTarget(), owner)
        except Exception:
            known = {}
        COUNTS.setdefault(owner.GetName(), []).append((owner, known))
    element = plain(value).GetChildMemberWithName(member).GetType().GetArrayElementType()
    return element.GetArrayType(known[member]) if known.get(member) else None


def bytes_of(value, offset, size):
    """A part of the bytes of a value that is in no memory."""
    error = lldb.SBError()
    process = value.GetProcess()
    content = value.GetData().ReadRawData(error, offset, size)
    return data_of(content, process.GetByteOrder(), process.GetAddressByteSize())


def lengthened(value, index):
    """An array of a class or union with its length and contents; None if LLDB has these, or if the length is unknown."""
    value = plain(value)
    child = value.GetChildAtIndex(index)
    name = child.GetName()
    if not is_lost(value, child):
        return None
    type = whole_type(value, name) if is_cut(child.GetType()) else child.GetType()
    if type is None or not type.IsValid():
        return None
    owner = value.GetType().GetCanonicalType()
    fields = [owner.GetFieldAtIndex(one) for one in range(owner.GetNumberOfFields())]
    # LLDB has no offsets in unions of gcc.
    is_union = owner.GetTypeClass() == lldb.eTypeClassUnion
    offset = 0 if is_union else next(one.GetOffsetInBytes() for one in fields if one.GetName() == name)
    if in_memory(value):
        return value.CreateValueFromAddress(name, value.GetLoadAddress() + offset, type)
    return value.CreateValueFromData(name, bytes_of(value, offset, type.GetByteSize()), type)


def owner_of(value, name):
    """The class or union that has a member of its own: a value, or its unnamed member. None if it is in a base."""
    if any(child.GetName() == name for child in plain(value)):
        return value
    for child in plain(value):
        if not child.GetName() and child.GetIndexOfChildWithName(name) < child.GetNumChildren():
            return child
    return None


class Members(Children):
    """The members of a class or union with arrays."""

    def read(self, value):
        self.owner = value.Dereference() if value.GetType().IsPointerType() else value
        self.count = self.owner.GetNumChildren()

    def get_child_index(self, name):
        return self.owner.GetIndexOfChildWithName(name)

    def child(self, index):
        return lengthened(self.owner, index) or self.owner.GetChildAtIndex(index)
`

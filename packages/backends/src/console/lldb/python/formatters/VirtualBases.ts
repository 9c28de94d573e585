/**
 * Python for LLDB: objects of classes with virtual bases. The object says where its virtual bases are. LLDB 19 reads that once for
 * a variable and keeps it, also if the object was not constructed then, and shows other memory as the base from then on.
 */

/** The source of the provider of members. It follows the other providers. */
export const virtualBases = String.raw`def has_virtual_bases(type, _=None):
    """True for a class with virtual bases. LLDB asks this of each type before it reads a value of the type."""
    try:
        type = type.GetCanonicalType()
        return is_class(type) and type.GetNumberOfVirtualBaseClasses() > 0
    except Exception:
        return False


def read_anew(value):
    """The object at the address of a value, without what LLDB keeps of the value."""
    value = plain(value)
    if not in_memory(value):
        return value
    return plain(value.CreateValueFromAddress(value.GetName() or "object", value.GetLoadAddress(), value.GetType()))


def inherited(value, name):
    """A scalar that an object with virtual bases has from a base; None for other members, which LLDB finds."""
    if not has_virtual_bases(base_type(value.GetType())):
        return None
    if any(one.GetName() == name for one in plain(value)):
        return None
    child = read_anew(value).GetChildMemberWithName(name)
    return child if child.IsValid() and child.GetNumChildren() == 0 else None


class VirtualBases(Children):
    """An object with virtual bases."""

    def read(self, value):
        self.object = read_anew(value.Dereference() if value.GetType().IsPointerType() else value)
        self.count = self.object.GetNumChildren()

    def get_child_index(self, name):
        return self.object.GetIndexOfChildWithName(name)

    def child(self, index):
        return self.object.GetChildAtIndex(index)
`

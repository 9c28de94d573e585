/**
 * Python for LLDB: pointers to members of C++ classes by name, `&S::b`. LLDB shows the offset of the member, or the first half
 * of the two words that point to a function (Itanium C++ ABI, section 2.3).
 */

/** The source of the summary. It follows the other summaries. */
export const memberPointers = String.raw`def pointed_class(name):
    """The class in the type of a pointer to a member, 'int ns::S<a, b>::*' or 'int (S::*)(int)', and what is before it."""
    end = name.find("::*")
    depth = 0
    for place in range(end - 1, -1, -1):
        letter = name[place]
        if letter in ">)":
            depth += 1
        elif letter == "<" or (letter == "(" and depth > 0):
            depth -= 1
        elif depth == 0 and letter in " (":
            return name[place + 1 : end], name[:place].strip()
    return name[:end], ""


def members_at(type, offset, base=0):
    """The members of a class that begin at an offset, also those of its bases and of its unnamed members."""
    found = []
    for index in range(type.GetNumberOfDirectBaseClasses()):
        one = type.GetDirectBaseClassAtIndex(index)
        found += members_at(one.GetType(), offset, base + one.GetOffsetInBytes())
    for index in range(type.GetNumberOfFields()):
        one = type.GetFieldAtIndex(index)
        at = base + one.GetOffsetInBytes()
        if not one.GetName():
            found += members_at(one.GetType(), offset, at)
        elif at == offset and not one.IsBitfield():
            found.append(one)
    return found


def data_member(value, owner, kind):
    offset = value.GetValueAsSigned()
    if offset == -1:
        return "nullptr"
    types = [one for one in value.GetTarget().FindTypes(owner) if one.GetTypeClass() != lldb.eTypeClassTypedef]
    found = members_at(types[0], offset) if len(types) == 1 else []
    if len(found) > 1:
        found = [one for one in found if one.GetType().GetName() == kind]
    if len(found) == 1:
        return "&" + owner + "::" + found[0].GetName()
    return "offset " + str(offset) + " of " + owner


def function_member(value, owner):
    target = value.GetTarget()
    data = value.GetData()
    error = lldb.SBError()
    size = data.GetByteSize() // 2
    read = data.GetUnsignedInt64 if size == 8 else data.GetUnsignedInt32
    first = read(error, 0)
    adjusted = read(error, size)
    if error.Fail():
        return None
    if adjusted >= 1 << (8 * size - 1):
        adjusted -= 1 << (8 * size)
    if re.match("arm|aarch64|thumb", target.GetTriple() or ""):
        is_virtual = adjusted & 1
        adjusted >>= 1
    else:
        is_virtual = first & 1
        first -= is_virtual
    if is_virtual:
        shown = "virtual function " + str(first // size) + " of " + owner
    elif first == 0:
        return "nullptr"
    else:
        place = target.ResolveLoadAddress(first)
        name = place.GetFunction().GetName() or place.GetSymbol().GetName()
        if not name:
            return None
        cut = name.find("(", name.find("operator()") + 10 if "operator()" in name else 0)
        shown = "&" + (name if cut < 0 else name[:cut]).lstrip(":")
    return shown + (" at this + " + str(adjusted) if adjusted else "")


def member_pointer_of(value, _):
    try:
        type = value.GetType().GetCanonicalType()
        if type.GetTypeClass() != lldb.eTypeClassMemberPointer:
            return None
        owner, kind = pointed_class(type.GetName())
        value = plain(value)
        if value.GetByteSize() > value.GetTarget().GetAddressByteSize():
            return function_member(value, owner)
        return data_member(value, owner, kind)
    except Exception:
        return None
`

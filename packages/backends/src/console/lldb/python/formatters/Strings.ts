/**
 * Python for LLDB: strings, string views and arrays of wide characters, with their exact length. LLDB ends a `std::string` of
 * libstdc++ at its first zero, shows no text of its wide strings, and reads on behind an array of wide characters.
 */

/** The source of the summaries. It follows the other summaries. */
export const strings = String.raw`PREFIXES = {"char8_t": "u8", "char16_t": "u", "char32_t": "U", "wchar_t": "L"}
CODECS = {1: "utf-8", 2: "utf-16-le", 4: "utf-32-le"}
ESCAPES = {0: "\\0", 7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r", 27: "\\e", 34: '\\"', 92: "\\\\"}


def quoted(content, type, whole=True):
    """The text of characters of a type, as in source text."""
    kind = type.GetCanonicalType().GetUnqualifiedType()
    codec = CODECS.get(kind.GetByteSize(), "utf-8")
    decoded = content.decode(codec, "backslashreplace" if codec == "utf-8" else "replace")
    # What the decoder wrote for a byte that is not text.
    parts = re.split(r"(\\x[0-9a-f]{2})", decoded) if codec == "utf-8" and b"\\x" not in content else [decoded]
    shown = ""
    for index, part in enumerate(parts):
        shown += part if index % 2 == 1 else "".join(
            ESCAPES.get(ord(letter), letter if letter.isprintable() else "\\x%02x" % ord(letter)) for letter in part
        )
    prefix = PREFIXES.get(type.GetUnqualifiedType().GetName()) or PREFIXES.get(kind.GetName(), "")
    return prefix + '"' + shown + ("" if whole else "…") + '"'


def characters(value, address, count, type):
    """The text of characters in memory, at most 1024."""
    read = min(count, 1024)
    if read == 0:
        return quoted(b"", type)
    error = lldb.SBError()
    content = value.GetProcess().ReadMemory(address, read * type.GetByteSize(), error)
    return "<unreadable>" if error.Fail() else quoted(content, type, read == count)


def view_parts(value):
    size = first_of(value, "_M_len", "__size_", "__size")
    data = first_of(value, "_M_str", "__data_", "__data")
    return number(data), number(size), data.GetType().GetPointeeType()


def view_of(value):
    return characters(value, *view_parts(value))


def wide_of(value, _=None):
    """An array of wide characters, without the zeros at its end. LLDB reads on behind an array that has none."""
    type = value.GetType().GetArrayElementType()
    error = lldb.SBError()
    content = value.GetData().ReadRawData(error, 0, min(value.GetByteSize(), 4096))
    if error.Fail():
        return "<unreadable>"
    width = type.GetByteSize()
    end = len(content)
    while end >= width and not any(content[end - width : end]):
        end -= width
    return quoted(content[:end], type, value.GetByteSize() <= 4096)


def string_class(type):
    """The name of the type of the characters, for a string of libstdc++ with its current layout."""
    found = re.match(r"std::__cxx11::(?:basic_string<(\w+)[,>]|(w|u8|u16|u32)?string$)", base_type(type).GetName() or "")
    if found is None:
        return None
    return found.group(1) or {None: "char", "w": "wchar_t"}.get(found.group(2), "char%s_t" % (found.group(2) or "")[1:])


def string_type(value, type=None):
    """The type of the characters of a string of libstdc++, by the name of its class."""
    kind = string_class(type or value.GetType())
    basic = {"char": lldb.eBasicTypeChar, "wchar_t": lldb.eBasicTypeWChar, "char16_t": lldb.eBasicTypeChar16, "char32_t": lldb.eBasicTypeChar32}
    target = value.GetTarget()
    return target.GetBasicType(basic[kind]) if kind in basic else target.FindFirstType(kind or "")


def string_parts(value):
    """
    The address of the characters of a string of libstdc++, their number, for how many there is room, and their type; None if it cannot be
    read. Clang leaves the class, or the class of its first member, incomplete where no code needs their members; the places of these do not change.
    """
    data = member(value, "_M_dataplus", "_M_p")
    if data.IsValid():
        type = data.GetType().GetPointeeType()
        address, count = number(data), number(member(value, "_M_string_length"))
        inside, capacity = member(value, "_M_local_buf").GetLoadAddress(), number(member(value, "_M_allocated_capacity"))
    else:
        place = number(value) if value.GetType().IsReferenceType() else plain(value).GetLoadAddress()
        return string_at(value, place, string_type(value))
    return fitting(address, count, capacity, inside, type)


def string_at(value, place, type):
    """The parts of a string at an address, read from the memory of the program of another value."""
    if not type.IsValid() or place == lldb.LLDB_INVALID_ADDRESS:
        return None
    error = lldb.SBError()
    width = value.GetTarget().GetAddressByteSize()
    words = [value.GetProcess().ReadPointerFromMemory(place + index * width, error) for index in range(3) if error.Success()]
    return None if error.Fail() else fitting(*words, place + 2 * width, type)


def fitting(address, count, capacity, inside, type):
    # The text is in the object, or in memory for as many characters as the capacity says.
    room = 16 // type.GetByteSize() - 1 if address == inside else capacity
    return None if address == 0 or count > room else (address, count, type)


def string_of(value):
    """A string of libstdc++. LLDB ends one at its first zero, and has no text of wide ones."""
    parts = string_parts(value)
    return "<unreadable>" if parts is None else characters(value, *parts)
`

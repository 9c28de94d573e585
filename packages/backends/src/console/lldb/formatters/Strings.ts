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
    return PREFIXES.get(kind.GetName(), "") + '"' + shown + ("" if whole else "…") + '"'


def characters(value, address, count, type):
    """The text of characters in memory, at most 1024."""
    read = min(count, 1024)
    if read == 0:
        return quoted(b"", type)
    error = lldb.SBError()
    content = value.GetProcess().ReadMemory(address, read * type.GetByteSize(), error)
    return "<unreadable>" if error.Fail() else quoted(content, type, read == count)


def view_of(value):
    size = first_of(value, "_M_len", "__size_", "__size")
    data = first_of(value, "_M_str", "__data_", "__data")
    return characters(value, number(data), number(size), data.GetType().GetPointeeType())


def wide_of(value, _=None):
    """An array of wide characters, without the zeros at its end. LLDB reads on behind an array that has none."""
    type = value.GetType().GetCanonicalType().GetArrayElementType()
    error = lldb.SBError()
    content = value.GetData().ReadRawData(error, 0, min(value.GetByteSize(), 4096))
    if error.Fail():
        return "<unreadable>"
    width = type.GetByteSize()
    end = len(content)
    while end >= width and not any(content[end - width : end]):
        end -= width
    return quoted(content[:end], type, value.GetByteSize() <= 4096)


def string_of(value):
    """A string of libstdc++. LLDB ends one at its first zero, and has no text of wide ones."""
    data = member(value, "_M_dataplus", "_M_p")
    type = data.GetType().GetPointeeType()
    count = number(member(value, "_M_string_length"))
    # The text is in the object, or in memory for as many characters as the capacity says.
    is_inside = number(data) == member(value, "_M_local_buf").GetLoadAddress()
    room = 16 // type.GetByteSize() - 1 if is_inside else number(member(value, "_M_allocated_capacity"))
    return "<unreadable>" if number(data) == 0 or count > room else characters(value, number(data), count, type)
`

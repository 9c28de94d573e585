/**
 * Python for LLDB: one-line summaries of arrays, such as `{{1, 2}, {3, 4}}` of `int[2][2]`. LLDB's own text is `{{...}, {...}}`, and ends
 * after 32 characters. Arrays of characters are texts, which `Strings` and LLDB write. They read memory only.
 */

/** The source of the summaries. It follows `Summaries` and `MemberArrays`. */
export const arrays = String.raw`CHARACTERS = BYTES + ("char", "wchar_t", "char8_t", "char16_t", "char32_t")


def is_shown_array(type, _):
    """True for an array of anything but characters. LLDB asks this of each type before it shows a value of the type."""
    try:
        if type.IsPointerType() or type.IsReferenceType() or not is_array(type) or is_cut(type):
            return False
        element = type.GetCanonicalType().GetArrayElementType()
        return base_type(element).GetName() not in CHARACTERS and is_complete(element)
    except Exception:
        return False


def array_of(value, _):
    try:
        count = value.GetNumChildren()
        parts = []
        used = 0
        while len(parts) < count and used <= ROOM:
            parts.append(text(value.GetChildAtIndex(len(parts)), ROOM))
            used += len(parts[-1]) + 2
        return joined(parts, len(parts) == count, ROOM, ", ")
    except Exception:
        return None
`

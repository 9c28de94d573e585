/**
 * Python for LLDB: one-line summaries of arrays whose elements have members, such as `{{1, 2}, {3, 4}}` of `int[2][2]`. LLDB's own text is
 * `{{...}, {...}}`. They read memory only.
 */

/** The source of the summaries. It follows `Summaries` and `MemberArrays`. */
export const nestedArrays = String.raw`def is_nested(type, _):
    """True for an array of arrays, of objects, or of pointers to objects. LLDB asks this of each type before it shows a value of the type."""
    try:
        if type.IsPointerType() or type.IsReferenceType() or not is_array(type) or is_cut(type):
            return False
        element = type.GetCanonicalType().GetArrayElementType().GetCanonicalType()
        if element.IsPointerType():
            element = element.GetPointeeType().GetCanonicalType()
            return is_class(element)
        return (is_array(element) or is_class(element)) and is_complete(element)
    except Exception:
        return False


def nested_of(value, _):
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

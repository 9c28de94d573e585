/**
 * Python for LLDB: one-line summaries of objects of C and C++, such as `{p:{x:1, y:2}, k:3}`. LLDB's own text is `{p:{...}, k:3}`, writes
 * the byte 3 as a character, and leaves unnamed structures and unions out without a sign. They read memory only.
 *
 * LLDB has summaries for structures of the Macintosh Toolbox, which it applies to any structure of that name: of an `RGBColor` it shows three
 * members. Such names are shown as any other here.
 */

/** The source of the summaries. It follows `Summaries` and `Arrays`. */
export const nestedObjects = String.raw`LIBRARIES = re.compile(r"(?:std|__gnu_cxx|__cxxabiv1|alloc|core|hashbrown)::")
TOOLBOX = {"Point", "Rect", "RGBColor", "HIPoint", "HIRect", "DateTimeRect", "LongDateRect"}


def is_object(type):
    """True for a structure, class or union of the program, not of its library."""
    type = type.GetCanonicalType().GetUnqualifiedType()
    return is_class(type) and not LIBRARIES.match(type.GetName() or "")


def is_object_pointer(type):
    type = type.GetCanonicalType()
    return type.IsPointerType() and is_object(type.GetPointeeType())


def is_toolbox(type):
    """True for a type with the name of a structure of the Toolbox, and for a pointer to one, at any level."""
    while type.IsPointerType() or type.IsReferenceType():
        type = type.GetPointeeType()
    return type.GetUnqualifiedType().GetName() in TOOLBOX


def has_any_member(type):
    return type.GetNumberOfFields() + type.GetNumberOfDirectBaseClasses() > 0


def has_objects(type, _):
    """True for an object of the program that has members. LLDB asks this of each type before it shows a value of the type."""
    try:
        if is_toolbox(type):
            return True
        if type.IsPointerType() or type.IsReferenceType():
            return False
        return is_object(type) and is_complete(type) and has_any_member(type.GetCanonicalType())
    except Exception:
        return False


def object_of(value, _):
    try:
        value = target(value)
        if points_to_pointer(value.GetType()):
            return ""
        if value.GetType().IsPointerType():
            value = value.Dereference()
        # LLDB says why a value has no memory.
        if in_memory(value) and not readable(value, value.GetLoadAddress()):
            return ""
        shown = members_text(value, ROOM, 4)
        # Of an object that the compiler left without values nothing is shown, nor of the objects in it.
        return shown if re.search(r"\{\}|:(?!<unreadable>|\{(?![}…]))", shown) else ""
    except Exception:
        return ""
`

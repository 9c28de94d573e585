/**
 * Python for LLDB: a text that is assigned to a pointer, `name = ("new")`. LLDB frees the memory of a literal when the expression has ended,
 * and the program would read what is there next. So the text is written to memory that LLDB allocates in the program and keeps.
 */

/** The source of the function. It follows the commands that compile expressions, which call it. */
export const assignedTexts = String.raw`ASSIGNED_TEXT = re.compile(r"\s*%s\s*=\s*(\()?\s*(?:u8|[LuU])?\"((?:[^\"\\]|\\.)*)\"\s*(?(2)\))\s*$" % PATH)
ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]+)|([0-7]{1,3})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))|[^\\]+")
ESCAPED = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, "e": 27}
CHARACTER = re.compile(r"char((8|16|32)?_t)?$")
ENCODINGS = {1: "utf-8", 2: "utf-16-le", 4: "utf-32-le"}


def text_bytes(inside, unit):
    """The bytes of a literal of C with its final zero; inside is what is between the quotes, unit the size of a character."""
    content = b""
    for found in ESCAPE.finditer(inside):
        hexadecimal, octal, short, long, letter = found.groups()
        if hexadecimal or octal:
            content += int(hexadecimal or octal, 16 if hexadecimal else 8).to_bytes(unit, "little")
        else:
            named = chr(int(short or long, 16)) if short or long else chr(ESCAPED[letter]) if letter in ESCAPED else letter
            content += (named or found.group(0)).encode(ENCODINGS[unit])
    return content + bytes(unit)


def with_text(frame, expression):
    """The assignment of a text to a pointer with the address of the text in the program; another expression as it is."""
    found = ASSIGNED_TEXT.match(expression)
    pointer = found_by(frame, found.group(1)) if found else None
    type = pointer.GetType() if pointer is not None else None
    if type is not None and type.IsReferenceType():
        type = type.GetDereferencedType()
    pointee = type.GetPointeeType().GetUnqualifiedType() if type is not None and type.IsPointerType() else None
    # wchar_t is another name of an integer in C.
    names = [one.GetName() or "" for one in (pointee, pointee.GetCanonicalType())] if pointee is not None else []
    if not any(CHARACTER.search(one) for one in names) or pointee.GetByteSize() not in ENCODINGS:
        return expression
    content = text_bytes(found.group(3), pointee.GetByteSize())
    process = frame.GetThread().GetProcess()
    error = lldb.SBError()
    address = process.AllocateMemory(len(content), lldb.ePermissionsReadable | lldb.ePermissionsWritable, error)
    if error.Fail() or process.WriteMemory(address, content, error) != len(content):
        raise KeyError("the program has no memory for the text")
    return "%s = (%s)0x%x" % (found.group(1), type.GetCanonicalType().GetName(), address)
`

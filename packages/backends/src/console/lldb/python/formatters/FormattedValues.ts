/**
 * Python for LLDB: the values of an object, an array or a container in a format, such as `{tag:0x78, sizes:{0x1, 0x2}}`. LLDB writes the
 * text of the summary, in which the format is not used, and behind it each value on a line of its own. The command reads memory only.
 */

/** The source of the command `sigtrap-format FORMAT PATH`. It follows `Arrays` and `ElementPaths`. */
export const formattedValues = String.raw`FORMATTED_ROOM = 400
"""The characters of such a text, after which it ends with an ellipsis."""
FORMATS = {
    "hex": lldb.eFormatHex,
    "decimal": lldb.eFormatDecimal,
    "unsigned": lldb.eFormatUnsigned,
    "octal": lldb.eFormatOctal,
    "binary": lldb.eFormatBinary,
    "character": lldb.eFormatChar,
    "float": lldb.eFormatFloat,
    "address": lldb.eFormatAddressInfo,
    "string": lldb.eFormatCString,
    "bytes": lldb.eFormatBytes,
}


def is_composed(value):
    kind = base_type(value.GetType())
    return is_class(kind) or kind.GetTypeClass() == lldb.eTypeClassArray


def formatted_scalar(value, format):
    is_number = base_type(value.GetType()).GetTypeFlags() & lldb.eTypeIsInteger and value.GetByteSize() <= 8
    if format == lldb.eFormatOctal and is_number:
        # LLDB writes a negative number as one of 64 bits.
        digits = "%o" % (value.GetValueAsUnsigned() & ((1 << 8 * value.GetByteSize()) - 1))
        return digits if digits == "0" else "0" + digits
    if format == lldb.eFormatCString and value.GetSummary():
        return text(value, ROOM)
    before = value.GetFormat()
    value.SetFormat(format)
    try:
        shown = value.GetValue()
    finally:
        value.SetFormat(before)
    # Not every format is one of every type.
    known = shown is not None and not shown.startswith("error:")
    return shown if known else text(value, ROOM)


def only_scalar(value):
    """The scalar that an object consists of, such as that of an atomic; None if it has more."""
    while is_composed(value) and value.GetNumChildren() == 1:
        value = value.GetChildAtIndex(0)
    return None if is_composed(value) else value


def formatted_library(value, format, summary):
    """An object of a library whose text is one scalar in that format; any other one has its own text."""
    scalar = only_scalar(value)
    is_text = scalar is None or scalar.GetValue() != summary or scalar.GetType().GetTypeFlags() & lldb.eTypeIsComplex
    return summary if is_text else formatted_scalar(scalar, format)


def formatted_pair(both, format, room, depth):
    return ":".join(formatted_text(one, format, room, depth - 1) for one in both)


def formatted_parts(value, format, room, depth):
    """The members or elements of a value, as many as have room."""
    parts = []
    used = 0
    count = value.GetNumChildren()
    shown_count = 0
    while shown_count < count and used <= room:
        child = value.GetChildAtIndex(shown_count)
        shown_count += 1
        name = child.GetName() or ""
        # Bits between two members are none.
        if name == "" and not is_class(base_type(child.GetType())):
            continue
        both = pair(child) if kind(value).endswith("map") else None
        shown = formatted_pair(both, format, room, depth) if both else formatted_text(child, format, room - used, depth - 1)
        parts.append(shown if name == "" or name.startswith("[") else name + ":" + shown)
        used += len(parts[-1]) + 2
    return joined(parts, shown_count == count, room, ", ")


def formatted_text(value, format, room, depth=6):
    """A value in a format. What has no parts to format, such as a string, has the same text as without a format."""
    value = target(value)
    if not value.IsValid() or value.GetError().Fail():
        return "<unreadable>"
    if not is_composed(value):
        return re.sub(r"^0x0+(?=[0-9a-fA-F])", "0x", formatted_scalar(value, format))
    # The debug information does not say how many elements an array without a length has.
    if depth == 0 or is_cut(value.GetType()):
        return "{…}"
    both = pair(plain(value))
    if both is not None and kind(value) == "pair":
        return joined([formatted_pair(both, format, room, depth)], True, room, ", ")
    summary = value.GetSummary() or ""
    if format == lldb.eFormatCString and summary.endswith('"'):
        return summary
    is_listed = (value.GetChildAtIndex(0).GetName() or "").startswith("[")
    if summary and LIBRARIES.match(base_type(value.GetType()).GetName() or "") and not is_listed:
        return formatted_library(value, format, summary)
    size = re.match(r"\d+ (?=\{)", summary) if is_listed else None
    return (size.group(0) if size else "") + formatted_parts(value, format, room, depth)


def has_own_format(value, format):
    """True for a value that is formatted here. LLDB formats pointers, and an array of characters as one text or its bytes."""
    if not is_composed(value):
        return not value.GetType().IsPointerType() or (format == lldb.eFormatCString and (value.GetSummary() or "").endswith('"'))
    is_text = is_array(value.GetType()) and base_type(value.GetType().GetArrayElementType()).GetName() in BYTES + ("char",)
    return not (is_text and format in (lldb.eFormatCString, lldb.eFormatBytes))


def format_value(debugger, command, context, result, _):
    """The command sigtrap-format FORMAT PATH: prints JSON with the value and its type; {} for one that LLDB formats, and for an expression that names none."""
    found = {}
    try:
        format, path = command.split(" ", 1)
        format = FORMATS[format]
        value = context.GetFrame().GetValueForVariablePath(path)
        if value.GetError().Fail():
            value = resolve(context.GetFrame(), path)[0]
        if value.IsValid() and value.GetError().Success() and has_own_format(target(value), format):
            whole = target(value)
            shown = formatted_text(whole, format, FORMATTED_ROOM) if is_composed(whole) else formatted_scalar(whole, format)
            found = {"value": shown, "type": value.GetType().GetName()}
    except Exception:
        found = {}
    result.AppendMessage(json.dumps(found))
`

/**
 * Python for LLDB: the lengths of arrays whose length is computed when the program runs (C's variable-length arrays).
 *
 * gcc describes such a length with an expression (`DW_AT_upper_bound` in the form `exprloc`). LLDB 19 takes the number of bytes of the
 * expression for the bound, so that each of these arrays has four to six elements, and in optimized code an offset. clang refers to a
 * variable, which LLDB reads.
 */

/** The source of the command. It follows the reader of the debug information. */
export const variableLengths = String.raw`TAG_POINTER = 0x0F
MOST_ELEMENTS = 1 << 24
"""A longer array is one whose length is not computed yet."""


def result_of(frame, block):
    """The value of a DWARF expression in a frame. Raises for an operation that gcc does not use for lengths."""
    process = frame.GetThread().GetProcess()
    width = process.GetAddressByteSize()
    sizes = {0x08: (1, False), 0x09: (1, True), 0x0A: (2, False), 0x0B: (2, True), 0x0C: (4, False), 0x0D: (4, True)}
    stack, at = [], 0
    while at < len(block):
        code = block[at]
        at += 1
        if code == 0x91:
            offset, at = sleb(block, at)
            stack.append(frame.GetCFA() + offset)
        elif code == 0x06:
            error = lldb.SBError()
            stack.append(process.ReadUnsignedFromMemory(stack.pop(), width, error))
            if error.Fail():
                raise NoLength()
        elif 0x30 <= code <= 0x4F:
            stack.append(code - 0x30)
        elif code in sizes:
            size, signed = sizes[code]
            stack.append(int.from_bytes(block[at : at + size], "little", signed=signed))
            at += size
        elif code == 0x10:
            value, at = uleb(block, at)
            stack.append(value)
        elif code == 0x23:
            value, at = uleb(block, at)
            stack.append(stack.pop() + value)
        elif code in (0x1C, 0x1E, 0x22):
            last = stack.pop()
            first = stack.pop()
            stack.append({0x1C: first - last, 0x1E: first * last, 0x22: first + last}[code])
        else:
            raise NoLength()
    value = stack.pop() & ((1 << (8 * width)) - 1)
    return value - (1 << (8 * width)) if value >> (8 * width - 1) else value


class NoLength(Exception):
    """The length of an array cannot be computed here."""


def misread(unit, part):
    """True if LLDB does not read the length of a dimension, by its entry: an expression, a list of locations, or another entry."""
    code, _ = uleb(unit.data, part - unit.start)
    bounds = unit.entry(part)[2]
    references = [name for name, form, _ in unit.abbreviations[code][2] if form in REFERENCE_FORMS]
    if AT_BOUND in bounds and (AT_BOUND in references or not isinstance(bounds[AT_BOUND], int)):
        return True
    return AT_COUNT in bounds and not isinstance(bounds[AT_COUNT], int)


def length_of(frame, unit, part):
    """The length of one dimension, by its entry."""
    bounds = unit.entry(part)[2]
    for name, more in ((AT_BOUND, 1), (AT_COUNT, 0)):
        bound = bounds.get(name)
        if isinstance(bound, bytes):
            length = result_of(frame, bound) + more
            if not 0 <= length <= MOST_ELEMENTS:
                raise NoLength()
            return length
        if isinstance(bound, int) and not misread(unit, part):
            return bound + more
    raise NoLength()


def lengths_of(frame, offset):
    """The lengths of the array that a variable is or points to, by the variable's entry. None if LLDB reads them."""
    unit = reader_of(frame.GetModule()).unit_of(offset)
    attributes = unit.entry(offset)[2]
    for _ in range(4):
        if AT_TYPE in attributes:
            break
        attributes = unit.entry(attributes[AT_ORIGIN])[2]
    tag, _, own, _ = unit.entry(attributes[AT_TYPE])
    array = attributes[AT_TYPE]
    while tag in (TAG_TYPEDEF, TAG_CONST, TAG_VOLATILE, TAG_POINTER):
        array = own[AT_TYPE]
        tag, _, own, _ = unit.entry(array)
    if tag != TAG_ARRAY:
        return None
    parts = [part for part, kind, _ in unit.children(array) if kind == TAG_SUBRANGE]
    if not any(misread(unit, part) for part in parts):
        return None
    return [length_of(frame, unit, part) for part in parts]


def answer_lengths(debugger, command, context, result, _):
    """The command sigtrap-lengths ENTRY: prints the lengths of an array as JSON; null where LLDB knows no length, {} if it reads them."""
    found = {}
    try:
        frame = context.GetFrame()
        try:
            lengths = lengths_of(frame, int(command, 16))
            found = {} if lengths is None else {"lengths": lengths}
        except NoLength:
            found = {"lengths": [None]}
    except Exception:
        pass
    result.AppendMessage(json.dumps(found))
`

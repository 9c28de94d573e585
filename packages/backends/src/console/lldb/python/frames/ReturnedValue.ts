/**
 * Python for LLDB: the value that a function returned, read from the registers that its calling convention names.
 *
 * LLDB 19 reads no enumeration, `__int128`, complex number or `long double`, and false values for unions and for classes that
 * are returned in memory although they are small, such as `std::shared_ptr`. Here the classes of the System V ABI for x86-64
 * (section 3.2.3) are computed from the type. What is not certain is reported as unknown.
 */

/** The source of the commands. It follows the summaries. */
export const returned = String.raw`LEFT = {}
"""What finish leaves, by thread: the caller's pc and frame, and the function."""
BUILTIN = {
    lldb.eBasicTypeFloat: "SSE",
    lldb.eBasicTypeDouble: "SSE",
    lldb.eBasicTypeLongDouble: "X87",
}
OWNERS = re.compile(r"^std::(__\w+::)?(unique_ptr|shared_ptr|weak_ptr|function|any|thread|unique_lock|lock_guard|future|promise)\b")


class Unclear(Exception):
    pass


def bare(type):
    return type.GetCanonicalType().GetUnqualifiedType()


def parts(type):
    """The bases and members of a class: type, offset in bits, True for a bit field. LLDB has no offsets in unions of gcc."""
    in_union = type.GetTypeClass() == lldb.eTypeClassUnion
    for index in range(type.GetNumberOfDirectBaseClasses()):
        base = type.GetDirectBaseClassAtIndex(index)
        yield base.GetType(), base.GetOffsetInBits(), False
    for index in range(type.GetNumberOfFields()):
        field = type.GetFieldAtIndex(index)
        yield field.GetType(), 0 if in_union else field.GetOffsetInBits(), field.IsBitfield()


def passing(type):
    """How a class is returned, as far as its functions tell: "memory", "registers", or "unclear"."""
    type = bare(type)
    if type.GetTypeClass() == lldb.eTypeClassArray:
        return passing(type.GetArrayElementType())
    if not is_class(type):
        return "registers"
    name = type.GetName() or ""
    if OWNERS.match(name) or type.IsPolymorphicClass() or type.GetNumberOfVirtualBaseClasses() > 0:
        return "memory"
    own = re.sub(r"<.*", "", name).split("::")[-1]
    found = "registers"
    for index in range(type.GetNumberOfMemberFunctions()):
        function = type.GetMemberFunctionAtIndex(index)
        called = re.sub(r"<.*", "", function.GetName() or "")
        copies = called == own and function.GetNumberOfArguments() >= 1
        if copies:
            argument = function.GetArgumentTypeAtIndex(0)
            copies = argument.IsReferenceType() and bare(argument.GetDereferencedType()) == type
        if called.startswith("~") or copies:
            found = "unclear"
    for part, _, _ in parts(type):
        inside = passing(part)
        if inside == "memory":
            return inside
        found = inside if found == "registers" else found
    return found


def classify(type, offset, classes):
    """Adds the class of each eight bytes of a value at an offset in bits. Raises Unclear for types not described here."""
    type = bare(type)
    kind = type.GetTypeClass()
    size = type.GetByteSize() * 8
    if is_class(type):
        for part, place, is_bits in parts(type):
            if is_bits:
                merge(classes, (offset + place) // 64, "INTEGER")
            elif bare(part).GetByteSize() > 0:
                classify(part, offset + place, classes)
        return
    if kind == lldb.eTypeClassArray:
        element = type.GetArrayElementType()
        width = element.GetByteSize() * 8
        for index in range(size // width if width else 0):
            classify(element, offset + index * width, classes)
        return
    if kind in (lldb.eTypeClassEnumeration, lldb.eTypeClassPointer, lldb.eTypeClassReference, lldb.eTypeClassMemberPointer):
        found = "INTEGER"
    elif kind == lldb.eTypeClassBuiltin and type.GetBasicType() != lldb.eBasicTypeInvalid:
        found = BUILTIN.get(type.GetBasicType(), "INTEGER")
    elif kind == lldb.eTypeClassComplexFloat and size <= 128:
        found = "SSE"
    else:
        raise Unclear()
    if type.GetBasicType() == lldb.eBasicTypeHalf:
        raise Unclear()
    is_half = kind == lldb.eTypeClassComplexFloat or kind == lldb.eTypeClassMemberPointer
    if offset % (size // 2 if is_half else size):
        # A member that is not aligned.
        raise Unclear()
    for place in range(offset // 64, (offset + size - 1) // 64 + 1):
        merge(classes, place, found)


def merge(classes, place, found):
    if place > 1:
        raise Unclear()
    before = classes[place]
    if before is not None and before != found and "X87" in (before, found):
        raise Unclear()
    classes[place] = "INTEGER" if "INTEGER" in (before, found) else found


def register(frame, name):
    found = frame.FindRegister(name).GetNonSyntheticValue()
    if not found.IsValid():
        raise Unclear()
    return found


def in_registers(frame, type):
    classes = [None, None]
    classify(type, 0, classes)
    if classes[0] is None:
        raise Unclear()
    error = lldb.SBError()
    if classes[0] == "X87":
        data = register(frame, "st0").GetData()
        return bytes(data.GetUnsignedInt8(error, place) for place in range(10)).ljust(16, b"\0")
    names = {"INTEGER": ["rax", "rdx"], "SSE": ["xmm0", "xmm1"]}
    words = b""
    for found in classes:
        if found is None:
            continue
        name = names[found].pop(0)
        held = register(frame, name)
        word = held.GetData().GetUnsignedInt64(error, 0)
        if error.Fail():
            raise Unclear()
        words += word.to_bytes(8, "little")
    return words


def taken(frame, type):
    """The returned value; raises Unclear."""
    size = type.GetByteSize()
    if size == 0:
        raise Unclear()
    target = frame.GetThread().GetProcess().GetTarget()
    how = "memory" if size > 16 and is_class(bare(type)) else passing(type)
    if how != "registers":
        address = register(frame, "rax").GetValueAsUnsigned()
        error = lldb.SBError()
        read = frame.GetThread().GetProcess().ReadMemory(address, size, error)
        is_there = error.Success() and read is not None and len(read) == size
        if how == "memory":
            if not is_there:
                raise Unclear()
            return target.CreateValueFromAddress("returned", target.ResolveLoadAddress(address), type)
        if is_there:
            raise Unclear()
    held = in_registers(frame, type)[:size]
    data = data_of(held, lldb.eByteOrderLittle, target.GetAddressByteSize())
    return target.CreateValueFromData("returned", data, type)


def is_scalar(type):
    kinds = (lldb.eTypeClassBuiltin, lldb.eTypeClassPointer, lldb.eTypeClassEnumeration)
    return bare(type).GetTypeClass() in kinds


def shown_of(value):
    type = value.GetType()
    if bare(type).IsReferenceType():
        value = value.Dereference()
    own, summary = value.GetValue(), value.GetSummary()
    if own and summary and own.startswith("0x"):
        return own + " " + summary
    return text(value, ROOM)


def left(debugger, command, context, result, _):
    """The command sigtrap-left: remembers which function the selected frame is about to leave."""
    frame = context.GetFrame()
    thread = frame.GetThread()
    LEFT.pop(thread.GetThreadID(), None)
    caller = thread.GetFrameAtIndex(frame.GetFrameID() + 1)
    symbol = frame.GetSymbol()
    names = "%s %s" % (symbol.GetName(), symbol.GetMangledName())
    # gcc may remove the returned value of such a part or copy of a function.
    if not frame.IsInlined() and caller.IsValid() and not re.search(r"\.(isra|part)\b", names):
        LEFT[thread.GetThreadID()] = (caller.GetPC(), caller.GetCFA(), frame.GetFunction())


def answer_returned(debugger, command, context, result, _):
    """The command sigtrap-returned: prints the returned value as JSON, without a value if it is unknown."""
    result.AppendMessage(json.dumps(returned_of(context.GetFrame())))


def returned_of(frame):
    thread = frame.GetThread()
    pc, cfa, function = LEFT.pop(thread.GetThreadID(), (None, None, None))
    if function is None or (frame.GetPC(), frame.GetCFA()) != (pc, cfa):
        return {}
    type = function.GetType().GetFunctionReturnType()
    if not type.IsValid() or bare(type).GetBasicType() == lldb.eBasicTypeVoid:
        return {}
    name = type.GetDisplayTypeName() or type.GetName() or ""
    try:
        is_rust = function.GetLanguage() == lldb.eLanguageTypeRust
        if is_rust and not is_scalar(type):
            return {"type": name}
        triple = thread.GetProcess().GetTarget().GetTriple() or ""
        if triple.startswith("x86_64-") and "windows" not in triple:
            value = taken(frame, type)
        else:
            value = thread.GetStopReturnValue()
            if not is_scalar(type) or not value.GetValue():
                return {"type": name}
        if not value.IsValid() or value.GetError().Fail():
            return {"type": name}
        return {"type": name, "value": shown_of(value)}
    except Exception:
        return {"type": name}
`

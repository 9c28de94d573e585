/**
 * Python for LLDB: where the values of a trace point are, so that a debug server without LLDB can read them: at an offset from the frame
 * pointer, or at a distance from the entry point of the program. Only numbers and pointers of variables and of members inside them have
 * such a place.
 */

/** The source of the command. It follows the records of traces. */
export const tracePlaces = String.raw`PLACED = re.compile(r"^([A-Za-z_]\w*)((?:\.[A-Za-z_]\w*|\[\d+\])*)$")


def location_of(frame, name):
    """The location expression of the only variable with a name in the scope of a frame; None if there are several or none."""
    answer = lldb.SBCommandReturnObject()
    interpreter = frame.GetThread().GetProcess().GetTarget().GetDebugger().GetCommandInterpreter()
    interpreter.HandleCommand("image lookup -v -a %d" % frame.GetPC(), answer)
    pattern = r'^ *Variable: .*\bname = "%s", .*\blocation = (.*?), decl = ' % re.escape(name)
    found = re.findall(pattern, answer.GetOutput() or "", re.M)
    return found[0] if len(found) == 1 else None


def is_bits(type, name):
    """True if a member of a class is a bit field."""
    fields = [type.GetFieldAtIndex(index) for index in range(type.GetNumberOfFields())]
    return any(field.GetName() == name and field.IsBitfield() for field in fields)


def step_into(value, step):
    """A member or an element inside a value; nothing is followed."""
    kind = bare(value.GetType()).GetTypeClass()
    if step.startswith("["):
        is_inside = kind == lldb.eTypeClassArray
        child = plain(value).GetChildAtIndex(int(step[1:-1])) if is_inside else None
    else:
        type = bare(value.GetType())
        is_inside = is_class(type) and type.GetNumberOfVirtualBaseClasses() == 0 and not is_bits(type, step[1:])
        child = plain(value).GetChildMemberWithName(step[1:]) if is_inside else None
    if child is None or not child.IsValid():
        raise KeyError(step)
    return child


def kind_of(value):
    type = bare(value.GetType())
    if type.IsPointerType():
        pointee = bare(type.GetPointeeType())
        is_plain = pointee.GetTypeClass() == lldb.eTypeClassBuiltin and pointee.GetByteSize() != 1
        return "pointer" if is_plain else None
    if type.GetTypeClass() != lldb.eTypeClassBuiltin:
        return None
    if type.GetBasicType() == lldb.eBasicTypeBool:
        return "bool"
    signed = (lldb.eBasicTypeShort, lldb.eBasicTypeInt, lldb.eBasicTypeLong, lldb.eBasicTypeLongLong)
    unsigned = (
        lldb.eBasicTypeUnsignedShort,
        lldb.eBasicTypeUnsignedInt,
        lldb.eBasicTypeUnsignedLong,
        lldb.eBasicTypeUnsignedLongLong,
    )
    return "signed" if type.GetBasicType() in signed else "unsigned" if type.GetBasicType() in unsigned else None


def place_of(frame, expression):
    """The place of a value with its bytes; raises an exception if it has none."""
    root, path = PLACED.match(expression).groups()
    value = frame.FindVariable(root)
    if not value.IsValid():
        value = frame.FindValue(root, lldb.eValueTypeVariableStatic)
    is_static = False
    if not value.IsValid():
        found = frame.GetThread().GetProcess().GetTarget().FindGlobalVariables(root, 2)
        if found.GetSize() != 1:
            raise KeyError(root)
        value = found.GetValueAtIndex(0)
        is_static = True
    elif value.GetValueType() in (lldb.eValueTypeVariableGlobal, lldb.eValueTypeVariableStatic):
        is_static = True
    elif not re.match(r"^DW_OP_fbreg [+-]?\d+$", location_of(frame, root) or ""):
        raise KeyError(root)
    for step in re.findall(r"\.\w+|\[\d+\]", path):
        value = step_into(value, step)
    kind, size, address = kind_of(value), value.GetByteSize(), value.GetLoadAddress()
    if kind is None or value.GetType().IsReferenceType() or address in (0, lldb.LLDB_INVALID_ADDRESS):
        raise KeyError(expression)
    error = lldb.SBError()
    held = frame.GetThread().GetProcess().ReadMemory(address, size, error)
    if error.Fail() or size > 8:
        raise KeyError(expression)
    offset = address if is_static else address - frame.GetFP()
    return {"base": "static" if is_static else "frame", "offset": offset, "size": size, "kind": kind, "bytes": held.hex()}


def places_of(context, asked):
    """Where the values of a trace point are, or the first expression that has no place."""
    target, process = context.GetTarget(), context.GetProcess()
    frame = process.GetThreadByID(asked["thread"]).GetFrameAtIndex(0)
    points = [target.FindBreakpointByID(number) for number in asked["numbers"]]
    # On x86-64 the frame pointer is known to be this frame's own if the frame begins 16 bytes above it.
    is_framed = frame.GetCFA() == frame.GetFP() + 16 and (target.GetTriple() or "").startswith("x86_64-")
    is_single = len(points) == 1 and points[0].GetNumLocations() == 1 and not frame.IsInlined()
    is_own = frame.GetModule() == target.GetModuleAtIndex(0)
    if not (is_framed and is_single and is_own) or points[0].GetCondition():
        return {"refused": ""}
    places = []
    for expression in asked["expressions"]:
        try:
            places.append(place_of(frame, expression))
        except Exception:
            return {"refused": expression}
    entry = target.GetModuleAtIndex(0).GetObjectFileEntryPointAddress().GetLoadAddress(target)
    if entry == lldb.LLDB_INVALID_ADDRESS:
        return {"refused": ""}
    for place in places:
        place["offset"] -= entry if place["base"] == "static" else 0
    return {"address": frame.GetPC() - entry, "entry": entry, "places": places}


def trace_places(debugger, command, context, result, _):
    """The command sigtrap-trace-places: where the values of a trace point are, in the innermost frame of a thread."""
    asked = json.loads(command)
    try:
        result.AppendMessage(json.dumps(places_of(context, asked)))
    except Exception:
        result.AppendMessage(json.dumps({"refused": ""}))
`

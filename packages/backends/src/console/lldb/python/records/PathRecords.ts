/**
 * Python for LLDB: records which functions a program enters, and which lines it passes, without a stop for each. Addresses are those
 * in the file of the program. A function is entered at its first instruction; its arguments are read after its prologue.
 */

/** The source of the commands. It follows the search for code that another run may not repeat. */
export const pathRecords = String.raw`RUN_PATH = {}
"""The path that is being recorded; empty if none is."""
PATH_TEXT = 200
PATH_READS = 100
PATH_PLACES = 5000


def path_module(target):
    return target.FindModule(target.GetExecutable())


def path_file(spec):
    return spec.fullpath if spec.IsValid() else None


def path_sources(unit):
    """The source files of a compile unit."""
    return {path_file(unit.GetSupportFileAtIndex(index)) for index in range(unit.GetNumSupportFiles())} - {None}


def path_files(debugger, command, context, result, _):
    """The command sigtrap-path-files: prints the source files that the line tables of the program name, as JSON."""
    files = set()
    for unit in path_module(context.GetTarget()).compile_unit_iter():
        files |= path_sources(unit)
    result.AppendMessage(json.dumps(sorted(files)))


def path_units():
    """The compile units with source files that are recorded. The name of a unit need not be that of a file."""
    if RUN_PATH["units"] is None:
        RUN_PATH["units"] = [one for one in RUN_PATH["module"].compile_unit_iter() if path_sources(one) & RUN_PATH["files"]]
    return RUN_PATH["units"]


def path_is_ours(address):
    return path_file(address.GetLineEntry().GetFileSpec()) in RUN_PATH["files"]


def path_place(frame):
    """The address of a frame in its module's file. Its place is noted the first time."""
    number = frame.GetPCAddress().GetFileAddress()
    if number not in RUN_PATH["places"]:
        line = frame.GetLineEntry()
        file = path_file(line.GetFileSpec()) or ""
        RUN_PATH["places"][number] = [number, frame.GetFunctionName() or "", file, line.GetLine(), line.GetColumn()]
    return number


def path_is_over(frame):
    """True if nothing more is recorded: also where a second thread comes, whose order differs from run to run."""
    if not RUN_PATH or RUN_PATH["end"] is not None:
        return True
    own = frame.GetThread().GetThreadID()
    if RUN_PATH["thread"] is None:
        RUN_PATH["thread"] = own
    if RUN_PATH["thread"] != own:
        RUN_PATH["end"] = "threads"
    return RUN_PATH["end"] is not None


def path_entry(frame, location, _):
    """Called by LLDB at the first instruction of a function; False resumes the program."""
    frame = hit_frame(frame, location)
    if path_is_over(frame):
        return True
    rows = RUN_PATH["rows"]
    caller = frame.GetThread().GetFrameAtIndex(1)
    is_own = caller.IsValid() and caller.GetModule() == RUN_PATH["module"]
    rows.append([path_place(frame), caller.GetPCAddress().GetFileAddress() if is_own else 0])
    if RUN_PATH["stop"] is not None and len(rows) > RUN_PATH["stop"]:
        RUN_PATH["end"] = "stop"
    elif len(rows) >= RUN_PATH["limit"]:
        RUN_PATH["end"] = "entries"
    return RUN_PATH["end"] is not None


def path_values(frame, location, _):
    """Called by LLDB after the prologue of a function: reads the arguments that each run can repeat, numbers and texts."""
    frame = hit_frame(frame, location)
    if not RUN_PATH or RUN_PATH["end"] is not None:
        return False
    rows = RUN_PATH["rows"]
    index = len(rows) - 1
    start = frame.GetFunction().GetStartAddress().GetFileAddress()
    if index < 0 or rows[index][0] != start or index in RUN_PATH["values"]:
        return False
    found = []
    for value in frame.GetVariables(True, False, False, True):
        type = value.GetType().GetCanonicalType()
        kind = type.GetTypeClass()
        text = None
        if kind in (lldb.eTypeClassBuiltin, lldb.eTypeClassEnumeration):
            text = value.GetValue()
        elif kind == lldb.eTypeClassPointer and type.GetPointeeType().GetCanonicalType().GetByteSize() == 1:
            text = value.GetSummary()
        if text is not None:
            found.append([value.GetName() or "", text[:PATH_TEXT]])
    RUN_PATH["values"][index] = found
    return False


def path_line(frame, location, _):
    """Called by LLDB where the code of a line begins; False resumes the program."""
    frame = hit_frame(frame, location)
    if path_is_over(frame):
        return True
    RUN_PATH["lines"].append(path_place(frame))
    if RUN_PATH["line_stop"] is not None and len(RUN_PATH["lines"]) > RUN_PATH["line_stop"]:
        RUN_PATH["end"] = "stop"
    elif len(RUN_PATH["lines"]) >= RUN_PATH["line_limit"]:
        RUN_PATH["end"] = "lines"
    return RUN_PATH["end"] is not None


def path_read(frame, location, _):
    """Called by LLDB where the program may read what another run does not repeat."""
    frame = hit_frame(frame, location)
    if not RUN_PATH or RUN_PATH["end"] is not None or len(RUN_PATH["reads"]) >= PATH_READS:
        return False
    own = frame if frame.GetModule() == RUN_PATH["module"] else frame.GetThread().GetFrameAtIndex(1)
    line = own.GetLineEntry()
    if own.IsValid() and own.GetModule() == RUN_PATH["module"] and path_file(line.GetFileSpec()) in RUN_PATH["files"]:
        RUN_PATH["reads"].append([len(RUN_PATH["rows"]), frame.GetFunctionName() or "", path_file(line.GetFileSpec()), line.GetLine()])
    return False


def path_set(breakpoint, function):
    breakpoint.SetScriptCallbackFunction("sigtrap_values." + function)
    RUN_PATH["breakpoints"].append(breakpoint.GetID())
    return breakpoint


def path_functions():
    """The functions of the program whose source files are recorded. A search by name would parse the libraries in the program too."""
    found = {}
    for unit in path_units():
        start = end = 0
        for entry in unit:
            address = entry.GetStartAddress()
            number = address.GetFileAddress()
            if number < end and start <= number:
                continue
            own = address.GetFunction()
            if not own.IsValid():
                continue
            start, end = own.GetStartAddress().GetFileAddress(), own.GetEndAddress().GetFileAddress()
            if path_is_ours(own.GetStartAddress()):
                found[start] = own
    return list(found.values())


def path_begin(debugger, command, context, result, _):
    """The command sigtrap-path-begin: records the entries of functions from now on. Prints the number of functions."""
    asked = json.loads(command)
    target = context.GetTarget()
    RUN_PATH.update(
        module=path_module(target), files=set(asked["files"]), limit=asked["limit"], stop=asked.get("stop"), rows=[], values={},
        lines=[], reads=[], places={}, breakpoints=[], thread=None, end=None, line_limit=0, line_stop=None, units=None
    )
    functions = path_functions()
    for one in functions:
        start = one.GetStartAddress()
        path_set(target.BreakpointCreateBySBAddress(start), "path_entry")
        if asked["values"]:
            path_set(target.BreakpointCreateByAddress(start.GetLoadAddress(target) + one.GetPrologueByteSize()), "path_values")
    names = asked["reads"]
    if names:
        kinds = lldb.eFunctionNameTypeFull | lldb.eFunctionNameTypeBase
        every = lldb.SBFileSpecList()
        path_set(target.BreakpointCreateByNames(names, len(names), kinds, every, every), "path_read")
        for place in unrepeatable_places(target):
            path_set(target.BreakpointCreateBySBAddress(place), "path_read")
    result.AppendMessage(json.dumps(len(functions)))


def path_line_places(units, functions):
    """The addresses where the code of a line begins; of these functions, unless they are None."""
    ranges = [
        (one.GetStartAddress().GetFileAddress(), one.GetEndAddress().GetFileAddress()) for one in functions or ()
    ]
    found = {}
    for unit in units:
        for entry in unit:
            address = entry.GetStartAddress()
            number = address.GetFileAddress()
            is_code = entry.GetLine() > 0 and entry.GetEndAddress().GetFileAddress() > number
            is_inside = functions is None or any(start <= number < end for start, end in ranges)
            if is_code and is_inside and path_file(entry.GetFileSpec()) in RUN_PATH["files"]:
                found[number] = address
    return found


def path_lines(debugger, command, context, result, _):
    """The command sigtrap-path-lines: records lines too. Prints the number of places, -1 if there are too many."""
    asked = json.loads(command)
    target = context.GetTarget()
    is_stack = asked["of"] == "stack"
    if is_stack and RUN_PATH["end"] != "stop":
        result.AppendMessage("0")
        return
    functions = None
    if is_stack:
        frames = context.GetProcess().GetThreadByID(RUN_PATH["thread"])
        own = [one.GetFunction() for one in frames if one.GetModule() == RUN_PATH["module"]]
        functions = list({one.GetStartAddress().GetFileAddress(): one for one in own if one.IsValid()}.values())
        units = {str(one.GetStartAddress().GetCompileUnit().GetFileSpec()): one for one in functions}
        units = [one.GetStartAddress().GetCompileUnit() for one in units.values()]
    else:
        units = path_units()
    places = path_line_places(units, functions)
    if len(places) > PATH_PLACES:
        result.AppendMessage("-1")
        return
    RUN_PATH.update(
        end=None, stop=len(RUN_PATH["rows"]) if is_stack else None, line_limit=asked["limit"], line_stop=asked.get("stop")
    )
    for address in places.values():
        path_set(target.BreakpointCreateBySBAddress(address), "path_line")
    result.AppendMessage(json.dumps(len(places)))


def path_end(debugger, command, context, result, _):
    """The command sigtrap-path-end: prints what was recorded, as JSON, and removes the breakpoints."""
    if not RUN_PATH:
        result.AppendMessage("null")
        return
    target = context.GetTarget()
    for number in RUN_PATH["breakpoints"]:
        target.BreakpointDelete(number)
    found = {key: RUN_PATH[key] for key in ("rows", "lines", "reads")}
    found["end"] = RUN_PATH["end"] or ""
    found["values"] = list(RUN_PATH["values"].items())
    found["places"] = list(RUN_PATH["places"].values())
    RUN_PATH.clear()
    result.AppendMessage(json.dumps(found))
`

/**
 * Python for LLDB: records the values of expressions at breakpoints, without a stop for each hit. Values are written as the command
 * line of LLDB writes those of `print`, and expressions never run code of the program.
 */

/** The source of the commands. It follows the summaries. */
export const traceRecords = String.raw`import time

TRACED = {}
"""The expressions by LLDB's number of the breakpoint, with the number of the caller."""
TRACE_ROWS = []
TRACE = {"room": 0, "start": 0.0}


def evaluated_without_code(frame, expression):
    """The value of an expression that runs no code; an invalid one if it fails, or if LLDB would end."""
    if culprit(expression, frame.FindVariable) is not None:
        return lldb.SBValue()
    options = lldb.SBExpressionOptions()
    options.SetAllowJIT(False)
    options.SetIgnoreBreakpoints(True)
    options.SetTryAllThreads(False)
    options.SetTimeoutInMicroSeconds(100000)
    return evaluated(frame, expression, options)


def traced_value(frame, expression):
    # A path of LLDB counts the pairs of a map; an index of C++ is a key.
    value = element_value(frame, expression) if "[" in expression else frame.GetValueForVariablePath(expression)
    if not value.IsValid() or value.GetError().Fail():
        value = evaluated_without_code(frame, expression)
    if not value.IsValid() or value.GetError().Fail():
        raise KeyError(expression)
    return value


def character_of(value, own):
    """The number and the character. How a byte from 0x80 on is shown depends on the name of its type."""
    code = value.GetValueAsUnsigned()
    if code >= 0x80:
        raise KeyError("character")
    return "%d %s" % (code, own)


PLAIN_SUMMARY = re.compile(r"^(const )?std::(__\w+::)?(basic_)?string\b")


def exact_of(value):
    """
    The text of a number, of a pointer to one or to characters, or of a class of the C++ library with a summary as print shows it at
    every hit; None for others, whose text also depends on what print reads of their members.
    """
    if bare(value.GetType()).IsReferenceType():
        value = value.Dereference()
    type = bare(value.GetType())
    own, summary = value.GetValue(), value.GetSummary()
    if summary and ("\n" in summary or summary.startswith("U+")):
        return None
    if is_class(type):
        is_known = "sigtrap_values." in (value.GetTypeSummary().GetData() or "") or PLAIN_SUMMARY.match(type.GetName() or "")
        return summary if is_known and summary and not own else None
    if not own or type.GetTypeClass() == lldb.eTypeClassArray:
        return None
    if type.IsPointerType():
        if bare(type.GetPointeeType()).GetTypeClass() != lldb.eTypeClassBuiltin:
            return None
        return own + " " + summary if summary else own
    if own.startswith("'"):
        return character_of(value, own) if value.GetByteSize() == 1 else None
    return None if summary else own


def exact_text(frame, expression):
    return exact_of(traced_value(frame, expression))


def traced_text(frame, expression):
    value = traced_value(frame, expression)
    exact = exact_of(value)
    return shown_of(value) if exact is None else exact


def trace_hit(frame, location, _):
    """Called by LLDB at each hit; False resumes the program."""
    frame = hit_frame(frame, location)
    number = location.GetBreakpoint().GetID()
    if number not in TRACED or len(TRACE_ROWS) >= TRACE["room"]:
        return True
    own, expressions = TRACED[number]
    try:
        values = [traced_text(frame, expression) for expression in expressions]
    except Exception:
        return True
    elapsed = (time.monotonic() - TRACE["start"]) * 1000
    thread = frame.GetThread()
    TRACE_ROWS.append([own, thread.GetThreadID(), elapsed, values, thread.GetProcess().GetStopID()])
    return False


def trace_begin(debugger, command, context, result, _):
    """The command sigtrap-trace-begin: records the hits of breakpoints from now on."""
    asked = json.loads(command)
    target = context.GetTarget()
    if not TRACED:
        TRACE["start"] = time.monotonic()
    TRACE["room"] = asked["room"]
    for number in asked["numbers"]:
        breakpoint = target.FindBreakpointByID(number)
        if not breakpoint.IsValid():
            result.AppendMessage("false")
            return
        TRACED[number] = (asked["id"], asked["expressions"])
        breakpoint.SetScriptCallbackFunction("sigtrap_values.trace_hit")
    result.AppendMessage("true")


def values_in_thread(context, command, value_of):
    """The values of expressions in the innermost frame of a thread; an empty list if one of them has none."""
    asked = json.loads(command)
    try:
        frame = context.GetProcess().GetThreadByID(asked["thread"]).GetFrameAtIndex(0)
        values = [value_of(frame, expression) for expression in asked["expressions"]]
    except Exception:
        return []
    return [] if None in values else values


def trace_values(debugger, command, context, result, _):
    """The command sigtrap-trace-values: the values of expressions as they are recorded."""
    result.AppendMessage(json.dumps(values_in_thread(context, command, traced_text)))


def trace_end(debugger, command, context, result, _):
    """The command sigtrap-trace-end: prints the records, each with whether it is of the current stop, and stops recording."""
    TRACED.clear()
    present = context.GetProcess().GetStopID()
    rows = [[*row, stop == present] for *row, stop in TRACE_ROWS]
    TRACE_ROWS.clear()
    result.AppendMessage(json.dumps(rows))
`

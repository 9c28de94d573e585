/**
 * Python for LLDB: records the values of the expressions of logpoints, without a stop for each hit. A hit that is not certain
 * stops the program, and the caller writes its message.
 */

/** The source of the commands. It follows the records of traces, whose values it uses. */
export const logRecords = String.raw`LOGGED = {}
"""What to record by LLDB's number of the breakpoint: the number of the caller, the expressions, the messages left."""
LOG_ROWS = []
MOST_LOG_ROWS = 20000
LOG_STOP = {"last": 0.0}
"""When a hit stopped the program last. After LOG_PAUSE seconds the next one does, and the caller gets the records before it."""
LOG_PAUSE = 0.1


def condition_holds(frame, location):
    """True without a condition, and if it holds. LLDB also calls back if a condition cannot be evaluated."""
    condition = location.GetCondition() or location.GetBreakpoint().GetCondition()
    if not condition:
        return True
    value = evaluated_without_code(frame, condition)
    return value.IsValid() and value.GetError().Success() and value.GetValueAsUnsigned() != 0


def log_hit(frame, location, _):
    """Called by LLDB at each hit; False resumes the program."""
    frame = hit_frame(frame, location)
    asked = LOGGED.get(location.GetBreakpoint().GetID())
    thread = frame.GetThread()
    # More than one pair of numbers: another breakpoint is at the same address.
    if asked is None or len(LOG_ROWS) >= MOST_LOG_ROWS or thread.GetStopReasonDataCount() > 2:
        return True
    try:
        if not condition_holds(frame, location):
            return True
        if asked["room"] <= 0:
            return False
        now = time.monotonic()
        if now - LOG_STOP["last"] > LOG_PAUSE:
            LOG_STOP["last"] = now
            asked["room"] -= 1
            return True
        values = [exact_text(frame, expression) for expression in asked["expressions"]]
        if None in values:
            return True
    except Exception:
        return True
    asked["room"] -= 1
    LOG_ROWS.append([asked["id"], thread.GetThreadID(), thread.GetProcess().GetStopID(), values])
    return False


def log_begin(debugger, command, context, result, _):
    """The command sigtrap-log-begin: records the hits of a logpoint from now on."""
    asked = json.loads(command)
    target = context.GetTarget()
    found = [target.FindBreakpointByID(number) for number in asked["numbers"]]
    if not found or not all(one.IsValid() for one in found):
        result.AppendMessage("false")
        return
    LOG_STOP["last"] = time.monotonic()
    for one in found:
        LOGGED[one.GetID()] = asked
        one.SetScriptCallbackFunction("sigtrap_values.log_hit")
    result.AppendMessage("true")


def log_values(debugger, command, context, result, _):
    """The command sigtrap-log-values: the values of expressions that have an exact text in the innermost frame of a thread."""
    result.AppendMessage(json.dumps(values_in_thread(context, command, exact_text)))


def log_take(debugger, command, context, result, _):
    """The command sigtrap-log-take: prints the records so far and the number of the stop."""
    count = len(LOG_ROWS)
    rows = LOG_ROWS[:count]
    del LOG_ROWS[:count]
    result.AppendMessage(json.dumps({"rows": rows, "stop": context.GetProcess().GetStopID()}))


def log_end(debugger, command, context, result, _):
    """The command sigtrap-log-end: the same, and each following hit stops the program."""
    LOGGED.clear()
    log_take(debugger, command, context, result, _)
`

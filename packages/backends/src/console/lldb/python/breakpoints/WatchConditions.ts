/**
 * Python for LLDB: the conditions of watchpoints while the program continues. It lets the program run where a condition is false and no
 * breakpoint is due. At all other writes the program stops, and the caller decides.
 */

/** The source of the command and of the callback. It follows the breakpoints that are due. */
export const watchConditions = String.raw`WATCH_CONDITIONS = {}
"""The conditions by LLDB's number of the watchpoint."""


def watch_condition(frame, point, _):
    """Called by LLDB at each access; False resumes the program."""
    frame = access_frame(frame)
    condition = WATCH_CONDITIONS.get(point.GetID())
    if condition is None:
        return True
    try:
        value = evaluated(frame, condition)
    except KeyError:
        return True
    is_false = value.GetError().Success() and value.GetValue() in ("0", "false")
    return not is_false or len(breakpoints_due(frame)) > 0


def set_watch_conditions(debugger, command, context, result, _):
    """The command sigtrap-watch-conditions: the pairs of a number and a condition, as JSON, that count until the next command."""
    WATCH_CONDITIONS.clear()
    for number, condition in json.loads(command):
        WATCH_CONDITIONS[number] = condition
        debugger.HandleCommand("watchpoint command add -F sigtrap_values.watch_condition %d" % number)
`

/**
 * Python for LLDB: conditions of breakpoints that LLDB does not evaluate itself. The program continues where such a condition is false. At
 * all other hits it stops, and the caller decides.
 */

/** The source of the command and of the callback. It follows the records of traces. */
export const hitConditions = String.raw`HIT_CONDITIONS = {}
"""The conditions by LLDB's number of the breakpoint."""


def hit_condition(frame, location, _):
    """Called by LLDB at each hit; False resumes the program."""
    condition = HIT_CONDITIONS.get(location.GetBreakpoint().GetID())
    if condition is None:
        return True
    try:
        frame = hit_frame(frame, location)
        # LLDB would crash at some.
        if culprit(condition, frame.FindVariable) is not None:
            return True
        value = evaluated_without_code(frame, condition)
        return value.GetError().Fail() or value.GetValue() not in ("0", "false")
    except Exception:
        return True


def set_hit_condition(debugger, command, context, result, _):
    """The command sigtrap-hit-condition NUMBER [CONDITION]: the condition of a breakpoint; none without one."""
    number, _, condition = command.strip().partition(" ")
    HIT_CONDITIONS.pop(int(number), None)
    if condition:
        HIT_CONDITIONS[int(number)] = condition
        debugger.GetSelectedTarget().FindBreakpointByID(int(number)).SetScriptCallbackFunction("sigtrap_values.hit_condition")
`

/**
 * Python for LLDB: decides at each write to watched memory whether the program stops. A write that ends at a breakpoint stops it too,
 * because LLDB 19 passes a breakpoint at the address where it resumes, without a stop and without counting it.
 */

/** The source of the command and of the callback. */
export const watchHits = String.raw`RUN_WATCH = {}
"""The number of the first write that stops the program, and what is true of the last write."""


def is_condition_true(frame, condition):
    """True for a condition that LLDB cannot evaluate, too: LLDB stops there."""
    value = frame.EvaluateExpression(condition)
    return value.GetError().Fail() or value.GetValueAsUnsigned() != 0


def would_stop(breakpoint, location, frame):
    """True if LLDB would stop at the location. Counts an ignored hit, as LLDB does."""
    owner = breakpoint.GetThreadID()
    if not breakpoint.IsEnabled() or not location.IsEnabled():
        return False
    if owner not in (0, lldb.LLDB_INVALID_THREAD_ID, frame.GetThread().GetThreadID()):
        return False
    condition = location.GetCondition() or breakpoint.GetCondition()
    if condition and not is_condition_true(frame, condition):
        return False
    ignored = breakpoint.GetIgnoreCount()
    if ignored > 0:
        breakpoint.SetIgnoreCount(ignored - 1)
    return ignored == 0


def is_breakpoint_due(frame):
    """True if the program would stop here at a breakpoint. Breakpoints that only record never stop it."""
    target = frame.GetThread().GetProcess().GetTarget()
    due = False
    for breakpoint in target.breakpoint_iter():
        location = breakpoint.FindLocationByAddress(frame.GetPC())
        if location.IsValid() and not breakpoint.MatchesName("sigtrap_record"):
            due = would_stop(breakpoint, location, frame) or due
    return due


def watch_written(frame, point, _):
    """Called by LLDB after each write; False resumes the program."""
    RUN_WATCH["write"] = point.GetHitCount() >= RUN_WATCH["from"]
    RUN_WATCH["breakpoint"] = is_breakpoint_due(frame)
    return RUN_WATCH["write"] or RUN_WATCH["breakpoint"]


def watch_from(debugger, command, context, result, _):
    """The command sigtrap-watch-from WATCHPOINT WRITE: stops the program from a write on, and prints its number."""
    watchpoint, first = command.split()
    RUN_WATCH.update({"from": int(first), "write": True, "breakpoint": False})
    # LLDB runs no command at a hit that it ignores.
    context.GetTarget().FindWatchpointByID(int(watchpoint)).SetIgnoreCount(0)
    debugger.HandleCommand("watchpoint command add -F sigtrap_values.watch_written " + watchpoint)
    result.AppendMessage(first)


def watch_stop(debugger, command, context, result, _):
    """The command sigtrap-watch-stop: prints why the last write stopped the program, as JSON."""
    result.AppendMessage(json.dumps({name: RUN_WATCH[name] for name in ("write", "breakpoint")}))
`

/**
 * Python for LLDB: decides at each write to watched memory whether the program stops. A write that ends at a breakpoint stops it too,
 * because LLDB before 21 passes a breakpoint at the address where it resumes.
 */

/** The source of the command and of the callback. It follows the breakpoints that are due. */
export const watchHits = String.raw`RUN_WATCH = {}
"""The parts of the watchpoint, the number of the first write that stops the program, and what is true of the last write."""


def watch_hits(target, numbers):
    """How many writes the parts of a watchpoint have seen. LLDB counts a write at one of them."""
    return sum(target.FindWatchpointByID(one).GetHitCount() for one in numbers)


def watch_written(frame, point, _):
    """Called by LLDB after each write; False resumes the program."""
    frame = access_frame(frame)
    target = frame.GetThread().GetProcess().GetTarget()
    RUN_WATCH["write"] = watch_hits(target, RUN_WATCH["parts"]) >= RUN_WATCH["from"]
    RUN_WATCH["breakpoint"] = len(breakpoints_due(frame)) > 0
    return RUN_WATCH["write"] or RUN_WATCH["breakpoint"]


def watch_from(debugger, command, context, result, _):
    """The command sigtrap-watch-from WRITE PART...: stops the program from a write on, and prints its number."""
    first, *parts = [int(word) for word in command.split()]
    RUN_WATCH.update({"parts": parts, "from": first, "write": True, "breakpoint": False})
    for part in parts:
        # LLDB runs no command at a hit that it ignores.
        context.GetTarget().FindWatchpointByID(part).SetIgnoreCount(0)
        debugger.HandleCommand("watchpoint command add -F sigtrap_values.watch_written %d" % part)
    result.AppendMessage(str(first))


def watch_stop(debugger, command, context, result, _):
    """The command sigtrap-watch-stop: prints why the last write stopped the program, as JSON."""
    result.AppendMessage(json.dumps({name: RUN_WATCH[name] for name in ("write", "breakpoint")}))
`

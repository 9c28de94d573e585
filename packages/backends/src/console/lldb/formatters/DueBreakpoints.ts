/**
 * Python for LLDB: the breakpoints at the address where a thread stopped for another reason. LLDB before 21 passes them when it
 * resumes, without a stop and without counting them. LLDB reports SIGTRAP at a breakpoint that a thread reached before LLDB had
 * recorded the trap instruction that it had just written (`Process::CreateBreakpointSite`).
 */

/** The source of the command. It follows the records of traces and of logpoints. */
export const dueBreakpoints = String.raw`DUE = {"at": None, "numbers": []}
"""The answer about the latest place, because the question counts hits."""


def is_condition_true(frame, condition):
    """True for a condition that LLDB cannot evaluate, too: LLDB stops there."""
    value = frame.EvaluateExpression(condition)
    return value.GetError().Fail() or value.GetValueAsUnsigned() != 0


def would_stop(breakpoint, location, frame):
    """True if LLDB would stop at the location. Counts an ignored hit, as LLDB does, and records a hit that is only recorded."""
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
        return False
    if breakpoint.GetID() in LOGGED:
        return log_hit(frame, location, None)
    return breakpoint.GetID() not in TRACED or trace_hit(frame, location, None)


def breakpoints_due(frame):
    """The numbers of the breakpoints at which the program would stop here. Those that only record never stop it."""
    thread = frame.GetThread()
    at = (thread.GetProcess().GetStopID(), thread.GetThreadID(), frame.GetPC())
    if DUE["at"] != at:
        DUE.update({"at": at, "numbers": []})
        for breakpoint in thread.GetProcess().GetTarget().breakpoint_iter():
            location = breakpoint.FindLocationByAddress(frame.GetPC())
            if location.IsValid() and not breakpoint.MatchesName("sigtrap_record") and would_stop(breakpoint, location, frame):
                DUE["numbers"].append(breakpoint.GetID())
    return DUE["numbers"]


def due_breakpoints(debugger, command, context, result, _):
    """The command sigtrap-due-breakpoints THREAD: prints their numbers, as JSON."""
    frame = context.GetProcess().GetThreadByID(int(command)).GetFrameAtIndex(0)
    result.AppendMessage(json.dumps(breakpoints_due(frame) if frame.IsValid() else []))


def is_trap_of_program(frame):
    """True if the program has a trap instruction here. LLDB reads memory without the instructions of its breakpoints."""
    process, at = frame.GetThread().GetProcess(), frame.GetPC()
    machine = process.GetTarget().GetTriple().split("-")[0]
    if machine in ("x86_64", "i386", "i486", "i586", "i686"):
        return process.ReadMemory(at - 1, 1, lldb.SBError()) == b"\xcc"
    if machine.startswith(("arm64", "aarch64")):
        code = process.ReadMemory(at, 4, lldb.SBError())
        return code is not None and int.from_bytes(code, "little") & 0xFFE0001F == 0xD4200000
    return True


def trap_breakpoints(debugger, command, context, result, _):
    """The command sigtrap-trap-breakpoints THREAD: prints those at which a thread that got SIGTRAP would stop, null if none is there."""
    frame = context.GetProcess().GetThreadByID(int(command)).GetFrameAtIndex(0)
    is_here = lambda breakpoint: breakpoint.IsEnabled() and breakpoint.FindLocationByAddress(frame.GetPC()).IsValid()
    is_trap = frame.IsValid() and any(is_here(one) for one in context.GetTarget().breakpoint_iter())
    result.AppendMessage(json.dumps(breakpoints_due(frame) if is_trap and not is_trap_of_program(frame) else None))
`

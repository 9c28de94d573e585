/**
 * Python for LLDB: the breakpoints at the address where a thread stopped for another reason. LLDB before 21 passes them when it
 * resumes, without a stop and without counting them. LLDB reports SIGTRAP if a thread reached a breakpoint while LLDB set or removed it,
 * and its own SIGSTOP if the program had stopped before it got that signal.
 */

/** The source of the command. It follows the records of traces and of logpoints. */
export const dueBreakpoints = String.raw`DUE = {"at": None, "numbers": []}
"""The answer about the latest place, because the question counts hits."""


def is_condition_true(frame, condition):
    """True for a condition that LLDB cannot evaluate, too: LLDB stops there."""
    options = lldb.SBExpressionOptions()
    options.SetAutoApplyFixIts(False)
    value = frame.EvaluateExpression(condition, options)
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


def is_trap_of_debugger(frame, info):
    """True if a trap instruction that LLDB wrote stopped the thread. LLDB may have removed it since, or not have recorded it yet."""
    if info.IsValid():
        # SI_KERNEL (x86) and TRAP_BRKPT of sigaction(2). A signal that was sent has another code.
        is_trap = info.GetChildMemberWithName("si_code").GetValueAsSigned() in (0x80, 1)
    else:
        target = frame.GetThread().GetProcess().GetTarget()
        is_trap = any(one.IsEnabled() and one.FindLocationByAddress(frame.GetPC()).IsValid() for one in target.breakpoint_iter())
    return is_trap and not is_trap_of_program(frame)


def is_sent_by_debugger(frame, info):
    """True if the debug server sent the signal, as it does to change breakpoints while the program runs."""
    sender = info.GetValueForExpressionPath("._sifields._kill.si_pid").GetValueAsUnsigned()
    try:
        with open("/proc/%d/status" % frame.GetThread().GetProcess().GetProcessID()) as status:
            return sender != 0 and "TracerPid:\t%d\n" % sender in status.read()
    except OSError:
        return False


def signal_breakpoints(debugger, command, context, result, _):
    """The command sigtrap-signal-breakpoints THREAD: those at which a thread that got a signal would stop, null if LLDB did not cause it."""
    thread = context.GetProcess().GetThreadByID(int(command))
    frame, info = thread.GetFrameAtIndex(0), thread.GetSiginfo()
    numbers = None
    if frame.IsValid() and is_trap_of_debugger(frame, info):
        numbers = breakpoints_due(frame)
    elif frame.IsValid() and is_sent_by_debugger(frame, info):
        numbers = []
    result.AppendMessage(json.dumps(numbers))
`

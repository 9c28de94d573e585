/**
 * Python for LLDB: steps over a breakpoint before the signals that wait for the thread are delivered. Linux tells in /proc/TID/status which
 * wait (proc_pid_status(5)).
 */

/** The source of the command. */
export const pendingSignals = String.raw`STATUS = re.compile(r"^(SigPnd|ShdPnd|SigCgt|SigBlk|TracerPid|PPid):\s*([0-9a-f]+)$", re.M)


def status_of(number):
    with open("/proc/%d/status" % number) as file:
        return dict(STATUS.findall(file.read()))


def waiting_signals(thread):
    """The signals with a handler that wait for a thread of this LLDB's program. Those from 32 on have values, which would be lost."""
    status = status_of(thread.GetThreadID())
    if status_of(int(status["TracerPid"]))["PPid"] != str(os.getpid()):
        return []
    mask = {name: int(text, 16) for name, text in status.items()}
    waiting = (mask["SigPnd"] | mask["ShdPnd"]) & mask["SigCgt"] & ~mask["SigBlk"]
    return [number for number in range(1, 32) if waiting >> (number - 1) & 1]


def is_at_breakpoint(target, frame):
    for breakpoint in target.breakpoint_iter():
        location = breakpoint.FindLocationByAddress(frame.GetPC())
        if breakpoint.IsEnabled() and location.IsValid() and location.IsEnabled():
            return True
    return False


def run_without(debugger, thread, numbers):
    """Runs the instruction at which a thread stopped. These signals do not reach the program meanwhile."""
    signals, asynchronous = thread.GetProcess().GetUnixSignals(), debugger.GetAsync()
    before = [(one, signals.GetShouldSuppress(one), signals.GetShouldStop(one)) for one in numbers]
    debugger.SetAsync(False)
    for one in numbers:
        signals.SetShouldSuppress(one, True)
        signals.SetShouldStop(one, False)
    thread.StepInstruction(False)
    for one, suppressed, stopped in before:
        signals.SetShouldSuppress(one, suppressed)
        signals.SetShouldStop(one, stopped)
    debugger.SetAsync(asynchronous)


def leave_breakpoint(debugger, command, context, result, _):
    """The command sigtrap-leave-breakpoint THREAD: runs the instruction if signals wait there, and sends them again."""
    target, process = context.GetTarget(), context.GetProcess()
    thread = process.GetThreadByID(int(command))
    try:
        numbers = waiting_signals(thread)
    except (OSError, KeyError):
        return
    frame = thread.GetFrameAtIndex(0)
    # A step over a call would run the function, and pass its breakpoints.
    if not numbers or not is_at_breakpoint(target, frame):
        return
    if target.ReadInstructions(frame.GetPCAddress(), 1)[0].GetMnemonic(target).startswith("call"):
        return
    run_without(debugger, thread, numbers)
    waiting = waiting_signals(thread)
    for number in numbers:
        if number not in waiting:
            os.kill(process.GetProcessID(), number)
`

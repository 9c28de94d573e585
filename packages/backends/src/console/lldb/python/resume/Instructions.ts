/**
 * Python for LLDB: runs one instruction of a stopped thread. Signals that wait for the thread are delivered after it. Linux tells in
 * /proc/TID/status which wait (proc_pid_status(5)).
 */

/** The source of the functions. */
export const instructions = String.raw`STATUS = re.compile(r"^(SigPnd|ShdPnd|SigCgt|SigBlk|TracerPid|PPid):\s*([0-9a-f]+)$", re.M)


def status_of(number):
    with open("/proc/%d/status" % number) as file:
        return dict(STATUS.findall(file.read()))


def waiting_signals(thread):
    """The signals with a handler that wait for a thread of this LLDB's program. Those from 32 on have values, which would be lost."""
    try:
        status = status_of(thread.GetThreadID())
        if status_of(int(status["TracerPid"]))["PPid"] != str(os.getpid()):
            return []
    except (OSError, KeyError):
        return []
    mask = {name: int(text, 16) for name, text in status.items()}
    waiting = (mask["SigPnd"] | mask["ShdPnd"]) & mask["SigCgt"] & ~mask["SigBlk"]
    return [number for number in range(1, 32) if waiting >> (number - 1) & 1]


def run_instruction(debugger, thread, numbers, fault=None):
    """Runs an instruction. The waiting signals are sent again after it, the signal of a fault is not. True unless it faults."""
    process, asynchronous = thread.GetProcess(), debugger.GetAsync()
    signals = process.GetUnixSignals()
    changed = numbers if fault is None else [*numbers, fault]
    before = [(one, signals.GetShouldSuppress(one), signals.GetShouldStop(one)) for one in changed]
    debugger.SetAsync(False)
    for one in changed:
        signals.SetShouldSuppress(one, True)
        signals.SetShouldStop(one, one == fault)
    thread.StepInstruction(False)
    for one, suppressed, stopped in before:
        signals.SetShouldSuppress(one, suppressed)
        signals.SetShouldStop(one, stopped)
    debugger.SetAsync(asynchronous)
    waiting = waiting_signals(thread)
    for number in numbers:
        if number not in waiting:
            os.kill(process.GetProcessID(), number)
    name = signals.GetSignalAsCString(thread.GetStopReasonDataAtIndex(0)) or ""
    if thread.GetStopReason() != lldb.eStopReasonSignal or name not in FAULTS:
        return True
    # The step has not ended. LLDB would stop where it ends.
    process.SetSelectedThread(thread)
    debugger.GetCommandInterpreter().HandleCommand("thread plan discard 1", lldb.SBCommandReturnObject())
    return False
`

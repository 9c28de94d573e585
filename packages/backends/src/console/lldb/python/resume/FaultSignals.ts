/**
 * Python for LLDB: lets a thread that stopped by a fault run its instruction once more, so that the kernel describes the fault again.
 *
 * To allocate memory for an expression, the debug server runs a system call in the stopped thread. The kernel then has no
 * description of the signal any more. A handler of the program would read that the debug server sent it.
 */

/** The source of the command. */
export const faultSignals = String.raw`FAULTS = {"SIGILL", "SIGBUS", "SIGFPE", "SIGSEGV"}
RESTORED_AT_STOP = []
"""What the next command before a resume calls. It ends changes that counted for one resume."""


def is_fault(thread, signals):
    """True if the thread stopped by a signal of its own instruction, not by one that a process sent. LLDB gives the reason of a fault after a colon."""
    if thread.GetStopReason() != lldb.eStopReasonSignal:
        return False
    description = thread.GetStopDescription(256)
    number = thread.GetStopReasonDataAtIndex(0)
    return signals.GetSignalAsCString(number) in FAULTS and ": " in description and "sent by" not in description


def restore():
    while RESTORED_AT_STOP:
        RESTORED_AT_STOP.pop()()


def has_handler(thread, number):
    try:
        status = status_of(thread.GetThreadID())
        return (int(status["SigCgt"], 16) & ~int(status["SigBlk"], 16)) >> (number - 1) & 1 == 1
    except (OSError, KeyError):
        return False


def enter_handler(debugger, thread):
    """
    Runs the thread to the first instruction of its handler. LLDB 19 leaves a breakpoint by a step that delivers the signal; if the step
    ends before the thread that resumed the program has noted the delivery, LLDB delivers the signal again.
    """
    asynchronous = debugger.GetAsync()
    debugger.SetAsync(False)
    thread.StepInstruction(False)
    debugger.SetAsync(asynchronous)


def fault_again(debugger, command, context, result, _):
    """The command sigtrap-fault-again [continue], for threads whose signal the kernel does not describe any more, or that are at a breakpoint."""
    process = context.GetProcess()
    if "linux" not in context.GetTarget().GetTriple():
        return
    selected, signals = process.GetSelectedThread(), process.GetUnixSignals()
    restore()
    for thread in [one for one in process if is_fault(one, signals)]:
        number = thread.GetStopReasonDataAtIndex(0)
        known = thread.GetSiginfo().GetChildMemberWithName("si_signo")
        if known.IsValid() and known.GetValueAsSigned() != number:
            # It faults again, unless someone has changed a register or the memory.
            run_instruction(debugger, thread, waiting_signals(thread), number)
        place = thread.GetFrameAtIndex(0).GetPC()
        if command == "continue" and locations_at(process.GetTarget(), place) and has_handler(thread, number):
            enter_handler(debugger, thread)
    process.SetSelectedThread(selected)
`

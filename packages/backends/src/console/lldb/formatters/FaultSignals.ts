/**
 * Python for LLDB: lets a thread that stopped by a fault run its instruction once more, so that the kernel describes the fault again.
 *
 * To allocate memory for an expression, the debug server runs a system call in the stopped thread. The kernel then has no
 * description of the signal any more. A handler of the program would read that the debug server sent it.
 */

/** The source of the command. */
export const faultSignals = String.raw`FAULTS = {"SIGILL", "SIGBUS", "SIGFPE", "SIGSEGV"}


def is_fault(thread, signals):
    """True if the thread stopped by a signal of its own instruction, not by one that a process sent."""
    if thread.GetStopReason() != lldb.eStopReasonSignal:
        return False
    number = thread.GetStopReasonDataAtIndex(0)
    return signals.GetSignalAsCString(number) in FAULTS and "sent by" not in thread.GetStopDescription(256)


def run_faulting(debugger, thread, signals):
    """Runs the instruction, without the signal. It faults again, unless someone has changed a register or the memory."""
    number = thread.GetStopReasonDataAtIndex(0)
    suppressed = signals.GetShouldSuppress(number)
    signals.SetShouldSuppress(number, True)
    thread.StepInstruction(False)
    signals.SetShouldSuppress(number, suppressed)
    if thread.GetStopReason() == lldb.eStopReasonSignal:
        # The step has not ended. LLDB would stop where it ends.
        thread.GetProcess().SetSelectedThread(thread)
        debugger.GetCommandInterpreter().HandleCommand("thread plan discard 1", lldb.SBCommandReturnObject())


def fault_again(debugger, command, context, result, _):
    """The command sigtrap-fault-again, for threads whose signal the kernel does not describe any more."""
    process = context.GetProcess()
    if "linux" not in context.GetTarget().GetTriple():
        return
    selected, asynchronous = process.GetSelectedThread(), debugger.GetAsync()
    signals = process.GetUnixSignals()
    debugger.SetAsync(False)
    for thread in [one for one in process if is_fault(one, signals)]:
        known = thread.GetSiginfo().GetChildMemberWithName("si_signo")
        if known.IsValid() and known.GetValueAsSigned() != thread.GetStopReasonDataAtIndex(0):
            run_faulting(debugger, thread, signals)
    debugger.SetAsync(asynchronous)
    process.SetSelectedThread(selected)
`

/**
 * Python for LLDB: steps over a breakpoint before the signals that wait for the thread are delivered.
 */

/** The source of the command. */
export const pendingSignals = String.raw`BRANCH = re.compile(r"0x[0-9a-f]+$")
"""The address in the operands of a branch. A branch through a register has none."""
SYSTEM_CALLS = {"syscall", "sysenter", "int", "svc"}


def locations_at(target, address):
    """The enabled locations of breakpoints at an address."""
    enabled = [one for one in target.breakpoint_iter() if one.IsEnabled()]
    locations = [one.FindLocationByAddress(address) for one in enabled]
    return [one for one in locations if one.IsValid() and one.IsEnabled()]


def can_run_alone(target, pc):
    """True if no stop of the program is lost when the instruction at an address runs: it has no breakpoint where it can lead to."""
    instruction = target.ReadInstructions(pc, 1)[0]
    if instruction.GetMnemonic(target) in SYSTEM_CALLS or any(point.IsEnabled() for point in target.watchpoint_iter()):
        return False
    following = [pc.GetLoadAddress(target) + instruction.GetByteSize()]
    if instruction.DoesBranch():
        place = BRANCH.search(instruction.GetOperands(target))
        if place is None:
            return False
        following.append(int(place.group(0), 16))
    return not any(locations_at(target, address) for address in following)


def fault_at_resume(thread, locations):
    """Lets the thread run its faulting instruction again at the next resume, so that the program stops by the fault, not by a breakpoint."""
    number, signals = thread.GetStopReasonDataAtIndex(0), thread.GetProcess().GetUnixSignals()
    suppressed = signals.GetShouldSuppress(number)
    RESTORED_AT_STOP.append(lambda: signals.SetShouldSuppress(number, suppressed))
    signals.SetShouldSuppress(number, True)
    for location in locations:
        RESTORED_AT_STOP.append(lambda one=location: one.SetEnabled(True))
        location.SetEnabled(False)


def leave_breakpoint(debugger, command, context, result, _):
    """The command sigtrap-leave-breakpoint THREAD: runs the instruction if signals wait there, and sends them again."""
    restore()
    target = context.GetTarget()
    thread = context.GetProcess().GetThreadByID(int(command))
    numbers = waiting_signals(thread)
    pc = thread.GetFrameAtIndex(0).GetPCAddress()
    locations = locations_at(target, pc.GetLoadAddress(target)) if numbers else []
    if locations and can_run_alone(target, pc) and not run_instruction(debugger, thread, numbers):
        fault_at_resume(thread, locations)
`

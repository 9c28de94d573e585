/**
 * Python for LLDB: ends a step with a breakpoint of its thread where the program continues after an exception or `longjmp`.
 */

/** The source of the commands. */
export const stepEnds = String.raw`STEP = {"thread": None, "frame": 0, "stack": 0, "modules": 0, "left": [], "landed": None, "reason": ""}
"""
The step: its thread, the least stack pointer at the call of a frame whose handler ends it, and the least one with which longjmp ends it.
LLDB's numbers of the breakpoints for it.
"""


def left_breakpoints(target):
    """The breakpoints where the program leaves frames. Libraries that were loaded later can need more."""
    if STEP["modules"] != target.GetNumModules():
        for number in STEP["left"]:
            target.BreakpointDelete(number)
        made = catch_breakpoints(target) + jump_breakpoints(target)
        for one in made:
            one.AddName("sigtrap_record")
        STEP.update({"modules": target.GetNumModules(), "left": [one.GetID() for one in made]})
    return [target.FindBreakpointByID(number) for number in STEP["left"]]


def forget_landing(target):
    if STEP["landed"] is not None:
        target.BreakpointDelete(STEP["landed"])
    STEP["landed"] = None


def land(thread, address, reason):
    """Ends the step of a thread at an address."""
    target = thread.GetProcess().GetTarget()
    if thread.GetThreadID() == STEP["thread"]:
        forget_landing(target)
        landing = target.BreakpointCreateByAddress(address)
        landing.SetThreadID(thread.GetThreadID())
        landing.AddName("sigtrap_record")
        STEP.update({"landed": landing.GetID(), "reason": reason})


def step_begin(debugger, command, context, result, _):
    """
    The command sigtrap-step-begin THREAD [innermost|selected], before each step; prints begun, and nothing for a program that needs no
    breakpoint. With the second word the step leaves that frame, so only its callers end it.
    """
    target = context.GetTarget()
    words = command.split()
    thread = context.GetProcess().GetThreadByID(int(words[0]))
    left = left_breakpoints(target)
    if not left:
        return
    result.AppendMessage("begun")
    forget_landing(target)
    frame = thread.GetFrameAtIndex(0)
    selected = context.GetFrame()
    if words[1:] == ["selected"] and selected.GetThread().GetThreadID() == thread.GetThreadID():
        frame = selected
    call = frame.GetCFA()
    frames = {"frame": call + 1, "stack": call} if words[1:] else {"frame": call, "stack": frame.GetSP()}
    STEP.update({"thread": thread.GetThreadID()}, **frames)
    for one in left:
        one.SetEnabled(True)


def step_end(debugger, command, context, result, _):
    """The command sigtrap-step-end, before the program continues."""
    target = context.GetTarget()
    forget_landing(target)
    for number in STEP["left"]:
        target.FindBreakpointByID(number).SetEnabled(False)


def step_abandon(debugger, command, context, result, _):
    """The command sigtrap-step-abandon THREAD..., before another thread is resumed: ends their steps, which its stop interrupted."""
    for word in command.split():
        thread = context.GetProcess().GetThreadByID(int(word))
        if thread.IsValid():
            answer = lldb.SBCommandReturnObject()
            own = lldb.SBExecutionContext(thread)
            debugger.GetCommandInterpreter().HandleCommand("thread plan discard 1", own, answer, False)


def step_landed(debugger, command, context, result, _):
    """The command sigtrap-step-landed: prints the number of the breakpoint where the step ends, and the reason."""
    if STEP["landed"] is not None:
        result.AppendMessage("%d %s" % (STEP["landed"], STEP["reason"]))
`

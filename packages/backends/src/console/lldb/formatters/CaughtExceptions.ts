/**
 * Python for LLDB: ends a step in the handler of an exception that leaves the frame in which the step began, or that this frame catches.
 * LLDB 19 does not follow exceptions of C++: it runs to the next breakpoint.
 */

/** The source of the commands. */
export const caughtExceptions = String.raw`STEP = {"thread": None, "frame": 0, "catch": None, "landed": None}
"""The step: its thread, the stack pointer at the call of its frame, and LLDB's numbers of the breakpoints for it."""
RUNTIME = re.compile(r"^lib(std)?c\+\+(abi)?\.")


def catch_breakpoint(target):
    """The breakpoint at the function that each handler calls first (Itanium C++ ABI); None without the runtime of C++."""
    if STEP["catch"] is None:
        names = [module.GetFileSpec().GetFilename() or "" for module in target.module_iter()]
        program = target.FindModule(target.GetExecutable())
        if not any(RUNTIME.match(name) for name in names) and not program.FindSymbol("__cxa_begin_catch").IsValid():
            return None
        made = target.BreakpointCreateByName("__cxa_begin_catch")
        made.AddName("sigtrap_record")
        made.SetScriptCallbackFunction("sigtrap_values.exception_caught")
        STEP["catch"] = made.GetID()
    return target.FindBreakpointByID(STEP["catch"])


def forget_landing(target):
    if STEP["landed"] is not None:
        target.BreakpointDelete(STEP["landed"])
    STEP["landed"] = None


def exception_caught(frame, location, *_):
    """Called by LLDB at the beginning of each handler while a thread steps; never stops there."""
    thread = frame.GetThread()
    handler = thread.GetFrameAtIndex(1)
    target = thread.GetProcess().GetTarget()
    if thread.GetThreadID() == STEP["thread"] and handler.GetCFA() >= STEP["frame"]:
        forget_landing(target)
        landing = target.BreakpointCreateByAddress(handler.GetPC())
        landing.SetThreadID(thread.GetThreadID())
        landing.AddName("sigtrap_record")
        STEP["landed"] = landing.GetID()
    return False


def step_begin(debugger, command, context, result, _):
    """The command sigtrap-step-begin THREAD, before each step; prints begun, and nothing without the runtime of C++."""
    target = context.GetTarget()
    thread = context.GetProcess().GetThreadByID(int(command))
    catch = catch_breakpoint(target)
    if catch is None:
        return
    result.AppendMessage("begun")
    forget_landing(target)
    STEP.update({"thread": thread.GetThreadID(), "frame": thread.GetFrameAtIndex(0).GetCFA()})
    catch.SetEnabled(True)


def step_end(debugger, command, context, result, _):
    """The command sigtrap-step-end, before the program continues."""
    target = context.GetTarget()
    forget_landing(target)
    if STEP["catch"] is not None:
        target.FindBreakpointByID(STEP["catch"]).SetEnabled(False)


def step_landed(debugger, command, context, result, _):
    """The command sigtrap-step-landed: prints the number of the breakpoint in the handler."""
    result.AppendMessage(str(STEP["landed"]))
`

/**
 * Python for LLDB: ends a step in the handler of an exception that leaves the frame in which the step began, or that this frame catches.
 * LLDB 19 does not follow exceptions of C++: it runs to the next breakpoint.
 */

/** The source of the functions. */
export const caughtExceptions = String.raw`RUNTIME = re.compile(r"^lib(std)?c\+\+(abi)?\.")


def catch_breakpoints(target):
    """The breakpoint at the function that each handler calls first (Itanium C++ ABI); none without the runtime of C++."""
    names = [module.GetFileSpec().GetFilename() or "" for module in target.module_iter()]
    program = target.FindModule(target.GetExecutable())
    if not any(RUNTIME.match(name) for name in names) and not program.FindSymbol("__cxa_begin_catch").IsValid():
        return []
    made = target.BreakpointCreateByName("__cxa_begin_catch")
    made.SetScriptCallbackFunction("sigtrap_values.exception_caught")
    return [made]


def exception_caught(frame, location, *_):
    """Called by LLDB at the beginning of each handler while a thread steps; never stops there."""
    handler = frame.GetThread().GetFrameAtIndex(1)
    if handler.GetCFA() >= STEP["frame"]:
        land(frame.GetThread(), handler.GetPC(), "exception caught")
    return False
`

/**
 * Python for LLDB: stops at an exception of C++ that a test does not catch. Frameworks such as Catch2 catch it, so it is thrown like one
 * that the test itself handles. The unwinder first looks for the handler, while the stack is whole, and tells the personality routine
 * (Itanium C++ ABI).
 */

/** The source of the command and of the callback. */
export const escapingExceptions = String.raw`FRAMEWORK = re.compile(r"^(?:Catch|doctest|testing|boost)::")
ESCAPING = {}
"""The exceptions at which the program has stopped, by their thread."""
SEARCH_PHASE, CLEANUP_PHASE = 1, 2
"""Bits of the second argument of the personality routine. The fourth one is the exception."""
HANDLER_OFFSET = 24
"""Where the unwinder keeps the stack pointer of the frame that has the handler: private_2 of _Unwind_Exception on 64-bit targets."""


def exception_escapes(frame, location, _):
    """Called by LLDB at each call of the personality routine; True if a framework catches an exception that it did not throw itself."""
    try:
        return is_escaping(frame)
    except Exception:
        return False


def is_escaping(frame):
    thread = frame.GetThread()
    process = thread.GetProcess()
    if frame.GetPC() != frame.GetSymbol().GetStartAddress().GetLoadAddress(process.GetTarget()) or process.GetAddressByteSize() != 8:
        return False
    actions, exception = register_of(frame, "arg2"), register_of(frame, "arg4")
    if actions & SEARCH_PHASE:
        ESCAPING.pop(thread.GetThreadID(), None)
    if not actions & CLEANUP_PHASE or ESCAPING.get(thread.GetThreadID()) == exception:
        return False
    error = lldb.SBError()
    handler = process.ReadPointerFromMemory(exception + HANDLER_OFFSET, error)
    # A frame that a signal interrupted has the number before.
    names = {other.GetSP(): other.GetFunctionName() or "" for other in thread}
    found = names.get(handler, names.get(handler + 1))
    if error.Fail() or found is None or not FRAMEWORK.match(found):
        return False
    for other in thread:
        if re.match(r"__cxa_(re)?throw$|std::rethrow_exception\b", other.GetFunctionName() or ""):
            thrower = thread.GetFrameAtIndex(other.GetFrameID() + 1)
            ESCAPING[thread.GetThreadID()] = exception
            return not FRAMEWORK.match(thrower.GetFunctionName() or "")
    # A destructor ran before: the frame that threw is gone.
    return False


def stop_at_escaping(debugger, command, context, result, _):
    """The command sigtrap-stop-at-escaping NUMBERS: breakpoints at the personality routine stop for such exceptions only."""
    target = debugger.GetSelectedTarget()
    found = [target.FindBreakpointByID(number) for number in json.loads(command)]
    for one in found:
        one.SetScriptCallbackFunction("sigtrap_values.exception_escapes")
    result.AppendMessage(json.dumps(len(found) > 0 and all(one.IsValid() for one in found)))
`

/**
 * Python for LLDB: removes breakpoints from a library before it is unloaded.
 *
 * The debug server of LLDB 19 cannot remove a breakpoint from memory that is not mapped any more, and then takes it for set when another
 * library is loaded at the address. The program would pass it.
 */

/** The source of the command. */
export const libraries = String.raw`REMOVED = []
"""The numbers of the breakpoints and locations that were disabled while libraries are unloaded."""
UNLOADING = 2
"""RT_DELETE of link.h: the linker has begun to remove libraries."""


def linker_state(target):
    """The field r_state of the structure in which the linker describes what it does (link.h); None if it is unknown."""
    for found in target.FindSymbols("_r_debug"):
        address = found.GetSymbol().GetStartAddress().GetLoadAddress(target)
        error = lldb.SBError()
        state = target.GetProcess().ReadUnsignedFromMemory(address + 3 * target.GetAddressByteSize(), 4, error)
        if address != lldb.LLDB_INVALID_ADDRESS and error.Success():
            return state
    return None


def library_event(debugger, command, context, result, _):
    """The command sigtrap-library-event, at a stop at which the linker begins or has ended a change of the libraries."""
    target = context.GetTarget()
    program = target.GetExecutable()
    if linker_state(target) == UNLOADING:
        for breakpoint in target.breakpoint_iter():
            for location in breakpoint:
                if location.IsEnabled() and location.IsResolved() and location.GetAddress().GetModule().GetFileSpec() != program:
                    location.SetEnabled(False)
                    REMOVED.append((breakpoint.GetID(), location.GetID()))
    else:
        while REMOVED:
            number, part = REMOVED.pop()
            target.FindBreakpointByID(number).FindLocationByID(part).SetEnabled(True)
`

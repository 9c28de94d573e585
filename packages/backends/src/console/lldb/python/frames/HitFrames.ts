/**
 * Python for LLDB: the innermost frame at a hit of a breakpoint or of a watchpoint, and the numbers in its registers.
 *
 * LLDB 19 on a busy machine sometimes passes a frame with the address of the stop before, at the second hit after a resume: seen in 4 of
 * 150 calls of `diverge`. Its registers have the values of the current stop. Its line, and possibly its variables, are those of another place.
 */

/** The source. It precedes all functions that LLDB calls at hits, or that read registers. */
export const hitFrames = String.raw`def register_of(frame, name):
    """The number in a register. The formatters of Rust apply to registers, too, and give other numbers."""
    return frame.FindRegister(name).GetNonSyntheticValue().GetValueAsUnsigned()


def frame_at(frame, address):
    """The innermost frame, whose address is known."""
    if frame.GetPC() == address or address in (0, lldb.LLDB_INVALID_ADDRESS):
        return frame
    # Writes the value that the register has, after which LLDB reads the frames anew.
    frame.SetPC(address)
    return frame.GetThread().GetFrameAtIndex(0)


def hit_frame(frame, location):
    """The innermost frame at a hit of a breakpoint."""
    return frame_at(frame, location.GetAddress().GetLoadAddress(frame.GetThread().GetProcess().GetTarget()))


def access_frame(frame):
    """The innermost frame at a hit of a watchpoint."""
    return frame_at(frame, register_of(frame, "pc"))
`

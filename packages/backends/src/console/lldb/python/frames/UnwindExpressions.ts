/**
 * Python for LLDB: the rules of call frame information that are expressions (DWARF 5, section 6.4.2), and the registers that the kernel
 * saved for the code that a signal interrupted. `callFrames` uses it.
 */

/** The source of the functions. */
export const unwindExpressions = String.raw`CONSTANTS = {8: "B", 9: "b", 10: "H", 11: "h", 12: "I", 13: "i", 14: "Q", 15: "q"}
"""The operations with a constant of a fixed size, by its form."""
COMPUTED = {
    0x1a: lambda left, right: left & right,
    0x1c: lambda left, right: left - right,
    0x22: lambda left, right: left + right,
    0x24: lambda left, right: left << min(right, 64),
    0x2a: lambda left, right: int(left >= right),
}
"""The operations with two operands that compilers and linkers use in rules: and, minus, plus, shl, ge."""
SIGNAL_RETURN = b"\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05"
"""mov $15, %rax; syscall: where a handler of a signal returns to. The system call 15 is rt_sigreturn (Linux, x86-64)."""
SAVED_REGISTERS = (8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7, 16)
"""The registers in the order of struct sigcontext, by their numbers in DWARF."""
CONTEXT_OFFSET = 40
"""Where struct sigcontext is in struct ucontext."""


def word_at(process, address):
    error = lldb.SBError()
    word = process.ReadPointerFromMemory(address & 0xFFFFFFFFFFFFFFFF, error)
    if error.Fail():
        raise ValueError("cannot read memory at %#x" % address)
    return word


def expression_value(data, registers, process, stack):
    """Computes an expression of the rules. None if it has an operation that is not known, or reads memory that cannot be read."""
    try:
        return computed_value(data, registers, process, stack)
    except (ValueError, IndexError, struct.error):
        return None


def computed_value(data, registers, process, stack):
    while data.at < len(data.data):
        code = data.word("B")
        if code == 6:
            stack.append(word_at(process, stack.pop()))
        elif code in CONSTANTS:
            stack.append(data.word(CONSTANTS[code]))
        elif code == 0x23:
            stack.append(stack.pop() + data.number())
        elif 0x30 <= code < 0x50:
            stack.append(code - 0x30)
        elif 0x70 <= code < 0x90 and code - 0x70 in registers:
            stack.append(registers[code - 0x70] + data.number(True))
        elif code in COMPUTED:
            right = stack.pop()
            stack.append(COMPUTED[code](stack.pop(), right))
        else:
            raise ValueError("unknown operation %d" % code)
    return stack[-1] & 0xFFFFFFFFFFFFFFFF


def interrupted_registers(target, pc, stack):
    """The registers of the code that a signal interrupted, if its handler returns to an address with this stack pointer."""
    error = lldb.SBError()
    # A core file has no code: the target reads it from the library.
    if target.ReadMemory(target.ResolveLoadAddress(pc), len(SIGNAL_RETURN), error) != SIGNAL_RETURN or error.Fail():
        return None
    saved = target.GetProcess().ReadMemory(stack + CONTEXT_OFFSET, 8 * len(SAVED_REGISTERS), error)
    return dict(zip(SAVED_REGISTERS, struct.unpack("<17Q", saved))) if error.Success() else None
`

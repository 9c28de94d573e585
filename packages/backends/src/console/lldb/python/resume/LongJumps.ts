/**
 * Python for LLDB: ends a step where `longjmp` continues in the frame in which the step began, or in a frame that called it. LLDB 19
 * does not follow it: it runs to the next breakpoint.
 */

/** The source of the functions. */
export const longJumps = String.raw`JUMPS = ("longjmp", "_longjmp", "siglongjmp", "__longjmp_chk")
VERSIONS = {"__longjmp_chk": "@GLIBC_2.11"}
C_LIBRARY = re.compile(r"^(libc|ld-linux|ld-musl)\b")


def has_symbol(module, name, kind):
    return module.FindSymbol(name, kind).IsValid()


def uses_jump(module):
    """True if a module calls one of the functions of the C library, or contains it."""
    if C_LIBRARY.match(module.GetFileSpec().GetFilename() or ""):
        return False
    for name in JUMPS:
        imported = name + VERSIONS.get(name, "@GLIBC_2.2.5")
        if has_symbol(module, name, lldb.eSymbolTypeTrampoline) or has_symbol(module, name, lldb.eSymbolTypeCode):
            return True
        if has_symbol(module, name, lldb.eSymbolTypeUndefined) or has_symbol(module, imported, lldb.eSymbolTypeUndefined):
            return True
    return False


def jump_breakpoints(target):
    """Breakpoints at the first instructions of the functions; none if the program calls none. Only for x86-64 Linux."""
    if not re.match("x86_64.*linux", target.GetTriple()) or not any(uses_jump(one) for one in target.module_iter()):
        return []
    symbols = [module.FindSymbol(name, lldb.eSymbolTypeCode) for module in target.module_iter() for name in JUMPS]
    addresses = {one.GetStartAddress().GetLoadAddress(target) for one in symbols if one.IsValid()}
    made = [target.BreakpointCreateByAddress(address) for address in addresses - {lldb.LLDB_INVALID_ADDRESS}]
    for one in made:
        one.SetScriptCallbackFunction("sigtrap_values.long_jump")
    return made


def jump_target(frame):
    """The stack pointer and the address that a jmp_buf contains. glibc rotates both and combines them with a number of the thread; musl does not."""
    process, error = frame.GetThread().GetProcess(), lldb.SBError()

    def register(name):
        return register_of(frame, name)

    stored = [process.ReadUnsignedFromMemory(register("rdi") + offset, 8, error) for offset in (48, 56)]
    guard = process.ReadUnsignedFromMemory(register("fs_base") + 0x30, 8, error)
    plain = [((one >> 17) | (one << 47 & (1 << 64) - 1)) ^ guard for one in stored]
    for stack, address in (plain, stored):
        if process.GetTarget().ResolveLoadAddress(address).GetModule().IsValid():
            return stack, address
    return None


def long_jump(frame, location, *_):
    """Called by LLDB where the program calls longjmp while a thread steps; never stops there."""
    found = jump_target(frame)
    if found is not None and found[0] >= STEP["stack"]:
        land(frame.GetThread(), found[1], "longjmp")
    return False
`

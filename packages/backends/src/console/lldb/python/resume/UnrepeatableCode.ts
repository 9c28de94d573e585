/**
 * Python for LLDB: stops where a program's own code reads what another run may not repeat, without a function of the C library: by an
 * instruction (time stamp counter, random numbers, number of the processor) or by a system call. Only for x86-64.
 *
 * Code is searched for the bytes of these instructions. A place counts only if an instruction of its function begins there, so that no
 * breakpoint is put inside of another instruction.
 */

/** The source of the commands. It follows the formatters. */
export const unrepeatableCode = String.raw`UNREPEATABLE_BYTES = re.compile(rb"\x0f\x31|\x0f\x01\xf9|\x0f\xc7[\xf0-\xff]|\x0f\x03|\x0f\x05|\x0f\xa2", re.S)
UNREPEATABLE = {
    "rdtsc": "the time",
    "rdtscp": "the time",
    "rdrand": "random numbers",
    "rdseed": "random numbers",
    "rdpid": "the processor that it runs on",
    "lsl": "the processor that it runs on",
}
PROCESSOR_LEAVES = (0xB, 0x1F, 0x8000001E)
"""What cpuid reads by number: the number of the processor. Leaf 1 has it in the last byte of one register."""
UNREPEATABLE_CALLS = {
    39: "process ids",
    110: "process ids",
    111: "process ids",
    121: "process ids",
    124: "process ids",
    186: "process ids",
    309: "the processor that it runs on",
    96: "the time",
    98: "the time",
    99: "the state of the machine",
    137: "the state of the machine",
    138: "the state of the machine",
    159: "the time",
    305: "the time",
    29: "another process",
    64: "another process",
    68: "another process",
    240: "another process",
    100: "the time",
    201: "the time",
    228: "the time",
    318: "random numbers",
    41: "the network",
    42: "the network",
    43: "the network",
    288: "the network",
    425: "when input arrives",
    56: "another thread",
    57: "another process",
    58: "another process",
    435: "another thread",
    37: "a timer",
    38: "a timer",
    222: "a timer",
    283: "a timer",
}
UNREPEATABLE_CALLS.update((number, "a folder that it changes itself") for number in (
    76, 82, 83, 84, 86, 87, 88, 133, 258, 259, 263, 264, 265, 266, 316
))
"""What system calls of Linux on x86-64 read, by number."""
OPENING_CALLS = {2: 0, 4: 0, 6: 0, 21: 0, 89: 0, 257: 1, 262: 1, 267: 1, 269: 1, 332: 1, 437: 1, 439: 1}
"""The argument with the path of system calls that open or examine a file."""
SYSTEM_FOLDERS = ("/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/", "[")
LARGEST_CODE = 64 * 1024 * 1024


def name_of(instruction, target):
    """The mnemonic without the suffix for the size of the operand."""
    return re.sub("^(rdrand|rdseed|rdpid|lsl)[wlq]$", r"\1", instruction.GetMnemonic(target))


def is_instruction(target, address, found):
    """True if an instruction of UNREPEATABLE, or a system call, begins at the address, with or without a prefix."""
    symbol = address.GetSymbol()
    if not symbol.IsValid():
        return None
    start = symbol.GetStartAddress().GetFileAddress()
    if start not in found:
        found[start] = {}
        for one in symbol.GetInstructions(target):
            name = name_of(one, target)
            if name in UNREPEATABLE or name in ("syscall", "cpuid"):
                own = one.GetAddress()
                for place in range(own.GetFileAddress(), own.GetFileAddress() + one.GetByteSize()):
                    found[start].setdefault(place, own)
    return found[start].get(address.GetFileAddress())


def code_of(module):
    for section in module.section_iter():
        for part in [section] + [section.GetSubSectionAtIndex(i) for i in range(section.GetNumSubSections())]:
            if part.GetSectionType() == lldb.eSectionTypeCode and 0 < part.GetFileByteSize() <= LARGEST_CODE:
                yield part


def unrepeatable_places(target):
    """The addresses of these instructions in the program's own code."""
    if not target.GetTriple().startswith("x86_64"):
        return
    for module in target.module_iter():
        if str(module.GetFileSpec()).startswith(SYSTEM_FOLDERS):
            continue
        found, places = {}, {}
        for section in code_of(module):
            error = lldb.SBError()
            code = section.GetSectionData().ReadRawData(error, 0, section.GetFileByteSize())
            for one in UNREPEATABLE_BYTES.finditer(code or b""):
                own = is_instruction(target, lldb.SBAddress(section, one.start()), found)
                if own is not None:
                    places[own.GetFileAddress()] = own
        yield from places.values()


def stop_at_instructions(debugger, command, context, result, _):
    """The command sigtrap-stop-at-instructions: prints the numbers of the breakpoints that it sets, as JSON."""
    target = context.GetTarget()
    if not target.GetTriple().startswith("x86_64"):
        result.AppendMessage("[]")
        return
    numbers = [target.BreakpointCreateBySBAddress(place).GetID() for place in unrepeatable_places(target)]
    numbers.append(target.BreakpointCreateByName("syscall").GetID())
    result.AppendMessage(json.dumps(numbers))


def takes_last_byte(frame, target):
    """True if a function shifts by 24 bits or masks all others."""
    code = frame.GetSymbol().GetInstructions(target)
    texts = ("%s %s" % (one.GetMnemonic(target), one.GetOperands(target)) for one in code)
    return any(re.match(r"(shr|sar)\w* \$0x18,|and\w* \$(0xff000000|-0x1000000),", text) for text in texts)


def reads_processor(frame, target):
    """
    True if cpuid at a frame reads the number of the processor. The caller may take it. A C library in the program, which has no
    lines, asks for its own use only.
    """
    frames = [frame.GetThread().GetFrameAtIndex(index) for index in range(2)]
    leaf = register_of(frame, "rax") & 0xFFFFFFFF
    if not any(one.GetLineEntry().IsValid() for one in frames):
        return False
    return leaf in PROCESSOR_LEAVES or (leaf == 1 and any(takes_last_byte(one, target) for one in frames))


def unrepeatable_here(debugger, command, context, result, _):
    """The command sigtrap-unrepeatable: prints what the instruction at the selected frame reads, as JSON; {} if another run repeats it."""
    frame = context.GetFrame()
    target = context.GetTarget()
    found = {}
    is_function = frame.GetFunctionName() == "syscall"
    for one in target.ReadInstructions(frame.GetPCAddress(), 1):
        name = name_of(one, target)
        if name in UNREPEATABLE:
            found = {"reads": UNREPEATABLE[name], "by": "the instruction " + name}
        elif name == "cpuid":
            if reads_processor(frame, target):
                found = {"reads": "the processor that it runs on", "by": "the instruction cpuid"}
        elif is_function or name == "syscall":
            names = ["rdi", "rsi", "rdx"] if is_function else ["rax", "rdi", "rsi"]
            number, *arguments = [register_of(frame, each) for each in names]
            by = "system call %d" % number
            if number in UNREPEATABLE_CALLS:
                found = {"reads": UNREPEATABLE_CALLS[number], "by": by}
            elif number in OPENING_CALLS:
                found = {"path": hex(arguments[OPENING_CALLS[number]]), "by": by}
                if OPENING_CALLS[number] == 1:
                    found["folder"] = (arguments[0] + 2**31) % 2**32 - 2**31
    result.AppendMessage(json.dumps(found))


def seed_address(process):
    """The address of the random bytes that the kernel gives a program (AT_RANDOM, getauxval(3)); None if it is unknown."""
    try:
        with open("/proc/%d/auxv" % process.GetProcessID(), "rb") as file:
            words = file.read()
    except OSError:
        return None
    for place in range(0, len(words) - 15, 16):
        if int.from_bytes(words[place:place + 8], "little") == 25:
            return int.from_bytes(words[place + 8:place + 16], "little")
    return None


def read_seed(debugger, command, context, result, _):
    """The command sigtrap-seed: prints the random bytes of the program; nothing if they cannot be read."""
    process = context.GetProcess()
    address = seed_address(process)
    error = lldb.SBError()
    found = None if address is None else process.ReadMemory(address, 16, error)
    if found is not None and error.Success() and len(found) == 16:
        result.AppendMessage(found.hex())


def write_seed(debugger, command, context, result, _):
    """The command sigtrap-set-seed BYTES: gives a program at its first instruction the random bytes of another run."""
    process = context.GetProcess()
    address = seed_address(process)
    if address is not None:
        process.WriteMemory(address, bytes.fromhex(command.strip()), lldb.SBError())
`

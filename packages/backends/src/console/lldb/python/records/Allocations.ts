/**
 * Python for LLDB: records the last call of an allocation function that returned a block with watched memory. It stops the program at
 * none of these calls. An object in such a block is younger than a write before the call.
 */

/** The source of the commands. It follows `KernelWrites`, whose registers and breakpoints it uses. */
export const allocations = String.raw`RUN_ALLOCATIONS = {}
"""What is recorded: the memory, the calls that have not returned, the last allocation of the memory."""
ALLOCATION_SIZES = {
    "malloc": lambda a: a[0],
    "calloc": lambda a: a[0] * a[1],
    "realloc": lambda a: a[1],
    "reallocarray": lambda a: a[1] * a[2],
    "memalign": lambda a: a[1],
    "aligned_alloc": lambda a: a[1],
    "posix_memalign": lambda a: a[2],
    "valloc": lambda a: a[0],
    "pvalloc": lambda a: (a[0] | 0xFFF) + 1,
    "operator new": lambda a: a[0],
    "operator new[]": lambda a: a[0],
    "__rust_alloc": lambda a: a[0],
    "__rust_alloc_zeroed": lambda a: a[0],
    "__rust_realloc": lambda a: a[3],
}
"""The size of the block that a function returns, by its arguments."""
ALLOCATION_GROWS = ("realloc", "reallocarray", "__rust_realloc")
"""Functions whose first argument is the earlier block, whose bytes are kept."""
LARGEST_BLOCK = 1 << 46
MOST_SECONDS = 6
"""The recording ends after this time, as each call takes LLDB some milliseconds."""


def allocation_name(frame):
    """The name of an allocation function, None for another one."""
    name = re.sub(r"^_*(?:GI_+)?(?:libc_)?|\(.*$", "", frame.GetFunctionName() or "")
    rust = re.search(r"rust_(?:alloc_zeroed|alloc|realloc)$", name)
    name = "__" + rust.group(0) if rust else re.sub(r"^.*::operator new", "operator new", name)
    return name if name in ALLOCATION_SIZES else None


def allocation_arguments(frame):
    architecture = frame.GetThread().GetProcess().GetTarget().GetTriple().split("-")[0]
    names = [one for one in KERNEL_REGISTERS.get(architecture, ()) if one != "r10"]
    return [register_of(frame, name) for name in names[:4]]


def block_size(process, pointer):
    """The size of a block of glibc, from the word before it; 0 if that is none."""
    error = lldb.SBError()
    word = process.ReadUnsignedFromMemory(pointer - 8, 8, error)
    size = word & ~7
    return size - 8 if error.Success() and 32 <= size < LARGEST_BLOCK else 0


def allocation_place(thread, first):
    """The innermost function of the program from a frame on, with its line, else the first one with source; None without one."""
    other = None
    for index in range(first, min(first + 24, thread.GetNumFrames())):
        frame = thread.GetFrameAtIndex(index)
        line = frame.GetLineEntry()
        if not line.IsValid() or not line.GetFileSpec().Exists():
            continue
        place = "%s %s:%d" % ((frame.GetDisplayFunctionName() or "?").split("(")[0], line.GetFileSpec().GetFilename(), line.GetLine())
        if not str(line.GetFileSpec()).startswith(("/usr/", "/rustc/", "/build/")):
            return place
        other = other or place
    return other


def allocation_expect(thread, index, found):
    """Records the call of an allocation function in a frame where it returns."""
    after = thread.GetFrameAtIndex(index + 1).GetPC()
    found.update(after=after, stack=thread.GetFrameAtIndex(index + 1).GetSP())
    RUN_ALLOCATIONS["pending"].append(found)
    if after not in RUN_ALLOCATIONS["returns"]:
        RUN_ALLOCATIONS["returns"].add(after)
        one = thread.GetProcess().GetTarget().BreakpointCreateByAddress(after)
        kernel_record(one, "allocation_returned")
        RUN_ALLOCATIONS["breakpoints"].append(one)


def allocation_called(frame, location, _):
    """Called by LLDB at the first instruction of an allocation function; False resumes the program."""
    frame = hit_frame(frame, location)
    name = allocation_name(frame) if RUN_ALLOCATIONS else None
    if name is None or frame.GetPC() != frame.GetSymbol().GetStartAddress().GetLoadAddress(frame.GetThread().GetProcess().GetTarget()):
        return False
    RUN_ALLOCATIONS["calls"] += 1
    if RUN_ALLOCATIONS["calls"] > RUN_ALLOCATIONS["limit"] or time.monotonic() > RUN_ALLOCATIONS["end"]:
        RUN_ALLOCATIONS["complete"] = False
        for one in RUN_ALLOCATIONS["breakpoints"]:
            one.SetEnabled(False)
        return False
    arguments = allocation_arguments(frame)
    if len(arguments) < 4:
        return False
    found = {"function": name, "size": ALLOCATION_SIZES[name](arguments), "kept": (0, 0), "inside": False}
    if name == "posix_memalign":
        found["result"] = arguments[0]
    if name in ALLOCATION_GROWS and arguments[0] != 0:
        old = block_size(frame.GetThread().GetProcess(), arguments[0])
        found["kept"] = (arguments[0], max(old, arguments[1] if name == "__rust_realloc" else 0))
    allocation_expect(frame.GetThread(), 0, found)
    return False


def allocation_returned(frame, location, _):
    """Called by LLDB where a call of an allocation function returns; False resumes the program."""
    frame = hit_frame(frame, location)
    if not RUN_ALLOCATIONS:
        return False
    after = frame.GetPC()
    pending = RUN_ALLOCATIONS["pending"]
    index = max((i for i, one in enumerate(pending) if one["after"] == after and one["stack"] == frame.GetSP()), default=None)
    if index is None:
        return False
    found = pending[index]
    del pending[index:]
    process = frame.GetThread().GetProcess()
    register = "x0" if process.GetTarget().GetTriple().startswith("aarch64") else "rax"
    pointer = returned = register_of(frame, register)
    passes = RUN_ALLOCATIONS["passes"]
    passes[after, returned] = passes.get((after, returned), 0) + 1
    if "result" in found:
        pointer = process.ReadPointerFromMemory(found["result"], lldb.SBError())
    address = RUN_ALLOCATIONS["address"]
    size = found["size"] if found["size"] is not None else block_size(process, pointer)
    old, length = found["kept"]
    is_kept = pointer == old and address < old + length
    if pointer != 0 and pointer <= address < pointer + max(size, 1) and not is_kept:
        place = allocation_place(frame.GetThread(), 0)
        RUN_ALLOCATIONS["last"] = {
            "function": found["function"], "inside": found["inside"], "returns": hex(after), "result": hex(returned),
            "passes": passes[after, returned],
            **({} if place is None else {"at": place})
        }
    return False


def allocations_begin(debugger, command, context, result, _):
    """The command sigtrap-allocations-begin: records from now on, with calls that have not returned."""
    asked = json.loads(command)
    target = context.GetTarget()
    RUN_ALLOCATIONS.update(
        address=asked["address"], limit=asked["limit"], end=time.monotonic() + MOST_SECONDS, complete=True, calls=0,
        pending=[], returns=set(), passes={}, breakpoints=[], last=None
    )
    breakpoint = target.FindBreakpointByID(asked["breakpoint"])
    if breakpoint.IsValid():
        kernel_record(breakpoint, "allocation_called")
        RUN_ALLOCATIONS["breakpoints"].append(breakpoint)
    thread = context.GetProcess().GetSelectedThread()
    for index in reversed(range(min(16, thread.GetNumFrames() - 1))):
        name = allocation_name(thread.GetFrameAtIndex(index))
        if name is not None:
            # The size is unknown here, as the argument is gone.
            allocation_expect(thread, index, {"function": name, "size": None, "kept": (0, 0), "inside": True})


def allocations_end(debugger, command, context, result, _):
    """The command sigtrap-allocations-end: prints the last allocation of the memory, as JSON."""
    last = RUN_ALLOCATIONS["last"]
    found = {"complete": RUN_ALLOCATIONS["complete"], **({} if last is None else {"last": last})}
    for one in RUN_ALLOCATIONS["breakpoints"]:
        context.GetTarget().BreakpointDelete(one.GetID())
    RUN_ALLOCATIONS.clear()
    result.AppendMessage(json.dumps(found))


def memory_kind(debugger, command, context, result, _):
    """The command sigtrap-memory ADDRESS: prints whether memory is on the stack, in a variable of a module, or of an allocator."""
    address = int(command.strip(), 16)
    if context.GetTarget().ResolveLoadAddress(address).GetSection().IsValid():
        result.AppendMessage("static")
        return
    try:
        with open("/proc/%d/maps" % context.GetProcess().GetProcessID()) as file:
            for line in file:
                words = line.split()
                start, end = [int(one, 16) for one in words[0].split("-")]
                if start <= address < end:
                    name = words[5] if len(words) > 5 else ""
                    is_anonymous = name in ("", "[heap]") or name.startswith("[anon")
                    result.AppendMessage("stack" if name == "[stack]" else "dynamic" if is_anonymous else "static")
    except OSError:
        pass
`

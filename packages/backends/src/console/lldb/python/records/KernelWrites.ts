/**
 * Python for LLDB: records the calls in which the system changes watched memory, which no watchpoint reports: `read` fills a buffer,
 * `madvise` drops a page. The memory is compared before and after each call whose arguments may point to it.
 */

/** The source of the commands. It follows `UnrepeatableCode`, whose places it uses. */
export const kernelWrites = String.raw`RUN_KERNEL = {}
"""What is recorded: the memory, the writes by the hits of the watchpoint before them, the calls that have not returned."""
KERNEL_REGISTERS = {"x86_64": ("rdi", "rsi", "rdx", "rcx", "r10", "r8", "r9"), "aarch64": ("x0", "x1", "x2", "x3", "x4", "x5")}
"""The registers that may have arguments of a function or of a system call."""
KERNEL_VECTORS = re.compile(r"readv|writev|recvmmsg|syscall")
"""Functions whose arguments do not show where the system writes."""
KERNEL_NEAR = 1 << 20
"""An argument may point this far before the memory, or farther if another argument is as large as a size."""
KERNEL_LARGEST = 1 << 40
MOST_KERNEL_WRITES = 512


def kernel_record(breakpoint, callback):
    """Makes a breakpoint call a function that records and never stops the program."""
    breakpoint.AddName("sigtrap_record")
    breakpoint.SetScriptCallbackFunction("sigtrap_values." + callback)


def kernel_bytes(process):
    """The watched bytes; None if they cannot be read."""
    error = lldb.SBError()
    found = process.ReadMemory(RUN_KERNEL["address"], RUN_KERNEL["size"], error)
    return found if error.Success() else None


def kernel_hits(process):
    return watch_hits(process.GetTarget(), RUN_KERNEL["watch"])


def kernel_may_write(frame):
    """True if an argument may be a pointer to the memory, or to an object with it."""
    architecture = frame.GetThread().GetProcess().GetTarget().GetTriple().split("-")[0]
    names = KERNEL_REGISTERS.get(architecture, ())
    numbers = [register_of(frame, name) for name in names]
    near = max([KERNEL_NEAR] + [one for one in numbers if one < KERNEL_LARGEST])
    end = RUN_KERNEL["address"] + RUN_KERNEL["size"]
    return any(4096 <= one < end and RUN_KERNEL["address"] - one <= near for one in numbers)


def kernel_place(thread):
    """The innermost function whose source file exists, with its line; None if there is none."""
    for index in range(min(16, thread.GetNumFrames())):
        frame = thread.GetFrameAtIndex(index)
        line = frame.GetLineEntry()
        if line.IsValid() and line.GetFileSpec().Exists():
            name = (frame.GetDisplayFunctionName() or "?").split("(")[0]
            return "%s %s:%d" % (name, line.GetFileSpec().GetFilename(), line.GetLine())
    return None


def kernel_enter(frame, call, after):
    """Keeps what the memory has before a call, to compare it where the call returns."""
    thread = frame.GetThread()
    process = thread.GetProcess()
    RUN_KERNEL["pending"][after] = {
        "hits": kernel_hits(process), "before": kernel_bytes(process), "call": call, "at": kernel_place(thread)
    }
    if after not in RUN_KERNEL["returns"]:
        RUN_KERNEL["returns"].add(after)
        kernel_record(process.GetTarget().BreakpointCreateByAddress(after), "kernel_returned")


def kernel_called(frame, location, _):
    """Called by LLDB at the first instruction of a function that lets the system write; False resumes the program."""
    frame = hit_frame(frame, location)
    name = re.sub(r"^_*(GI_+|libc_)?|\(.*$", "", frame.GetFunctionName() or "")
    if RUN_KERNEL and name in RUN_KERNEL["names"] and (KERNEL_VECTORS.search(name) or kernel_may_write(frame)):
        kernel_enter(frame, "a call of " + name, frame.GetThread().GetFrameAtIndex(1).GetPC())
    return False


def kernel_call_here(frame, location, _):
    """Called by LLDB at a system call in the program's own code, which has two bytes; False resumes the program."""
    frame = hit_frame(frame, location)
    if RUN_KERNEL:
        kernel_enter(frame, "system call %d" % register_of(frame, "rax"), frame.GetPC() + 2)
    return False


def kernel_compare(process, one):
    """Records a call that changed the memory without a hit of the watchpoint."""
    now = kernel_bytes(process)
    if now == one["before"] or kernel_hits(process) != one["hits"]:
        return
    writes = RUN_KERNEL["writes"]
    found = {"hits": one["hits"], "call": one["call"]}
    if one["at"] is not None:
        found["at"] = one["at"]
    if now is not None:
        found["bytes"] = now.hex()
    writes.pop(one["hits"], None)
    writes[one["hits"]] = found
    if len(writes) > MOST_KERNEL_WRITES:
        RUN_KERNEL["forgotten"] = min(writes)
        del writes[min(writes)]


def kernel_returned(frame, location, _):
    """Called by LLDB where a call returns; False resumes the program."""
    frame = hit_frame(frame, location)
    one = RUN_KERNEL["pending"].pop(frame.GetPC(), None) if RUN_KERNEL else None
    if one is not None:
        kernel_compare(frame.GetThread().GetProcess(), one)
    return False


def kernel_begin(debugger, command, context, result, _):
    """The command sigtrap-kernel-begin: records from now on."""
    asked = json.loads(command)
    target = context.GetTarget()
    RUN_KERNEL.update(
        address=asked["address"], size=asked["size"], watch=asked["watch"], names=set(asked["names"]), writes={}, pending={},
        returns=set(), forgotten=-1
    )
    breakpoint = target.FindBreakpointByID(asked["breakpoint"])
    if breakpoint.IsValid():
        kernel_record(breakpoint, "kernel_called")
    for place in unrepeatable_places(target):
        if any(name_of(one, target) == "syscall" for one in target.ReadInstructions(place, 1)):
            kernel_record(target.BreakpointCreateBySBAddress(place), "kernel_call_here")


def is_shared(process, address):
    """True if the memory may have another address, or be written by another process."""
    try:
        with open("/proc/%d/maps" % process.GetProcessID()) as file:
            for line in file:
                places, rights = line.split()[:2]
                start, end = [int(one, 16) for one in places.split("-")]
                if start <= address < end:
                    return rights.endswith("s")
    except OSError:
        pass
    return False


def kernel_end(debugger, command, context, result, _):
    """The command sigtrap-kernel-end: prints the writes of the system, as JSON."""
    process = context.GetProcess()
    for one in RUN_KERNEL["pending"].values():
        kernel_compare(process, one)
    found = {
        "shared": is_shared(process, RUN_KERNEL["address"]),
        "forgotten": RUN_KERNEL["forgotten"],
        "writes": [RUN_KERNEL["writes"][hits] for hits in sorted(RUN_KERNEL["writes"])],
    }
    RUN_KERNEL.clear()
    result.AppendMessage(json.dumps(found))
`

/**
 * Python for LLDB: the calls of a stack, by the call frame information of the program (DWARF 5, section 6.4, in the form of `.eh_frame`).
 *
 * LLDB 19 takes a function that gcc split into `f` and `f.cold` for all code from the one to the other. It uses the rules of `f.cold` in
 * `f`, and then also in functions between them. So callers are missing, variables in such a frame have false values, and a function
 * between them that has no debug information has the name of the split one.
 */

/** The source of the command. */
export const callFrames = String.raw`import bisect
import mmap
import struct

REGISTERS = ["rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp"] + ["r%d" % n for n in range(8, 16)] + ["rip"]
"""The registers of x86-64 by their numbers in DWARF."""
STACK, RETURN = 7, 16
RULES, PARTS = {}, {}
"""The rules of each module, and whether it has functions in parts, by its path and identity."""


class Bytes:
    """Reads bytes one after the other."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def word(self, form):
        size = struct.calcsize(form)
        self.at += size
        return struct.unpack_from("<" + form, self.data, self.at - size)[0]

    def number(self, signed=False):
        value = shift = 0
        while True:
            byte = self.word("B")
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value - (1 << shift) if signed and byte & 64 else value

    def block(self):
        size = self.number()
        self.at += size
        return size

    def bytes(self):
        size = self.block()
        return self.data[self.at - size:self.at]


def unwind_section(module, name):
    """The address in the file and the bytes of a section; None if the module has none."""
    section = module.FindSection(name)
    if not section.IsValid() or section.GetFileByteSize() == 0:
        return None
    error = lldb.SBError()
    data = section.GetSectionData().ReadRawData(error, 0, section.GetFileByteSize())
    return (section.GetFileAddress(), data) if error.Success() else None


def listed_entries(rules):
    """The address and the offset of each entry in .eh_frame, sorted."""
    base, data = rules
    found, at = [], 0
    while at + 8 <= len(data):
        size, parent = struct.unpack_from("<II", data, at)
        if size == 0 or size == 0xffffffff:
            break
        if parent != 0:
            found.append((base + at + 8 + struct.unpack_from("<i", data, at + 8)[0], at))
        at += 4 + size
    return sorted(found)


class CallFrameInformation:
    """The rules of a module, which the sections .eh_frame_hdr and .eh_frame contain."""

    def __init__(self, module):
        self.head, self.rules = unwind_section(module, ".eh_frame_hdr"), unwind_section(module, ".eh_frame")
        head = self.head[1] if self.head is not None and self.rules is not None else b""
        # Version 1, pointers relative to their place, and a sorted table relative to the section: what linkers write.
        self.count = struct.unpack_from("<I", head, 8)[0] if head[:4] == b"\x01\x1b\x03\x3b" else 0
        # Linkers write no table into a static executable.
        self.listed = listed_entries(self.rules) if self.head is None and self.rules is not None else []

    def entry(self, address):
        """The offset of the entry in .eh_frame that may be that of an address; None if there is none."""
        if self.listed:
            at = bisect.bisect_right(self.listed, (address, float("inf")))
            return None if at == 0 else self.listed[at - 1][1]
        if self.count == 0:
            return None
        base, data = self.head
        low, high = 0, self.count
        while low < high:
            middle = (low + high) // 2
            if base + struct.unpack_from("<i", data, 12 + 8 * middle)[0] <= address:
                low = middle + 1
            else:
                high = middle
        return None if low == 0 else base + struct.unpack_from("<i", data, 8 + 8 * low)[0] - self.rules[0]

    def row(self, address):
        """The rules at an address: those of the frame's address and of the registers. None if they are in a form that is not read."""
        at = self.entry(address)
        if at is None:
            return None
        base, data = self.rules
        fde = Bytes(data, at)
        end = fde.word("I") + fde.at
        parent = Bytes(data, fde.at - fde.word("I"))
        common = Common(parent)
        if common.encoding != 0x1b:
            return None
        start = base + fde.at
        start += fde.word("i")
        if not start <= address < start + fde.word("i"):
            return None
        if common.has_data:
            fde.block()
        state = Rules(common)
        state.run(Bytes(data, common.first), common.end, None)
        state.initial = dict(state.saved)
        state.run(fde, end, address - start)
        return state


class Common:
    """A common entry: what the entries of several functions share."""

    def __init__(self, data):
        self.end = data.word("I") + data.at
        data.word("I")
        version = data.word("B")
        stop = data.data.index(b"\0", data.at)
        letters = data.data[data.at:stop].decode("ascii")
        data.at = stop + 1
        self.code, self.factor = data.number(), data.number(True)
        data.word("B") if version == 1 else data.number()
        self.encoding, self.has_data, self.is_signal = 0, letters.startswith("z"), "S" in letters
        following = data.block() if self.has_data else 0
        self.first = data.at
        data.at -= following
        for letter in letters[1:]:
            if letter == "R":
                self.encoding = data.word("B")
            elif letter == "L":
                data.word("B")
            elif letter == "P":
                # Evaluated first, because reading it moves on.
                size = {0: 8, 4: 8, 12: 8, 3: 4, 11: 4}.get(data.word("B") & 15, 8)
                data.at += size


class Rules:
    """Executes the instructions of an entry up to an address."""

    def __init__(self, common):
        self.common, self.frame, self.saved, self.initial, self.kept = common, None, {}, {}, []

    def run(self, data, end, until):
        place = 0
        while data.at < end:
            code = data.word("B")
            high, low = code & 192, code & 63
            if high == 64 or code in (2, 3, 4):
                place += (low if high == 64 else data.word("xxBHI"[code])) * self.common.code
                if until is not None and place > until:
                    return
            elif high == 128:
                self.saved[low] = ("memory", data.number() * self.common.factor)
            elif high == 192:
                self.restore(low)
            else:
                self.extended(code, data)

    def restore(self, register):
        self.saved.pop(register, None)
        if register in self.initial:
            self.saved[register] = self.initial[register]

    def extended(self, code, data):
        if code in (5, 17):
            register = data.number()
            self.saved[register] = ("memory", data.number(code == 17) * self.common.factor)
        elif code == 6:
            self.restore(data.number())
        elif code in (7, 8):
            self.saved[data.number()] = ("undefined" if code == 7 else "same", 0)
        elif code == 9:
            register = data.number()
            self.saved[register] = ("register", data.number())
        elif code == 10:
            self.kept.append((self.frame, dict(self.saved)))
        elif code == 11:
            self.frame, self.saved = self.kept.pop()
        elif code in (12, 18):
            register = data.number()
            offset = data.number(True) * self.common.factor if code == 18 else data.number()
            self.frame = (register, offset)
        elif code == 13:
            self.frame = (data.number(), self.frame[1])
        elif code in (14, 19):
            self.frame = (self.frame[0], data.number(True) * self.common.factor if code == 19 else data.number())
        elif code == 15:
            self.frame = (None, data.bytes())
        elif code in (16, 22):
            register = data.number()
            self.saved[register] = ("expression" if code == 16 else "value", data.bytes())
        elif code == 46:
            data.number()
        elif code != 0:
            raise ValueError("unknown instruction %d" % code)


def has_parts(module):
    """True if a module has functions of which gcc put a part elsewhere: their symbols end so. A stripped file has them in another one."""
    names = unwind_section(module, ".strtab")
    if names is not None:
        return b".cold\0" in names[1]
    symbols = module.GetSymbolFileSpec().fullpath
    if not symbols or symbols == module.GetFileSpec().fullpath:
        return False
    try:
        with open(symbols, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return content.find(b".cold\0") >= 0
    except (OSError, ValueError):
        return False


def known_of(known, module, read):
    key = (module.GetFileSpec().fullpath, module.GetUUIDString())
    if key not in known:
        known[key] = read(module)
    return known[key]


class Call:
    """
    A function that is running: its registers, its instruction, and the address of its frame, None if that is not known. All registers are
    known of the innermost one and of one that a signal interrupted: these have not called the next one.
    """

    def __init__(self, target, registers, is_exact):
        self.target, self.registers, self.is_exact = target, registers, is_exact
        self.pc, self.frame, self.is_signal = registers[RETURN], None, False
        # A caller is at the instruction after its call.
        self.place = target.ResolveLoadAddress(self.pc if is_exact else self.pc - 1)


def frame_address(rules, registers, process):
    """The address of a frame; None if its rule is not known."""
    register, offset = rules.frame or (None, b"")
    if register is None:
        return expression_value(Bytes(offset), registers, process, []) if offset else None
    return (registers[register] + offset) & 0xFFFFFFFFFFFFFFFF if register in registers else None


def caller_of(call, process, registers):
    """The registers of the caller of a function. None at the end of the stack, or if the rules are not known."""
    module = call.place.GetModule()
    rules = known_of(RULES, module, CallFrameInformation).row(call.place.GetFileAddress()) if module.IsValid() else None
    if rules is None or rules.common.is_signal:
        found = interrupted_registers(call.target, call.pc, registers[STACK])
        if found is not None:
            call.is_signal, call.frame = True, found[STACK]
        return found
    call.frame = frame_address(rules, registers, process)
    if call.frame is None:
        return None
    found = {number: value for number, value in registers.items() if number != RETURN}
    for number, (kind, value) in rules.saved.items():
        found.pop(number, None)
        if kind in ("memory", "expression"):
            error = lldb.SBError()
            at = call.frame + value if kind == "memory" else expression_value(Bytes(value), registers, process, [call.frame])
            word = None if at is None else process.ReadPointerFromMemory(at, error)
            if word is not None and error.Success():
                found[number] = word
        elif kind == "value":
            word = expression_value(Bytes(value), registers, process, [call.frame])
            if word is not None:
                found[number] = word
        elif kind == "register" and value in registers:
            found[number] = registers[value]
        elif kind == "same" and number in registers:
            found[number] = registers[number]
    found[STACK] = call.frame
    return found if RETURN in found and found[RETURN] != 0 else None


def calls_of(thread, most):
    """The calls of a thread, from the innermost one, and whether the last one is the first of the thread."""
    target, process = thread.GetProcess().GetTarget(), thread.GetProcess()
    first = thread.GetFrameAtIndex(0)
    registers = {n: register_of(first, name) for n, name in enumerate(REGISTERS)}
    calls = []
    while registers is not None and len(calls) < most:
        calls.append(Call(target, registers, len(calls) == 0 or calls[-1].is_signal))
        registers = caller_of(calls[-1], process, registers)
    return calls, registers is None and calls[-1].frame is not None


def source_place(file, line, column):
    if not file.IsValid():
        return {}
    return {"file": file.fullpath, "line": line, "column": column} if line > 0 else {"file": file.fullpath}


def is_between_parts(function, place):
    """True if LLDB takes an address for one of a function that has no code there."""
    if not function.IsValid():
        return False
    block, at = function.GetBlock(), place.GetFileAddress()
    ranges = [(block.GetRangeStartAddress(n).GetFileAddress(), block.GetRangeEndAddress(n).GetFileAddress()) for n in range(block.GetNumRanges())]
    return len(ranges) > 1 and not any(start <= at < end for start, end in ranges)


def shown_call(call, stack):
    """The frames of a call: first the functions that the compiler inlined, each with the place that it executes."""
    context = call.target.ResolveSymbolContextForAddress(call.place, lldb.eSymbolContextEverything)
    function, block, line = context.GetFunction(), context.GetBlock(), context.GetLineEntry()
    is_known = function.IsValid() and not is_between_parts(function, call.place)
    name = (function if is_known else context.GetSymbol()).GetName() or hex(call.pc)
    place = source_place(line.GetFileSpec(), line.GetLine(), line.GetColumn()) if line.IsValid() else {}
    names, places = [], []
    while block.IsValid():
        if block.IsInlined():
            names.append("%s [inlined] %s" % (name, block.GetInlinedName()))
            places.append(place)
            place = source_place(block.GetInlinedCallSiteFile(), block.GetInlinedCallSiteLine(), block.GetInlinedCallSiteColumn())
        block = block.GetParent()
    common = {"address": hex(call.pc), "stack": hex(stack), "module": call.place.GetModule().GetFileSpec().GetFilename() or ""}
    return [{"function": one, **at, **common} for one, at in zip([*names, name], [*places, place])]


def frames_at(thread, index, pc):
    """The frame after those of a call: the functions that the compiler inlined there, and the function that contains them."""
    frame = thread.GetFrameAtIndex(index)
    if not frame.IsValid() or frame.GetPC() != pc:
        return None
    # LLDB gives a function that contains an inlined one the address of the inlined code; they have one frame on the stack.
    stack = frame.GetCFA()
    while frame.IsInlined():
        index += 1
        frame = thread.GetFrameAtIndex(index)
        if not frame.IsValid() or frame.GetCFA() != stack:
            return None
    return index + 1


def compared(thread, calls):
    """
    How many frames of LLDB are in the stack, how many of these have the right address, None for all, the number of their calls, and the
    names of frames that LLDB names wrongly, by their index. None in place of the first number if the rules of a call are not known: then
    the frames after it are not judged.
    """
    listed, right, names = 0, None, {}
    for number, call in enumerate(calls):
        after = frames_at(thread, listed, call.pc)
        if after is None:
            return listed, right, number, names
        frame = thread.GetFrameAtIndex(after - 1)
        if is_between_parts(frame.GetFunction(), call.place):
            names[str(after - 1)] = frame.GetSymbol().GetName() or hex(call.pc)
        if call.frame is None:
            return None, right, number, names
        if right is None and frame.GetCFA() != call.frame:
            right = listed
        listed = after
    return listed, right, len(calls), names


def call_frames(debugger, command, context, result, _):
    """
    The command sigtrap-call-frames THREAD COUNT. Its answer is "none" if no module has functions in parts, and "later" while the program
    loads its libraries. Otherwise it has the number of frames that LLDB lists rightly, how many of these have the right address, the names
    of those that LLDB names wrongly, and the frames that follow.
    """
    try:
        number, most = (int(word) for word in command.split())
        target = context.GetTarget()
        thread = context.GetProcess().GetThreadByIndexID(number)
        concerned = target.GetTriple().startswith("x86_64") and thread.IsValid()
        if not concerned or not any(known_of(PARTS, module, has_parts) for module in target.module_iter()):
            starting = (thread.GetFrameAtIndex(0).GetModule().GetFileSpec().GetFilename() or "").startswith("ld-")
            result.AppendMessage("later" if starting else "none")
            return
        calls, is_whole = calls_of(thread, most)
        listed, right, number, names = compared(thread, calls)
        stacks = [0, *(call.frame for call in calls)]
        more = [] if listed is None else [frame for n in range(number, len(calls)) for frame in shown_call(calls[n], stacks[n])]
        result.AppendMessage(json.dumps({"listed": listed, "right": right, "names": names, "more": more, "whole": is_whole}))
    except Exception as error:
        result.AppendMessage("later: " + str(error))
`

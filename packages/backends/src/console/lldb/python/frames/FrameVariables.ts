/**
 * Python for LLDB: the variables of frames whose address LLDB computes wrongly or that it does not find, read by their DWARF locations
 * (DWARF 5, section 2.6) with the registers of `callFrames`. It follows `callFrames` and the reader of debug information.
 */

/** The source of the command. */
export const frameVariables = String.raw`KEPT_REGISTERS = (3, 6, 7, 12, 13, 14, 15)
"""The registers of x86-64 that a function gives back as they were (System V ABI, section 3.2.1), by their numbers in DWARF."""
AT_FRAME_BASE = 0x40
LISTED_VARIABLE = re.compile(r'^\s+Variable: id = \{(0x[\da-f]+)\}, name = "([^"]*)".*?, location = (.*?)(?:, decl = ([^\n]*))?$', re.M)
LISTED_FUNCTION = re.compile(r"^\s+Function: id = \{(0x[\da-f]+)\}", re.M)
OPERATION = re.compile(r"(DW_OP_\w+)((?:\([^)]*\)|[^,(])*)")
WHOLE_WORD = (1 << 64) - 1
BINARY_OPERATIONS = {
    "plus": lambda left, right: left + right,
    "minus": lambda left, right: left - right,
    "mul": lambda left, right: left * right,
    "and": lambda left, right: left & right,
    "or": lambda left, right: left | right,
    "xor": lambda left, right: left ^ right,
    "shl": lambda left, right: left << min(right, 64),
    "shr": lambda left, right: left >> min(right, 64),
    "shra": lambda left, right: signed_word(left) >> min(right, 64),
    "eq": lambda left, right: int(left == right),
    "ne": lambda left, right: int(left != right),
    "lt": lambda left, right: int(signed_word(left) < signed_word(right)),
    "gt": lambda left, right: int(signed_word(left) > signed_word(right)),
    "le": lambda left, right: int(signed_word(left) <= signed_word(right)),
    "ge": lambda left, right: int(signed_word(left) >= signed_word(right)),
}
"""What the operations with two operands compute of words without a sign."""
NAMED_VALUES = {}
"""The names in LLDB of objects, by the program, the address and the type."""


class NoValue(Exception):
    """Why a variable has no value."""


def words_of(location):
    """The operations of a location, as LLDB prints them: the name and the arguments of each."""
    text = re.sub(r"^\[[^)]*\) -> ", "", location)
    return [(found.group(1), found.group(2).strip()) for found in OPERATION.finditer(text)]


def register_in(call, number):
    """The content of a register in a call, if it is known."""
    if number not in call.registers or not (call.is_exact or number in KEPT_REGISTERS):
        raise NoValue("optimized out")
    return call.registers[number]


def signed_word(word):
    return word - (1 << 64) if word >> 63 else word


def number_in(argument):
    return int(argument.split()[-1], 0)


def memory_at(process, address, size):
    error = lldb.SBError()
    content = process.ReadMemory(address, size, error)
    if error.Fail():
        raise NoValue("cannot access memory at " + hex(address))
    return content


class Located:
    """Computes one location, or one piece of it."""

    def __init__(self, call, process, has_frame):
        self.call, self.process, self.has_frame = call, process, has_frame
        self.stack, self.is_value = [], False

    def run(self, operations):
        for name, argument in operations:
            self.one(name[6:], argument)
        return self.stack[-1] & WHOLE_WORD

    def one(self, name, argument):
        indexed = re.match(r"(reg|breg|lit)(\d+)$", name)
        if indexed:
            self.indexed(indexed.group(1), int(indexed.group(2)), argument)
        elif name in ("fbreg", "call_frame_cfa"):
            if self.call.frame is None or name == "fbreg" and not self.has_frame:
                raise NoValue("")
            self.stack.append(self.call.frame + (number_in(argument) if name == "fbreg" else 0))
        elif re.match(r"const\d?[su]$", name):
            self.stack.append(number_in(argument))
        elif name == "plus_uconst":
            self.stack.append(self.stack.pop() + number_in(argument))
        elif name in ("deref", "deref_size"):
            size = number_in(argument) if argument else 8
            self.stack.append(int.from_bytes(memory_at(self.process, self.stack.pop() & WHOLE_WORD, size), "little"))
        elif name == "stack_value":
            self.is_value = True
        elif name in ("entry_value", "GNU_entry_value"):
            raise NoValue("unknown: only the caller may know the value at entry")
        else:
            self.computed(name)

    def indexed(self, kind, number, argument):
        if kind == "lit":
            self.stack.append(number)
            return
        content = register_in(self.call, number)
        self.is_value = self.is_value or kind == "reg"
        self.stack.append(content + (int(re.search(r"[+-]\d+$", argument).group()) if kind == "breg" else 0))

    def computed(self, name):
        if name == "dup":
            self.stack.append(self.stack[-1])
        elif name in ("neg", "not"):
            top = self.stack.pop()
            self.stack.append(-top if name == "neg" else ~top)
        elif name in BINARY_OPERATIONS:
            right, left = self.stack.pop() & WHOLE_WORD, self.stack.pop() & WHOLE_WORD
            self.stack.append(BINARY_OPERATIONS[name](left, right))
        else:
            raise NoValue("")


def pieces_of(operations):
    """The pieces of a location: the operations and the size of each. A location without pieces is one of no size."""
    pieces, part = [], []
    for name, argument in operations:
        if name == "DW_OP_piece":
            pieces.append((part, number_in(argument)))
            part = []
        else:
            part.append((name, argument))
    return pieces or [(part, None)]


def place_or_bytes(operations, size, call, process, has_frame):
    """Where a variable is in memory, or its bytes: one of the two is None."""
    found = []
    for part, piece in pieces_of(operations):
        if not part:
            raise NoValue("partly optimized out")
        one = Located(call, process, has_frame)
        content = one.run(part)
        if piece is None and not one.is_value:
            return content, None
        width = size if piece is None else piece
        if one.is_value and width > 8:
            raise NoValue("")
        found.append((content & ((1 << (8 * width)) - 1)).to_bytes(width, "little") if one.is_value else memory_at(process, content, width))
    content = b"".join(found)
    if len(content) < size:
        raise NoValue("partly optimized out")
    return None, content[:size]


def blocks_around(block):
    """The blocks from the innermost one out, each with the number of the frame, counted from the innermost inlined one, that shows it."""
    found, at = [], 0
    while block.IsValid():
        found.append((at, block))
        at += 1 if block.IsInlined() else 0
        block = block.GetParent()
    return found


def located_variables(target, call, depth):
    """The variables that a frame of a call shows, each with its entry and location, None if it has none here."""
    answer = lldb.SBCommandReturnObject()
    target.GetDebugger().GetCommandInterpreter().HandleCommand("image lookup -v -a " + hex(call.place.GetLoadAddress(target)), answer)
    output = answer.GetOutput() or ""
    listed = {}
    for entry, name, location, place in LISTED_VARIABLE.findall(output):
        line = re.search(r":(\d+)(?::\d+)?$", place)
        listed.setdefault((name, int(line.group(1)) if line else 0), []).append((entry, location))
    context = target.ResolveSymbolContextForAddress(call.place, lldb.eSymbolContextEverything)
    shown = [
        (at == depth, variable)
        for at, block in blocks_around(context.GetBlock())
        for variable in block.GetVariables(target, True, True, False)
    ]
    key = lambda variable: (variable.GetName(), variable.GetDeclaration().GetLine())
    total = {}
    for _, variable in shown:
        total[key(variable)] = total.get(key(variable), 0) + 1
    found = []
    for own, variable in shown:
        entries = listed.get(key(variable), [])
        # Of two with one declaration, in functions that are inlined in each other, one may have no location.
        entry = entries.pop(0) if len(entries) == total[key(variable)] else ("", None if not entries else "")
        total[key(variable)] -= 1
        if own:
            found.append((variable, *entry))
    return found, LISTED_FUNCTION.search(output)


def has_usual_base(module, function):
    """True if the variables of a function are placed relative to the address of its frame (DW_OP_call_frame_cfa)."""
    try:
        entry = int(function.group(1), 16)
        return bytes(reader_of(module).unit_of(entry).entry(entry)[2].get(AT_FRAME_BASE) or b"") == b"\x9c"
    except Exception:
        return False


def cast_object(target, address, type):
    """An expression for the object of a type at an address; None if the type has no name that expressions know."""
    options = lldb.SBExpressionOptions()
    options.SetAllowJIT(False)
    text = "(*(%s*)%#x)" % (type.GetName(), address)
    value = target.EvaluateExpression(text, options)
    return text if value.GetError().Success() and value.GetType().GetName() == type.GetName() else None


def name_of_object(target, address, type):
    """A name that LLDB's expressions know for the object of a type at an address; None if there is none."""
    # In a core file LLDB 19 gives a named object an address of its own.
    if (target.GetProcess().GetPluginName() or "").endswith(("-core", "minidump")):
        return cast_object(target, address, type)
    key = (target.GetDebugger().GetID(), target.GetProcess().GetUniqueID(), address, type.GetName())
    if key not in NAMED_VALUES:
        value = target.CreateValueFromAddress("object", lldb.SBAddress(address, target), type)
        NAMED_VALUES[key] = value.Persist().GetName()
    return NAMED_VALUES[key]


def number_type(type):
    """True for a type of numbers that expressions can name."""
    return base_type(type).GetName() in ("bool", "char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned int", "long", "unsigned long", "long long", "unsigned long long")


def in_expressions(target, address, content, type):
    """How expressions name a value: an object in memory, what a pointer points to, or a number. Empty if they cannot."""
    if address is not None:
        return name_of_object(target, address, type) or ""
    number = int.from_bytes(content, "little")
    canonical = type.GetCanonicalType()
    if canonical.IsPointerType() and number != 0 and canonical.GetPointeeType().GetByteSize() > 0:
        name = name_of_object(target, number, type.GetCanonicalType().GetPointeeType())
        return "" if name is None else "(&%s)" % name
    if number_type(type):
        name = base_type(type).GetName()
        is_signed = not name.startswith("unsigned") and name != "bool"
        return "((%s)%d)" % (name, int.from_bytes(content, "little", signed=is_signed))
    return ""


def described_variable(target, call, variable, entry, location, has_frame):
    """What is known of a variable: its name in expressions, or its text, or why it has no value."""
    process, type = target.GetProcess(), variable.GetType()
    found = {
        "name": variable.GetName() or "",
        "type": type.GetDisplayTypeName() if hasattr(type, "GetDisplayTypeName") else type.GetName(),
        "entry": entry,
        "place": "%s:%d" % (variable.GetDeclaration().GetFileSpec().GetFilename(), variable.GetDeclaration().GetLine()),
        "argument": variable.GetValueType() == lldb.eValueTypeVariableArgument,
    }
    try:
        if location is None:
            raise NoValue("optimized out")
        operations = words_of(location)
        refers = type.IsReferenceType()
        # An array whose length is computed when the program runs has no size.
        if not operations or (type.IsArrayType() and type.GetByteSize() == 0):
            raise NoValue("")
        address, content = place_or_bytes(operations, 8 if refers else type.GetByteSize(), call, process, has_frame)
        if refers:
            address, content = int.from_bytes(content or memory_at(process, address, 8), "little"), None
            type = type.GetDereferencedType()
            found["target"] = hex(address)
        operand = in_expressions(target, address, content, type)
        if operand:
            found["operand"] = operand
        if content is not None and not operand.startswith("(&"):
            data = data_of(content, lldb.eByteOrderLittle, 8)
            found["text"] = text(target.CreateValueFromData(variable.GetName(), data, type), 1000)
    except NoValue as error:
        found["reason"] = str(error)
    except Exception:
        found["reason"] = ""
    return found


def call_and_depth(thread, calls, index):
    """The call of a frame by the frame's number in the stack, and the number of the frame in the call."""
    at = 0
    for number, call in enumerate(calls):
        after = frames_at(thread, at, call.pc)
        if after is None:
            for later in calls[number:]:
                count = len(shown_call(later, 0))
                if index < at + count:
                    return later, index - at
                at += count
            return None, 0
        if index < after:
            return call, index - at
        at = after
    return None, 0


def has_member(type, name):
    """True if a class or one of its bases has a member."""
    fields = [type.GetFieldAtIndex(index).GetName() for index in range(type.GetNumberOfFields())]
    bases = [type.GetDirectBaseClassAtIndex(index).GetType() for index in range(type.GetNumberOfDirectBaseClasses())]
    return name in fields or any(has_member(base.GetCanonicalType(), name) for base in bases)


def scoped_variable(target, call, name):
    """The only static variable of a name that code in a call sees: one of its function, of its file, or of all files. None if there are others."""
    context = target.ResolveSymbolContextForAddress(call.place, lldb.eSymbolContextEverything)
    for _, block in blocks_around(context.GetBlock()):
        for variable in block.GetVariables(target, True, True, True):
            if variable.GetName() == name:
                return variable if variable.GetValueType() == lldb.eValueTypeVariableStatic else None
            if variable.GetName() == "this" and has_member(variable.GetType().GetPointeeType().GetCanonicalType(), name):
                return None
    function = (context.GetFunction().GetName() or "").replace("(anonymous namespace)::", "")
    is_seen = lambda one: function.startswith(one.GetName().replace("(anonymous namespace)::", "")[: -len(name)].lstrip(":"))
    listed = [one for one in target.FindGlobalVariables(name, 64) if one.GetLoadAddress() != lldb.LLDB_INVALID_ADDRESS]
    found = {one.GetLoadAddress(): one for one in listed if is_seen(one)}
    file = context.GetCompileUnit().GetFileSpec()
    own = [one for one in found.values() if one.GetDeclaration().GetFileSpec() == file]
    return own[0] if len(own) == 1 else list(found.values())[0] if len(found) == 1 else None


def frame_global(debugger, command, context, result, _):
    """The command sigtrap-frame-global THREAD FRAME NAME: prints how expressions name a static variable that a frame sees; null if that is not known."""
    found = None
    try:
        number, index, name = command.split()
        target = context.GetTarget()
        thread = context.GetProcess().GetThreadByIndexID(int(number))
        calls, _ = calls_of(thread, int(index) + 1)
        call, _ = call_and_depth(thread, calls, int(index))
        variable = None if call is None else scoped_variable(target, call, name)
        if variable is not None:
            found = name_of_object(target, variable.GetLoadAddress(), variable.GetType())
    except Exception:
        pass
    result.AppendMessage(json.dumps(found))


def frame_variables(debugger, command, context, result, _):
    """The command sigtrap-frame-variables THREAD FRAME: prints the variables of a frame as JSON; null if they are unknown."""
    found = None
    try:
        number, index = (int(word) for word in command.split())
        target = context.GetTarget()
        thread = context.GetProcess().GetThreadByIndexID(number)
        calls, _ = calls_of(thread, index + 1)
        call, depth = call_and_depth(thread, calls, index)
        if call is not None:
            variables, function = located_variables(target, call, depth)
            has_frame = function is not None and has_usual_base(call.place.GetModule(), function)
            found = [described_variable(target, call, *one, has_frame) for one in variables]
    except Exception:
        pass
    result.AppendMessage(json.dumps(found))
`

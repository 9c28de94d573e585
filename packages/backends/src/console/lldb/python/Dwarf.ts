/**
 * Python for LLDB: reads entries of the debug information that LLDB 19 reads wrongly. It misses values that gcc writes into the
 * abbreviation instead of the entry (`DW_FORM_implicit_const`, DWARF 5), and offsets that gcc leaves out in unions.
 *
 * Only ELF files whose debug information is in one piece are read. Anything else counts as unknown.
 */

/** The source of the reader. It follows the summaries. */
export const dwarf = String.raw`FORM_SIZES = {
    0x01: 8, 0x05: 2, 0x06: 4, 0x07: 8, 0x0B: 1, 0x0C: 1, 0x0E: 4, 0x10: 4, 0x11: 1, 0x12: 2, 0x13: 4, 0x14: 8, 0x17: 4,
    0x19: 0, 0x1C: 4, 0x1D: 4, 0x1E: 16, 0x1F: 4, 0x20: 8, 0x24: 8, 0x25: 1, 0x26: 2, 0x27: 3, 0x28: 4, 0x29: 1, 0x2A: 2,
    0x2B: 3, 0x2C: 4, 0x1F20: 4, 0x1F21: 4,
}
"""The sizes of the forms in bytes (DWARF 5, section 7.5.6)."""
BLOCK_FORMS = {0x03: 2, 0x04: 4, 0x0A: 1}
"""The forms of blocks, and the sizes of their lengths."""
ULEB_FORMS = (0x0F, 0x15, 0x1A, 0x1B, 0x22, 0x23, 0x1F01, 0x1F02)
REFERENCE_FORMS = (0x11, 0x12, 0x13, 0x14, 0x15)
AT_NAME, AT_CONSTANT, AT_BOUND, AT_ORIGIN, AT_COUNT, AT_SPECIFICATION, AT_TYPE = 0x03, 0x1C, 0x2F, 0x31, 0x37, 0x47, 0x49
TAG_ARRAY, TAG_CLASS, TAG_MEMBER, TAG_STRUCTURE, TAG_TYPEDEF, TAG_UNION = 0x01, 0x02, 0x0D, 0x13, 0x16, 0x17
TAG_CONST, TAG_SUBRANGE, TAG_VOLATILE = 0x26, 0x21, 0x35
LARGEST = 8 << 20
"""The most bytes of a compile unit that are read."""
READERS = {}
KEPT = []
"""The bytes that LLDB before 15 does not copy."""


def data_of(content, order, address_size):
    """Bytes as data of LLDB. SetData does not copy them, so the value would be read from memory that Python has freed."""
    data = lldb.SBData()
    if hasattr(data, "SetDataWithOwnership"):
        data.SetDataWithOwnership(lldb.SBError(), content, order, address_size)
    else:
        KEPT.append(content)
        data.SetData(lldb.SBError(), content, order, address_size)
    return data


def section_bytes(module, name, offset, size):
    """A part of a section; None if it does not exist."""
    section = module.FindSection(name)
    if not section.IsValid():
        return None
    error = lldb.SBError()
    content = section.GetSectionData(offset, size).ReadRawData(error, 0, size)
    return None if error.Fail() else content


def section_size(module, name):
    """The size of a section, without compression; 0 if it does not exist."""
    section = module.FindSection(name)
    return section.GetSectionData().GetByteSize() if section.IsValid() else 0


def uleb(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def sleb(data, at):
    start = at
    value, at = uleb(data, at)
    bits = 7 * (at - start)
    return (value - (1 << bits) if value >> (bits - 1) else value), at


class Unit:
    """A compile unit: its bytes and the forms of its entries."""

    def __init__(self, module, start, size, header):
        self.module = module
        self.start = start
        self.data = section_bytes(module, ".debug_info", start, size)
        version = int.from_bytes(header[4:6], "little")
        if version >= 5:
            self.first = {2: 20, 4: 24, 5: 20, 6: 24}.get(header[6], 12)
            self.width = header[7]
            abbreviations = int.from_bytes(header[8:12], "little")
        else:
            self.first = 11
            self.width = header[10]
            abbreviations = int.from_bytes(header[6:10], "little")
        self.abbreviations = self.read_abbreviations(abbreviations)

    def read_abbreviations(self, offset):
        size = section_size(self.module, ".debug_abbrev") - offset
        data = section_bytes(self.module, ".debug_abbrev", offset, min(size, 1 << 20))
        found, at = {}, 0
        while at < len(data):
            code, at = uleb(data, at)
            if code == 0:
                break
            tag, at = uleb(data, at)
            has_children = data[at] == 1
            at += 1
            forms = []
            while True:
                name, at = uleb(data, at)
                form, at = uleb(data, at)
                constant = None
                if form == 0x21:
                    constant, at = sleb(data, at)
                if name == 0 and form == 0:
                    break
                forms.append((name, form, constant))
            found[code] = (tag, has_children, forms)
        return found

    def value(self, form, at):
        """The value of an attribute, and where the next one begins. Blocks are bytes; addresses and lists of locations None."""
        data = self.data
        if form == 0x16:
            form, at = uleb(data, at)
        if form == 0x01:
            return None, at + self.width
        if form == 0x08:
            end = data.index(0, at)
            return data[at:end].decode("utf-8", "replace"), end + 1
        if form == 0x0D:
            return sleb(data, at)
        if form == 0x22:
            return None, uleb(data, at)[1]
        if form in ULEB_FORMS:
            value, at = uleb(data, at)
            return (value + self.start if form == 0x15 else value), at
        if form in (0x09, 0x18):
            size, at = uleb(data, at)
            return data[at : at + size], at + size
        if form in BLOCK_FORMS:
            size = int.from_bytes(data[at : at + BLOCK_FORMS[form]], "little")
            at += BLOCK_FORMS[form]
            return data[at : at + size], at + size
        size = FORM_SIZES[form]
        if form == 0x17:
            return None, at + size
        value = int.from_bytes(data[at : at + size], "little")
        if form in REFERENCE_FORMS:
            value += self.start
        if form in (0x0E, 0x1F):
            value = text_at(self.module, ".debug_str" if form == 0x0E else ".debug_line_str", value)
        return value, at + size

    def entry(self, offset):
        """The tag of an entry, whether it has children, its attributes, and where the next entry begins; no tag at the end of children."""
        code, at = uleb(self.data, offset - self.start)
        if code == 0:
            return None, False, {}, at + self.start
        tag, has_children, forms = self.abbreviations[code]
        attributes = {}
        for name, form, constant in forms:
            if form == 0x21:
                attributes[name] = constant
            else:
                attributes[name], at = self.value(form, at)
        return tag, has_children, attributes, at + self.start

    def children(self, offset):
        """The children of an entry: offset, tag, attributes."""
        tag, has_children, _, at = self.entry(offset)
        depth = 1 if has_children else 0
        while depth > 0:
            here = at
            tag, has_children, attributes, at = self.entry(here)
            if tag is None:
                depth -= 1
                continue
            if depth == 1:
                yield here, tag, attributes
            depth += 1 if has_children else 0


def text_at(module, name, offset):
    content = section_bytes(module, name, offset, min(section_size(module, name) - offset, 256)) or b""
    return content.split(b"\0")[0].decode("utf-8", "replace")


class Reader:
    """The compile units of a module."""

    def __init__(self, module):
        self.module = module
        self.places = []
        self.units = {}
        at, end = 0, section_size(module, ".debug_info")
        while at < end:
            header = section_bytes(module, ".debug_info", at, 12)
            size = int.from_bytes(header[0:4], "little") + 4
            if size < 12 or size >= 0xFFFFFFF0:
                break
            self.places.append((at, size, header))
            at += size

    def unit_of(self, offset):
        for start, size, header in self.places:
            if start <= offset < start + size and size <= LARGEST:
                if start not in self.units:
                    self.units[start] = Unit(self.module, start, size, header)
                return self.units[start]
        raise KeyError("no such entry")


def reader_of(module):
    key = (module.GetFileSpec().fullpath, module.GetUUIDString())
    if key not in READERS:
        READERS[key] = Reader(module)
    return READERS[key]


def object_entry(unit, offset):
    """The entry of the class or union that an entry of a type names; None if it names another type."""
    for _ in range(8):
        tag, _, attributes, _ = unit.entry(offset)
        if tag in (TAG_CLASS, TAG_STRUCTURE, TAG_UNION):
            return offset
        if tag not in (TAG_TYPEDEF, TAG_CONST, TAG_VOLATILE) or AT_TYPE not in attributes:
            return None
        offset = attributes[AT_TYPE]
    return None


def entries_named(target, name):
    """The types that LLDB finds by a name: their module and entry. C has several of one name."""
    answer = lldb.SBCommandReturnObject()
    target.GetDebugger().GetCommandInterpreter().HandleCommand('image lookup -A -t "%s"' % name, answer)
    modules = {module.GetFileSpec().fullpath: module for module in target.module_iter()}
    module = None
    for line in (answer.GetOutput() or "").splitlines():
        heading = re.match(r"(?:Best match|\d+ match(?:es)?) found in (.*):$", line)
        entry = re.match(r"id = \{(0x[0-9a-f]+)\}", line)
        if heading:
            module = modules.get(heading.group(1))
        elif entry and module is not None:
            yield module, int(entry.group(1), 16)


def unnamed_entries(unit):
    """The entries of classes and unions without a name in a compile unit."""
    at = unit.start + unit.first
    while at < unit.start + len(unit.data):
        here = at
        tag, _, attributes, at = unit.entry(here)
        if tag in (TAG_CLASS, TAG_STRUCTURE, TAG_UNION) and AT_NAME not in attributes:
            yield here


def entry_of(target, type):
    """The compile unit and the entry of a class or union."""
    name = type.GetName() or ""
    if name and "(" not in name and '"' not in name:
        for module, offset in entries_named(target, name):
            unit = reader_of(module).unit_of(offset)
            found = object_entry(unit, offset)
            if found is not None and module.GetTypeByID(found) == type:
                return unit, found
    for module in target.module_iter():
        reader = reader_of(module)
        for start, _, _ in reader.places if len(reader.places) < 64 else []:
            unit = reader.unit_of(start)
            for offset in unnamed_entries(unit):
                if module.GetTypeByID(offset) == type:
                    return unit, offset
    raise KeyError("no entry")


def counts_of(target, type):
    """The numbers of elements of the arrays of a class or union, by the name of the member."""
    unit, offset = entry_of(target, type)
    found = {}
    for _, tag, attributes in unit.children(offset):
        if tag != TAG_MEMBER or AT_TYPE not in attributes:
            continue
        array = attributes[AT_TYPE]
        kind, _, own, _ = unit.entry(array)
        while kind in (TAG_TYPEDEF, TAG_CONST, TAG_VOLATILE) and AT_TYPE in own:
            array = own[AT_TYPE]
            kind, _, own, _ = unit.entry(array)
        if kind != TAG_ARRAY:
            continue
        for _, part, bounds in unit.children(array):
            if part != TAG_SUBRANGE:
                continue
            if isinstance(bounds.get(AT_COUNT), int):
                found[attributes.get(AT_NAME)] = bounds[AT_COUNT]
            elif isinstance(bounds.get(AT_BOUND), int):
                found[attributes.get(AT_NAME)] = bounds[AT_BOUND] + 1
            break
    return found


def constant_at(module, offset):
    """The number that a variable always has, by the variable's entry; None if it has none."""
    unit = reader_of(module).unit_of(offset)
    for _ in range(4):
        attributes = unit.entry(offset)[2]
        if AT_CONSTANT in attributes:
            return attributes[AT_CONSTANT]
        offset = attributes.get(AT_ORIGIN, attributes.get(AT_SPECIFICATION))
        if offset is None:
            return None
    return None


def answer_constant(debugger, command, context, result, _):
    """The command sigtrap-constant ENTRY NAME: prints the value of such a variable as JSON; {} if it is unknown."""
    found = {}
    try:
        entry, name = command.split()
        frame = context.GetFrame()
        number = constant_at(frame.GetModule(), int(entry, 16))
        variable = frame.FindVariable(name)
        type = variable.GetType()
        size = type.GetByteSize()
        content = (number & ((1 << (8 * size)) - 1)).to_bytes(size, "little")
        data = data_of(content, lldb.eByteOrderLittle, context.GetProcess().GetAddressByteSize())
        found = {"value": text(variable.CreateValueFromData(name, data, type), 1000), "type": type.GetName()}
    except Exception:
        pass
    result.AppendMessage(json.dumps(found))
`

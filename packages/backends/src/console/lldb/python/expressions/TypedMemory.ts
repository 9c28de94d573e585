/**
 * Python for LLDB: reads the value of a type at an address, `*(std::pair<int, int> *)0x4010`. LLDB's compiler knows neither most
 * templates nor arrays in such an expression, and LLDB does not find each type by the name that it prints.
 *
 * So the type of each value whose address is asked for, `&(pair)`, is kept until another value has that address.
 */

/** The source of the functions. It follows those that resolve paths, which call them. */
export const typedMemory = String.raw`TYPED = {}
"""Types with the names that LLDB prints, by the address of a value."""
MOST_TYPED = 1000
TYPED_MEMORY = re.compile(r"\s*\*\s*\((.+?)\s*\*\)\s*(0x[0-9a-fA-F]+)\s*$")
COMPILED_TYPE = re.compile(r"(const )?[A-Za-z_]\w*( [A-Za-z_]\w*)*( ?\*+)?$")


def value_at(frame, expression):
    """
    The value in memory that an expression names, without a reference to it, and True if LLDB itself takes the address of such a value.
    Raises Unknown for others.
    """
    is_plain = False
    try:
        found = resolve(frame, expression)
        value, in_bits = (None, True) if isinstance(found, dict) else (found[0], found[2])
    except Unknown:
        is_plain = True
        value, in_bits = frame.GetValueForVariablePath(expression.strip()), False
        if not value.IsValid() or value.GetError().Fail():
            value = evaluated_without_code(frame, expression)
    if value is None or not value.IsValid() or value.GetError().Fail() or in_bits:
        raise Unknown()
    # lldb-cli takes the address of the reference, and none of a pointer to a member.
    type = value.GetType().GetCanonicalType()
    is_plain = is_plain and not type.IsReferenceType() and type.GetTypeClass() != lldb.eTypeClassMemberPointer
    value = target(value)
    if value.GetLoadAddress() in (0, lldb.LLDB_INVALID_ADDRESS):
        raise Unknown()
    return value, is_plain


def note_type(value):
    """Keeps the type of a value for expressions with its address."""
    if len(TYPED) >= MOST_TYPED:
        TYPED.clear()
    type = value.GetType()
    TYPED[value.GetLoadAddress()] = ({type.GetName(), type.GetDisplayTypeName()}, type)


def type_named(target, name):
    """The type that LLDB prints by a name; an invalid one if it is not known."""
    name = name.strip()
    array = re.match(r"([^()]+?)((?:\[\d+\])+)$", name)
    if array:
        type = type_named(target, array.group(1))
        for count in reversed(re.findall(r"\d+", array.group(2))):
            type = type.GetArrayType(int(count))
        return type
    if re.search(r"\(\*+\)", name):
        # The target of a pointer to a function has no size.
        return target.GetBasicType(lldb.eBasicTypeVoid).GetPointerType()
    if name.endswith("*"):
        return type_named(target, name[:-1]).GetPointerType()
    return target.FindFirstType(re.sub(r"^(const|volatile) | (const|volatile)$", "", name))


def typed_memory(frame, expression):
    """The value of a type at an address. Raises Unknown for another expression, and for types that LLDB can compile or does not know."""
    found = TYPED_MEMORY.match(expression)
    if found is None or COMPILED_TYPE.match(found.group(1)):
        raise Unknown()
    name, address = found.group(1), int(found.group(2), 16)
    process = frame.GetThread().GetProcess()
    names, type = TYPED.get(address, (set(), None))
    if name not in names:
        type = type_named(process.GetTarget(), name)
    if not type.IsValid() or type.GetByteSize() == 0:
        raise Unknown()
    value = process.GetTarget().CreateValueFromAddress("value", lldb.SBAddress(address, process.GetTarget()), type)
    shown = text(value, 1000)
    if shown == "<unreadable>":
        raise Unknown()
    # The summary of a pointer to a function is its name.
    if shown.startswith("(") and value.GetType().IsPointerType():
        shown = "0x%x %s" % (value.GetValueAsUnsigned(), shown)
    return {"value": shown, "type": name}
`

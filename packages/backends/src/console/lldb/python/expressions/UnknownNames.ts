/**
 * Python for LLDB: the names in a condition or a message that mean nothing at the locations of a breakpoint. LLDB compiles conditions at
 * the first hit. Only C and C++ are judged, and a name that the program has anywhere is not reported.
 */

/** The source of the command. It follows the enumerators. */
export const unknownNames = String.raw`MOST_FIELDS = 2000


def fields_of(type, names):
    """Adds the names of the fields of a class, of its bases and of its unnamed unions."""
    count = type.GetNumberOfFields() + type.GetNumberOfDirectBaseClasses()
    if len(names) > MOST_FIELDS or count == 0:
        return
    for index in range(type.GetNumberOfDirectBaseClasses()):
        fields_of(type.GetDirectBaseClassAtIndex(index).GetType(), names)
    for index in range(type.GetNumberOfFields()):
        field = type.GetFieldAtIndex(index)
        if field.GetName():
            names.add(field.GetName())
        else:
            fields_of(field.GetType(), names)


def names_at(target, address):
    """The names of the variables of a function at an address and of the fields of its object. None if they are not known."""
    context = target.ResolveSymbolContextForAddress(address, lldb.eSymbolContextEverything)
    unit, block = context.GetCompileUnit(), context.GetBlock()
    language = lldb.SBLanguageRuntime.GetNameForLanguageType(unit.GetLanguage()) if unit.IsValid() else None
    if not block.IsValid() or not re.match(r"c(\+\+|\d|$)", language or ""):
        return None
    names = set()
    while block.IsValid():
        for variable in block.GetVariables(target, True, True, True):
            # The names that a lambda sees are those of the functions around it, too.
            if variable.GetName() == "__closure" or "(lambda" in (block.GetInlinedName() or context.GetFunction().GetName() or ""):
                return None
            names.add(variable.GetName())
            if variable.GetName() == "this":
                fields_of(variable.GetType().GetPointeeType(), names)
        block = block.GetParent()
    return names | set(enumerators_of(unit, context.GetModule()))


def has_name(target, name):
    """True if a variable, a function or a type of the program has the name."""
    if target.FindGlobalVariables(name, 1).GetSize() > 0 or target.FindFirstType(name).IsValid():
        return True
    return target.FindFunctions(name, lldb.eFunctionNameTypeAny).GetSize() > 0


def unknown_names(debugger, command, context, result, _):
    """The command sigtrap-unknown-names {breakpoints, names}: prints the names that mean nothing there, and those of variables."""
    target, asked = debugger.GetSelectedTarget(), json.loads(command)
    breakpoints = [target.FindBreakpointByID(number) for number in asked["breakpoints"]]
    scopes = [names_at(target, place.GetAddress()) for one in breakpoints if one.IsValid() for place in one]
    names, visible = asked["names"], set()
    if not scopes or None in scopes:
        names = []
    else:
        visible = set.union(*scopes)
    unknown = [name for name in names if name not in visible and not has_name(target, name)]
    known = sorted(name for name in visible if name) if unknown else []
    result.AppendMessage(json.dumps({"unknown": unknown, "known": known[:MOST_FIELDS]}))
`

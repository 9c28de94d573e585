/**
 * Python for LLDB: enumerators of C and C++ in expressions. LLDB compiles only those that a variable's type or the class of the frame
 * leads to. Others are written as their number, with the type.
 */

/** The source of the functions. It precedes the commands about compilation. */
export const enumerators = String.raw`ENUMERATORS = {}
"""The enumerators of a compile unit: the type, or None without a name, its scope, and the number. None for a name of two types."""
WORD = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|(?<![\w.$:])(?<!->)((?:[A-Za-z_]\w*::)*)([A-Za-z_]\w*)(?!\s*(?:\(|::|\w|\"|'))")


def enumerators_of(unit, module):
    key = (module.GetUUIDString() or str(module.GetFileSpec()), str(unit.GetFileSpec()))
    if key not in ENUMERATORS:
        known = {}
        language = lldb.SBLanguageRuntime.GetNameForLanguageType(unit.GetLanguage()) or ""
        types = unit.GetTypes(lldb.eTypeClassEnumeration) if re.match(r"(objective-)?c(\+\+|\d|$)", language) else []
        for index in range(len(types)):
            type = types.GetTypeAtIndex(index)
            if type.IsScopedEnumerationType():
                continue
            name = type.GetName() or ""
            for member in type.GetEnumMembers():
                one = (None if "(" in name else name, name.rpartition("::")[0], member.GetValueAsSigned())
                known[member.GetName()] = one if known.get(member.GetName(), one) == one else None
        ENUMERATORS[key] = known
    return ENUMERATORS[key]


def with_enumerators(expression, unit, module, is_variable):
    """The expression with its enumerators as numbers; the expression itself if it has none."""

    def number_of(found):
        scope, name = found.groups()
        known = enumerators_of(unit, module).get(name) if name else None
        if known is None or (scope and scope != known[1] + "::") or (not scope and is_variable(name)):
            return found.group(0)
        return "(%d)" % known[2] if known[0] is None else "((%s)%d)" % (known[0], known[2])

    return WORD.sub(number_of, expression)


def compilable(frame, expression):
    """An expression that means the same and that LLDB can compile; the expression itself if it needs no change."""

    def is_variable(name):
        return frame.FindVariable(name).IsValid()

    assignment = ASSIGNMENT.match(expression)
    variable = found_by(frame, assignment.group(1)) if assignment else None
    changed = with_enumerators(expression, frame.GetCompileUnit(), frame.GetModule(), is_variable)
    type = None if variable is None else variable.GetType().GetUnqualifiedType()
    if type is None or type.GetCanonicalType().GetTypeClass() != lldb.eTypeClassEnumeration or "(" in type.GetName():
        return changed
    # C converts a number to the type of the variable. LLDB does not.
    return "%s = (%s)(%s)" % (assignment.group(1), type.GetName(), ASSIGNMENT.match(changed).group(2))
`

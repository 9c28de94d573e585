/**
 * Python for LLDB: enumerators of C and C++ in expressions. LLDB compiles only those that a variable's type or the class of the frame
 * leads to. Others are written as their number, with the type. Names are looked up as C and C++ do, as a variable can have the name.
 */

/** The source of the functions. It precedes the commands about compilation. */
export const enumerators = String.raw`ENUMERATORS = {}
"""The enumerators of a compile unit, by name and scope: the type, or None without a name, and the number. None if two differ."""
WORD = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|(?<![\w.$:])((?:::)?(?:[A-Za-z_]\w*::)*)([A-Za-z_]\w*)(?!\s*(?:\(|::|\w|\"|'))")
MEMBER = re.compile(r"(?:\.|->)\s*$")


def plain_name(name):
    """A qualified name without arguments of templates and without anonymous namespaces."""
    name, before = (name or "").replace("(anonymous namespace)::", ""), None
    while name != before:
        name, before = re.sub(r"<[^<>]*>", "", name), name
    return name


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
            scope = plain_name(name).rpartition("::")[0]
            for member in type.GetEnumMembers():
                scopes = known.setdefault(member.GetName(), {})
                one = (None if "(" in name else name, member.GetValueAsSigned())
                scopes[scope] = one if scopes.get(scope, one) == one else None
        ENUMERATORS[key] = known
    return ENUMERATORS[key]


def class_scopes(type):
    """The names of a class and of its bases."""
    bases = [type.GetDirectBaseClassAtIndex(index).GetType() for index in range(type.GetNumberOfDirectBaseClasses())]
    return [plain_name(type.GetName())] + [name for base in bases for name in class_scopes(base)]


def scopes_of(frame):
    """The scopes in which the function of a frame looks up a name, from the inside. The last one is the global scope."""
    name = plain_name(frame.GetFunctionName()).partition("(")[0].rpartition(" ")[2]
    parts = name.split("::")[:-1]
    this = frame.FindVariable("this")
    classes = class_scopes(this.GetType().GetPointeeType()) if this.IsValid() else []
    return classes + ["::".join(parts[:count]) for count in range(len(parts), -1, -1)]


class Scopes:
    """Looks up names as the function of a frame does."""

    def __init__(self, frame):
        self.frame, self.target = frame, frame.GetThread().GetProcess().GetTarget()

    def is_nearer(self, name):
        """True for a variable of the function and for a member of its object."""
        if self.frame.FindVariable(name).IsValid():
            return True
        member = self.frame.GetValueForVariablePath("this->" + name)
        return member.IsValid() and member.GetError().Success()

    def variables(self, name):
        """The scopes of the global variables of this name that the compile unit can see."""
        found = self.target.FindGlobalVariables(name, 100)
        own = self.frame.GetValueForVariablePath(name)
        own = plain_name(own.GetName()) if own.IsValid() and own.GetError().Success() else None
        names = [(plain_name(one.GetName()), one.GetValueType()) for one in found]
        return [one.rpartition("::")[0] for one, type in names if type != lldb.eValueTypeVariableStatic or one == own]

    def enumerator(self, scope, name, known):
        """The enumerator that a name means. None if it means none."""
        if scope:
            outer = [""] if scope.startswith("::") else scopes_of(self.frame)
            tried = ["::".join(filter(None, [one, scope.strip(":")])) for one in outer]
        elif self.is_nearer(name):
            return None
        else:
            tried = scopes_of(self.frame)
        variables = self.variables(name)
        for one in tried:
            if one in known and one in variables:
                raise KeyError("%s is an enumerator and a variable of the program. Write the number of the enumerator" % name)
            if one in known or one in variables:
                return known.get(one)
        # A using-directive can make it visible.
        return next(iter(known.values())) if not scope and len(known) == 1 and not variables else None


def with_enumerators(expression, unit, module, enumerator):
    """The expression with its enumerators as numbers; the expression itself if it has none."""

    def number_of(found):
        scope, name = found.groups()
        known = enumerators_of(unit, module).get(name) if name else None
        if known is None or MEMBER.search(expression[: found.start()]):
            return found.group(0)
        one = enumerator(scope, name, known)
        if one is None:
            return found.group(0)
        return "(%d)" % one[1] if one[0] is None else "((%s)%d)" % one

    return WORD.sub(number_of, expression)


def compilable(frame, expression):
    """An expression that means the same and that LLDB can compile; the expression itself if it needs no change."""
    assignment = ASSIGNMENT.match(expression)
    variable = found_by(frame, assignment.group(1)) if assignment else None
    changed = with_enumerators(expression, frame.GetCompileUnit(), frame.GetModule(), Scopes(frame).enumerator)
    type = None if variable is None else variable.GetType().GetUnqualifiedType()
    if type is None or type.GetCanonicalType().GetTypeClass() != lldb.eTypeClassEnumeration or "(" in type.GetName():
        return changed
    # C converts a number to the type of the variable. LLDB does not.
    return "%s = (%s)(%s)" % (assignment.group(1), type.GetName(), ASSIGNMENT.match(changed).group(2))
`

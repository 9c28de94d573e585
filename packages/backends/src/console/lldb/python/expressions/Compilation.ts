/**
 * Python for LLDB: expressions that LLDB cannot compile. It ends with a signal if a class in the expression derives from itself.
 *
 * gcc leaves arguments out that select a partial specialization, so that in libstdc++ 12 `std::optional<std::string>` contains such a
 * class: `_Optional_payload<T, true, false, false>` and its derived class have one name in the debug information. In a member function every
 * expression names the class of `this`.
 */

/** The source of the commands. It follows the command that reads elements. */
export const compilation = String.raw`AMBIGUOUS = {}
"""The class that derives from itself in a type, or None, by the name of the type."""
NAME = re.compile(r"(?<![\w.$])(?<!->)([A-Za-z_]\w*)((?:\s*(?:\.|->)\s*[A-Za-z_]\w*|\s*\[\s*\d+\s*\])*)(\s*\()?")
PATH = r"([A-Za-z_]\w*(?:(?:\.|->)[A-Za-z_]\w*|\[\d+\])*)"
ASSIGNMENT = re.compile(r"\s*%s\s*=(?!=)(.+)$" % PATH)
CAST = re.compile(r"\(\s*(?:(?:unsigned|signed|long|short|int|char|void|float|double)\b[\s*]*)+\)$")
LITERAL = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'")


def ambiguous(type):
    """The name of a class in a type, or in what it points to, that derives from itself; None if there is none."""
    type = type.GetCanonicalType().GetUnqualifiedType()
    while type.IsPointerType() or type.IsReferenceType() or is_array(type):
        inner = type.GetArrayElementType() if is_array(type) else type.GetPointeeType()
        type = (inner if inner.IsValid() else type.GetDereferencedType()).GetCanonicalType().GetUnqualifiedType()
    name = type.GetName() or ""
    if not is_class(type):
        return None
    if name not in AMBIGUOUS:
        AMBIGUOUS[name] = None
        AMBIGUOUS[name] = ambiguous_inside(type, name)
    return AMBIGUOUS[name]


def ambiguous_inside(type, name):
    for index in range(type.GetNumberOfDirectBaseClasses()):
        base = type.GetDirectBaseClassAtIndex(index).GetType()
        if base.GetCanonicalType().GetName() == name:
            return name
        found = ambiguous(base)
        if found:
            return found
    for index in range(type.GetNumberOfFields()):
        field = type.GetFieldAtIndex(index).GetType().GetCanonicalType()
        # A member that is a pointer needs no layout of what it points to.
        found = None if field.IsPointerType() or field.IsReferenceType() else ambiguous(field)
        if found:
            return found
    return None


def culprit(expression, find):
    """A variable of an expression whose type LLDB cannot compile, and the class; None if there is none."""
    names = {found.group(1) for found in NAME.finditer(LITERAL.sub("0", expression))}
    for name in ["this"] + sorted(names):
        variable = find(name)
        found = ambiguous(variable.GetType()) if variable is not None and variable.IsValid() else None
        if found:
            return name, found
    return None


def refusal(name, found):
    short = re.sub(r"<.*", "<…>", found)
    where = "in this member function" if name == "this" else "with " + name
    return "LLDB would crash: it cannot compile an expression %s, because gcc describes %s as its own base class" % (where, short)


def constant_text(value):
    """A scalar as a constant of C."""
    type = value.GetType().GetCanonicalType().GetUnqualifiedType()
    if value.GetNumChildren() > 0 and not type.IsPointerType():
        raise Unknown()
    if type.IsPointerType():
        return "((void *)%dul)" % number(value)
    kind = type.GetBasicType()
    if kind in (lldb.eBasicTypeFloat, lldb.eBasicTypeDouble):
        return "((%s)%r)" % (type.GetName(), float(value.GetValue()))
    if type.GetTypeClass() == lldb.eTypeClassEnumeration or kind == lldb.eBasicTypeInvalid or type.GetByteSize() > 8:
        raise Unknown()
    if kind == lldb.eBasicTypeBool:
        return str(number(value))
    if type.GetTypeFlags() & lldb.eTypeIsSigned:
        return "((%s)%dll)" % (type.GetName(), value.GetValueAsSigned())
    return "((%s)%dull)" % (type.GetName(), number(value))


def replaced(frame, found):
    """The constant that a path means in a frame; other words as they are."""
    name, steps, call = found.groups()
    if call:
        raise Unknown()
    value = found_by(frame, name + steps)
    # LLDB would compile the class of the variable.
    if value is None and (frame.FindVariable(name).IsValid() or found_by(frame, name) is not None):
        raise Unknown()
    return found.group(0) if value is None else constant_text(value)


def found_by(frame, path):
    """The variable or member that a path names, also a member of the object of a member function; None if there is none."""
    for one in (path, "this->" + path):
        value = frame.GetValueForVariablePath(re.sub(r"\s", "", one))
        if value.IsValid() and value.GetError().Success():
            return value
    return None


def measured(frame, expression):
    """The expression with its addresses and sizes as constants."""

    def address(found):
        before = expression[: found.start()].rstrip()
        is_operator = before != "" and re.search(r"[\w)\]]$", before) and not CAST.search(before)
        value = None if is_operator else found_by(frame, found.group(1) or found.group(2))
        return found.group(0) if value is None or not in_memory(value) else "((void *)%dul)" % value.GetLoadAddress()

    def size(found):
        value = found_by(frame, found.group(1))
        return found.group(0) if value is None else "%dul" % value.GetByteSize()

    expression = re.sub(r"(?<!&)&(?!&)\s*(?:\(\s*%s\s*\)|%s)" % (PATH, PATH), address, expression)
    return re.sub(r"\bsizeof\s*\(\s*%s\s*\)" % PATH, size, expression)


def computed(frame, expression):
    """The value of an expression whose variables are constants at this stop."""
    if LITERAL.search(expression):
        raise Unknown()
    expression = measured(frame, expression)
    options = lldb.SBExpressionOptions()
    # Other languages compile the class of a member function.
    options.SetLanguage(lldb.eLanguageTypeObjC)
    options.SetAllowJIT(False)
    options.SetTrapExceptions(False)
    options.SetAutoApplyFixIts(False)
    value = frame.EvaluateExpression(NAME.sub(lambda found: replaced(frame, found), expression), options)
    if value.GetError().Fail():
        undeclared = re.search(r"use of undeclared identifier '\w+'", value.GetError().GetCString() or "")
        if undeclared:
            raise KeyError(undeclared.group(0))
        raise Unknown()
    return {"value": text(value, 1000), "type": value.GetType().GetName()}


def assigned(frame, path, expression):
    """Assigns the value of an expression to a scalar."""
    variable = found_by(frame, path)
    if variable is None:
        raise Unknown()
    error = lldb.SBError()
    if not variable.SetValueFromCString(computed(frame, expression)["value"], error):
        raise KeyError(error.GetCString() or "the value cannot be assigned")
    return {"value": text(variable, 1000), "type": variable.GetType().GetName()}


def answer_compile(debugger, command, context, result, _):
    """
    The command sigtrap-compile EXPRESSION: prints {} as JSON if LLDB can compile it, else another expression, its value or the problem.
    The other expression is one of the frame that is "callers" frames further out.
    """
    answer = {}
    try:
        frame = context.GetFrame()
        found = culprit(command, frame.FindVariable)
        if found is not None:
            answer = {"problem": refusal(*found)}
            assignment = ASSIGNMENT.match(command)
            answer = assigned(frame, *assignment.groups()) if assignment else computed(frame, command)
        else:
            expression = compilable(frame, with_elements(frame, with_text(frame, command)))
            moved = outside_closure(frame, expression)
            if moved is not None:
                answer = {"expression": moved[0], "callers": moved[2]}
            elif expression != command:
                answer = {"expression": expression}
    except KeyError as error:
        answer = {"problem": error.args[0]}
    except Exception:
        pass
    result.AppendMessage(json.dumps(answer))


def answer_compile_at(debugger, command, context, result, _):
    """The command sigtrap-compile-at ADDRESS CONDITION: prints the problem that LLDB has with a condition there, as JSON."""
    answer = {}
    try:
        place, expression = command.split(" ", 1)
        target = debugger.GetSelectedTarget()
        address = target.ResolveLoadAddress(int(place, 16))
        if not address.GetModule().IsValid():
            address = target.ResolveFileAddress(int(place, 16))
        variables = {}
        block = address.GetBlock()
        while block.IsValid():
            for variable in block.GetVariables(target, True, True, False):
                variables.setdefault(variable.GetName(), variable)
            block = block.GetParent()
        found = culprit(expression, variables.get)
        find = type_finder(target, variables)

        def mentioned(scope, name, known):
            return None if name in variables else (None, 0)

        if found is not None:
            answer = {"problem": refusal(*found)}
        elif "__closure" in variables:
            answer = {"problem": "LLDB compiles no condition in a lambda of gcc"}
        elif with_enumerators(expression, address.GetCompileUnit(), address.GetModule(), mentioned) != expression:
            answer = {"problem": "LLDB does not know the enumerators"}
        elif concerns_elements(expression, find):
            answer = {"problem": "LLDB calls operators of the program"}
    except Exception:
        pass
    result.AppendMessage(json.dumps(answer))
`

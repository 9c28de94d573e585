/**
 * Python for LLDB: elements of containers of C++ inside of expressions and of conditions. LLDB would call operators, which the program may
 * not contain, and which may change it, as that of a map does. The place of the element is written instead.
 */

/** The source of the functions. It follows the command that reads elements. */
export const elements = String.raw`import codecs

QUOTED = r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'"
ARGUMENT = r"\(\s*(?:-?\d+|%s|[A-Za-z_]\w*)?\s*\)" % QUOTED
PATH_STEP = r"(?:\s*(?:\.|->)\s*[A-Za-z_]\w*(?:\s*%s)?|\[(?:%s|[^\[\]\"'])*\])" % (ARGUMENT, QUOTED)
PATH_START = r"(?:\(\s*\*\s*[A-Za-z_]\w*\s*\)|(?:::)?(?:[A-Za-z_]\w*::)*[A-Za-z_]\w*)"
ELEMENT = re.compile(r"%s|(?<![\w.$:])(?<!->)(%s%s+)(?![\w.(\[]|\s*->|::)" % (QUOTED, PATH_START, PATH_STEP))
"""A literal, or a path with members, indexes and calls."""
EQUALITY = re.compile(r"(?<![\w.$:])(?<!->)(%s%s*)\s*(==|!=)\s*(\"(?:[^\"\\]|\\.)*\")" % (PATH_START, PATH_STEP))
"""The comparison of a path with a text."""
PART = re.compile(r"\s*(\.|->)\s*([A-Za-z_]\w*)(\s*\()?|\[")
ASSIGNED = re.compile(r"\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)|\s*(?:\+\+|--)")
OF_LIBRARY = re.compile(
    r"^(vector|valarray|list|forward_list|deque|array|span|queue|stack|(unordered_)?(multi)?(map|set)|basic_string(_view)?|optional|unique_ptr"
    r"|shared_ptr|reverse_iterator|__map_(const_)?iterator|(_Rb_tree|_List|_Node)_(const_)?iterator|_Deque_iterator|__wrap_iter)$"
)
READING_CALLS = re.compile(r"^(size|length|empty|front|back|at|count|contains|has_value|value)$")


def literal_bytes(literal):
    """The bytes of a quoted text of C up to its first zero, as an operator of std::string reads it."""
    return codecs.escape_decode(literal[1:-1].encode())[0].split(b"\0")[0]


def is_text(value, literal):
    """True if a string or a view has the characters of a quoted text."""
    short = kind(value)
    if short not in ("basic_string", "basic_string_view"):
        raise Unknown()
    parts = view_parts(value) if short == "basic_string_view" else string_parts(value)
    expected = literal_bytes(literal)
    if parts is None:
        summary, written = value.GetSummary() or "", quoted(expected, value.GetTarget().GetBasicType(lldb.eBasicTypeChar))
        if not re.match(r'"[^\\]*"$', summary) or "\\" in written:
            raise Unknown()
        return summary == written
    address, count, type = parts
    if type.GetByteSize() != 1:
        raise Unknown()
    if count != len(expected):
        return False
    error = lldb.SBError()
    content = b"" if count == 0 else value.GetProcess().ReadMemory(address, count, error)
    if count > 0 and error.Fail():
        raise KeyError("the string cannot be read")
    return content == expected


def text_of_element(frame, path, is_assigned):
    """An expression for what a path with elements means. Raises Unknown for other paths."""
    found = resolve(frame, path)
    if isinstance(found, dict):
        return "((%s)%s)" % (found["type"], found["value"])
    value, _, in_bits = found
    type = value.GetType().GetCanonicalType()
    if type.IsReferenceType():
        value = value.Dereference()
        type = value.GetType().GetCanonicalType()
    if is_class(type) or is_array(type):
        raise Unknown()
    if in_bits or value.GetLoadAddress() == lldb.LLDB_INVALID_ADDRESS or "(" in type.GetName():
        if is_assigned:
            raise Unknown()
        return constant_text(value)
    return "(*(%s *)0x%x)" % (type.GetName(), value.GetLoadAddress())


def replaced_elements(frame, expression):
    def compared(found):
        path, operator, literal = found.groups()
        try:
            found_value = variable_at(frame, path)
            return "true" if is_text(target(found_value), literal) == (operator == "==") else "false"
        except Unknown:
            return found.group(0)

    def element(found):
        if found.group(1) is None:
            return found.group(0)
        is_assigned = ASSIGNED.match(expression[found.end() :]) is not None
        try:
            return text_of_element(frame, found.group(1), is_assigned)
        except Unknown:
            return found.group(0)
        except KeyError:
            # The operator of the program may add an element.
            if is_assigned:
                return found.group(0)
            raise

    expression = EQUALITY.sub(compared, expression)
    for _ in range(3):
        before, expression = expression, ELEMENT.sub(element, expression)
        if before == expression:
            break
    return expression


def element_value(frame, expression):
    """The value of a path, where an index of a container is that of C++. Not valid for other expressions."""
    try:
        found = resolve(frame, expression)
    except Unknown:
        return frame.GetValueForVariablePath(expression)
    return lldb.SBValue() if isinstance(found, dict) else found[0]


def variable_at(frame, path):
    """The value of a variable, a member or an element. Raises Unknown for others."""
    try:
        found = resolve(frame, path)
    except Unknown:
        value = found_by(frame, path)
        found = None if value is None else (value, path)
    if found is None or isinstance(found, dict):
        raise Unknown()
    return found[0]


def divided(expression, operator):
    """The parts of an expression between operators outside of parentheses, brackets and literals."""
    depth, start, parts, place = 0, 0, [], 0
    while place < len(expression):
        literal = re.compile(QUOTED).match(expression, place)
        if literal:
            place = literal.end()
            continue
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(expression[place], 0)
        if depth == 0 and expression.startswith(operator, place):
            parts.append(expression[start:place])
            place += len(operator)
            start = place
            continue
        place += 1
    return parts + [expression[start:]]


def is_enclosed(expression):
    """True if one pair of parentheses is around the whole expression."""
    depth = 0
    for place, letter in enumerate(expression):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if depth == 0:
            return letter == ")" and place == len(expression) - 1
    return False


def with_elements(frame, expression):
    """
    The expression with addresses in place of elements, and with constants in place of what reads a container. An element that the operators
    && and || do not reach may be missing.
    """
    try:
        return replaced_elements(frame, expression)
    except KeyError:
        inner = expression.strip()
        if is_enclosed(LITERAL.sub("0", inner)):
            return "(%s)" % with_elements(frame, inner[1:-1])
        if not re.search(r"[?]|(?<![=!<>])=(?!=)", LITERAL.sub("0", inner)):
            for operator, decides in (("||", True), ("&&", False)):
                parts = divided(inner, operator)
                if len(parts) > 1:
                    return operator.join(needed_parts(frame, parts, decides))
        raise


def needed_parts(frame, parts, decides):
    needed = []
    for part in parts:
        needed.append("(%s)" % with_elements(frame, part))
        value = evaluated_without_code(frame, needed[-1])
        if value.GetError().Fail():
            raise KeyError(value.GetError().GetCString() or part)
        if (value.GetValueAsUnsigned() != 0) is decides:
            break
    return needed


def field_of(type, name):
    """The type of a member of a class, of its bases and of its unnamed members; None if there is none."""
    for index in range(type.GetNumberOfFields()):
        field = type.GetFieldAtIndex(index)
        if field.GetName() == name:
            return field.GetType()
        found = None if field.GetName() else field_of(base_type(field.GetType()), name)
        if found is not None:
            return found
    for index in range(type.GetNumberOfDirectBaseClasses()):
        found = field_of(base_type(type.GetDirectBaseClassAtIndex(index).GetType()), name)
        if found is not None:
            return found
    return None


def is_of_library(type):
    name = type.GetName() or ""
    return OF_LIBRARY.match(short_name(name)) is not None or re.match(r"__gnu_cxx::__normal_iterator<", name) is not None


def end_of_path(path, find):
    """
    The type of what a path means, or True if it reads what a class of the library holds; None if it is not known. The types of variables
    decide: "find" returns that of a name or None.
    """
    start = re.match(r"\s*(\(\s*\*\s*)?([\w:]+)(\s*\))?", path)
    type = find(start.group(2))
    if type is None:
        return None
    type = base_type(type)
    if start.group(1):
        if not type.IsPointerType():
            return is_of_library(type) or None
        type = base_type(type.GetPointeeType())
    place = start.end()
    while path[place:].strip():
        step = PART.match(path, place)
        if step is None:
            return None
        operator, name, call = step.groups()
        if operator == "->" and type.IsPointerType():
            type = base_type(type.GetPointeeType())
        elif operator == "->":
            return is_of_library(type) or None
        if call:
            return (is_of_library(type) and READING_CALLS.match(name) is not None) or None
        if name:
            type, place = field_of(type, name), step.end()
        elif type.IsPointerType() or is_array(type):
            type, place = type.GetPointeeType() if type.IsPointerType() else type.GetArrayElementType(), path.index("]", place) + 1
        else:
            return is_of_library(type) or None
        if type is None:
            return None
        type = base_type(type)
    return type


def concerns_elements(expression, find):
    """True if an expression reads what a container, a string or a smart pointer of the library holds."""
    if any(found.group(1) and end_of_path(found.group(1), find) is True for found in ELEMENT.finditer(expression)):
        return True
    compared = [end_of_path(found.group(1), find) for found in EQUALITY.finditer(expression)]
    return any(type is True or type is not None and STRINGS.match(short_name(type.GetName() or "")) for type in compared)


def type_finder(target, variables):
    """Returns the type of a name at a place: of a variable there, of a member of its object, or of a global variable."""

    def find(name):
        if name in variables:
            return variables[name].GetType()
        this = variables.get("this")
        found = None if this is None else field_of(base_type(this.GetType().GetPointeeType()), name)
        if found is None:
            others = target.FindGlobalVariables(name.lstrip(":"), 1)
            found = others.GetValueAtIndex(0).GetType() if others.GetSize() > 0 else None
        return found

    return find
`

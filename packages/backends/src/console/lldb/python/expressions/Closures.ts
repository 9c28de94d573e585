/**
 * Python for LLDB: expressions in a lambda that gcc compiled. LLDB does not find the function of such a frame, so that it compiles no
 * expression there: `use of undeclared identifier '$__lldb_local_vars'`. gcc gives a lambda the argument `__closure`, and a variable for
 * each name that it captures. The variables are written as their addresses, and the expression is evaluated in a calling frame.
 */

/** The source of the functions. It follows the enumerators. */
export const closures = String.raw`CLOSURE_TYPES = {}
"""LLDB's name of a value that has the type of a variable, by the function, the name and the type."""
CLOSURE_WORD = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|(?<![\w.$:])([A-Za-z_]\w*)(?!\s*(?:::|\"|'))")
MOST_CALLERS = 32
LARGEST_COPY = 65536


def is_closure(frame):
    return frame.FindVariable("__closure").IsValid()


def caller_of_closure(frame, others):
    """
    The nearest calling frame outside member functions and lambdas, and its distance; None if it is not found. Names that the lambda does
    not know must not be variables of that frame.
    """
    thread, own = frame.GetThread(), frame.GetFrameID()
    for distance in range(1, MOST_CALLERS):
        other = thread.GetFrameAtIndex(own + distance)
        if not other.IsValid():
            return None
        if not is_closure(other) and not any(other.FindVariable(name).IsValid() for name in ["this", *others]):
            return other, distance
    return None


def as_address(frame, name, variable):
    """An expression for a variable that needs no name of the frame."""
    variable = variable.GetNonSyntheticValue().GetStaticValue()
    if variable.GetType().IsReferenceType():
        variable = variable.Dereference()
    type = variable.GetType().GetName()
    key = (str(frame.GetFunction().GetStartAddress()), name, type)
    if key not in CLOSURE_TYPES or not in_memory(variable):
        if variable.GetByteSize() > LARGEST_COPY:
            return "(*(%s *)0x%x)" % (type, variable.GetLoadAddress())
        CLOSURE_TYPES[key] = variable.Persist().GetName()
    known = CLOSURE_TYPES[key]
    return "(*(__typeof__(%s) *)0x%x)" % (known, variable.GetLoadAddress()) if in_memory(variable) else known


def outside_closure(frame, expression):
    """The expression for a calling frame, that frame and its distance; None for another frame, or without such a caller."""
    if not is_closure(frame):
        return None
    others = set()

    def addressed(found):
        name = found.group(1)
        if name is None or MEMBER.search(expression[: found.start()]):
            return found.group(0)
        variable = frame.FindVariable(name)
        if not variable.IsValid():
            variable = frame.GetValueForVariablePath("this->" + name)
        if variable.IsValid() and variable.GetError().Success():
            return as_address(frame, name, variable)
        others.add(name)
        return name

    moved = CLOSURE_WORD.sub(addressed, expression)
    caller = caller_of_closure(frame, others)
    return None if caller is None else (moved, *caller)


def evaluated(frame, expression, options=None):
    """Evaluates an expression in a frame, as it is written: LLDB would put a semicolon into 'a b' and answer with 'b'."""
    expression, options = compilable(frame, with_elements(frame, expression)), options or lldb.SBExpressionOptions()
    options.SetAutoApplyFixIts(False)
    moved = outside_closure(frame, expression)
    if moved is None:
        return frame.EvaluateExpression(expression, options)
    expression, caller, _ = moved
    return caller.EvaluateExpression(expression, options)
`

/**
 * Tells whether an expression of Python runs code of the program, under debugpy: a property, an operator of a class, `__getattr__` or
 * `__bool__`. debugpy evaluates whatever it is given, so the expression is computed before by a function in the program that uses
 * only values of builtin types, looks members up in dictionaries, and calls no function of the program.
 */

/**
 * The function `problem`. Its answer begins with `!` if the expression runs code, or may, and with `?` if it fails. Names are those of
 * the frame in which the debugger evaluates the call.
 */
const source = String.raw`
import operator, sys, types
class Runs(Exception):
    pass
missing = object()
scalars = {int, float, complex, str, bytes, bool, type(None), type(Ellipsis)}
containers = {list, tuple, set, frozenset, dict}
functions = {types.FunctionType, types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType}
members = {types.MemberDescriptorType, types.GetSetDescriptorType, getattr(sys.modules.get('_collections'), '_tuplegetter', None)}
binary = {'Add': operator.add, 'Sub': operator.sub, 'Mult': operator.mul, 'Div': operator.truediv, 'FloorDiv': operator.floordiv,
    'Mod': operator.mod, 'Pow': operator.pow, 'LShift': operator.lshift, 'RShift': operator.rshift, 'BitOr': operator.or_,
    'BitXor': operator.xor, 'BitAnd': operator.and_}
unary = {'UAdd': operator.pos, 'USub': operator.neg, 'Invert': operator.invert}
compared = {'Eq': operator.eq, 'NotEq': operator.ne, 'Lt': operator.lt, 'LtE': operator.le, 'Gt': operator.gt, 'GtE': operator.ge}
def refuse(what):
    raise Runs(what)
def static(kind, name):
    for owner in type.__dict__['__mro__'].__get__(kind):
        found = type.__dict__['__dict__'].__get__(owner)
        if name in found:
            return found[name]
    return missing
def plain(value, left):
    left[0] -= 1
    kind = type(value)
    if left[0] < 0 or kind not in scalars and kind not in containers:
        return False
    if kind is dict:
        return all(plain(key, left) and plain(one, left) for key, one in value.items())
    return kind in scalars or all(plain(one, left) for one in value)
def sure(*values):
    for value in values:
        if not plain(value, [10000]):
            refuse('an operator of ' + type(value).__name__)
def truth(value):
    kind = type(value)
    if kind in scalars or kind in containers:
        return bool(value)
    if static(kind, '__bool__') is not missing or static(kind, '__len__') is not missing:
        refuse('the truth of ' + kind.__name__)
    return True
def attribute(value, name):
    kind = type(value)
    if kind is types.ModuleType:
        found = object.__getattribute__(value, '__dict__').get(name, missing)
        return found if found is not missing else refuse('the attribute ' + name)
    if kind is type:
        found = static(value, name)
        if found is missing or type(found) is not types.FunctionType and static(type(found), '__get__') is not missing:
            refuse('the attribute ' + name)
        return found
    if static(kind, '__getattribute__') is not object.__dict__['__getattribute__']:
        refuse('the attribute ' + name)
    found = static(kind, name)
    if found is not missing:
        if type(found) in members:
            return found.__get__(value)
        if static(type(found), '__set__') is not missing or static(type(found), '__delete__') is not missing:
            refuse('the attribute ' + name)
    place = static(kind, '__dict__')
    own = place.__get__(value) if type(place) is types.GetSetDescriptorType else {}
    if type(own) is not dict:
        refuse('the attribute ' + name)
    if name in own:
        return own[name]
    if found is missing and static(kind, '__getattr__') is missing:
        raise AttributeError("'%s' object has no attribute '%s'" % (kind.__name__, name))
    if found is missing or type(found) not in functions and static(type(found), '__get__') is not missing:
        refuse('the attribute ' + name)
    return found
def item(value, key):
    kind = type(value)
    if kind is dict:
        sure(key, list(value))
    elif kind not in (list, tuple, str, bytes, range):
        refuse('an element of ' + kind.__name__)
    elif type(key) is not slice:
        sure(key)
    return value[key]
def walk(node, names):
    kind = type(node).__name__
    if kind == 'Constant':
        return node.value
    if kind == 'Name':
        for scope in names:
            if node.id in scope:
                return scope[node.id]
        raise NameError("name '%s' is not defined" % node.id)
    if kind == 'Attribute':
        return attribute(walk(node.value, names), node.attr)
    if kind == 'Subscript':
        return item(walk(node.value, names), walk(node.slice, names))
    if kind == 'Index':
        return walk(node.value, names)
    if kind == 'Slice':
        parts = [None if one is None else walk(one, names) for one in (node.lower, node.upper, node.step)]
        sure(*parts)
        return slice(*parts)
    if kind == 'BoolOp':
        ends = type(node.op).__name__ == 'Or'
        for one in node.values[:-1]:
            value = walk(one, names)
            if truth(value) is ends:
                return value
        return walk(node.values[-1], names)
    if kind == 'UnaryOp':
        value = walk(node.operand, names)
        if type(node.op).__name__ == 'Not':
            return not truth(value)
        sure(value)
        return unary[type(node.op).__name__](value)
    if kind == 'BinOp':
        left, right, name = walk(node.left, names), walk(node.right, names), type(node.op).__name__
        sure(left, right)
        if name not in binary or name in ('Pow', 'LShift', 'Mult') and max(size(left), size(right)) > 4096:
            refuse('an operator')
        return binary[name](left, right)
    if kind == 'IfExp':
        return walk(node.body if truth(walk(node.test, names)) else node.orelse, names)
    if kind in ('Tuple', 'List'):
        return (tuple if kind == 'Tuple' else list)([walk(one, names) for one in node.elts])
    if kind == 'Compare':
        left = walk(node.left, names)
        result = True
        for operation, other in zip(node.ops, node.comparators):
            right = walk(other, names)
            result = comparison(type(operation).__name__, left, right)
            if not result:
                break
            left = right
        return result
    if kind == 'Call' and type(node.func).__name__ == 'Name' and len(node.args) == 1 and not node.keywords:
        return called(walk(node.func, names), walk(node.args[0], names), node.func.id)
    return refuse('it')
def called(function, value, name):
    kind = type(value)
    if function is len:
        found = static(kind, '__len__')
        if found is missing:
            raise TypeError("object of type '%s' has no len()" % kind.__name__)
        return len(value) if type(found) is types.WrapperDescriptorType else refuse('the length of ' + kind.__name__)
    return kind if function is type else id(value) if function is id else refuse('the call of ' + name)
def size(value):
    return abs(value) if type(value) in (int, bool) else len(value) if type(value) in (str, bytes, list, tuple) else 0
def comparison(name, left, right):
    if name in ('Is', 'IsNot'):
        return (left is right) == (name == 'Is')
    sure(left)
    sure(list(right) if type(right) is dict and name in ('In', 'NotIn') else right)
    if name in ('In', 'NotIn'):
        return (left in right) == (name == 'In')
    return compared[name](left, right)
def known(value):
    # debugpy asks a value for its class.
    kind = type(value)
    if type(static(kind, '__getattribute__')) is not types.WrapperDescriptorType or (
        static(kind, '__class__') is not object.__dict__['__class__']):
        refuse('a value of ' + kind.__name__)
def assignable(node, names):
    kind = type(node).__name__
    if kind == 'Name':
        return
    owner = walk(node.value, names) if kind in ('Attribute', 'Subscript') else refuse('the assignment')
    of = type(owner)
    if kind == 'Subscript':
        key = walk(node.slice, names)
        if of not in (list, dict):
            refuse('the assignment to an element of ' + of.__name__)
        sure(key, list(owner) if of is dict else 0)
        return
    found = static(of, node.attr)
    plain_owner = static(of, '__setattr__') is static(type if issubclass(of, type) else object, '__setattr__')
    if not plain_owner and of is not types.ModuleType or type(found) not in members and (
        found is not missing and static(type(found), '__set__') is not missing):
        refuse('the assignment to the attribute ' + node.attr)
def problem(text, use):
    frame = sys._getframe(2)
    own = frame.f_globals.get('__builtins__', {})
    names = (frame.f_locals, frame.f_globals, own if type(own) is dict else vars(own))
    try:
        node = compile(text.strip(), '<sigtrap>', 'eval', 0x400).body
        assignable(node, names) if use == 'target' else known(walk(node, names))
        found = ''
    except Runs as error:
        found = '!' + error.args[0]
    except Exception as error:
        found = '?' + (error.msg if type(error) is SyntaxError else str(error))
    return 'sigtrap:' + found.encode('utf-8', 'replace').hex()
`

/** Returns an expression whose value says what `problem` finds in a text, which is a value or the target of an assignment. */
export const expression = (text: string, use: "value" | "target"): string =>
  `(lambda b, ns: (b.exec(b.compile(${JSON.stringify(source)}, '<sigtrap>', 'exec'), ns), ns['problem'](${JSON.stringify(text)}, '${use}'))[1])(__import__('builtins'), {})`

/** Returns what the value of `expression` says; undefined for another text. */
export const answer = (value: string): string | undefined => {
  const digits = /sigtrap:((?:[0-9a-f]{2})*)/.exec(value)?.[1]
  if (digits === undefined) return undefined
  return new TextDecoder().decode(Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)))
}

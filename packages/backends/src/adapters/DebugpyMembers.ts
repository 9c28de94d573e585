/**
 * Code that replaces how debugpy shows values. debugpy executes it in the program before the program runs.
 *
 * Members of an object are found in the dictionaries of the object and of its classes. debugpy would ask for each name that `dir`
 * answers, which runs properties, other descriptors, `__getattr__` and `__dir__`. A property is shown without its value; `print` reads it.
 *
 * If the session forbids to run code, the texts of values are computed from builtin types only. debugpy would call `__repr__` of a value,
 * `__str__` of an exception, and `__hash__` and `__eq__` of keys.
 */
import * as DebugpyTimeLimit from "./DebugpyTimeLimit.ts"

/** Replaces how debugpy finds members. `frames` and `resolvers` are modules of debugpy. */
const members = String.raw`
import sys, types
missing = object()
frames = sys.modules['_pydevd_bundle.pydevd_suspended_frames']
resolvers = sys.modules['_pydevd_bundle.pydevd_resolver']
order = type.__dict__['__mro__'].__get__
entries = type.__dict__['__dict__'].__get__
# The last one is the type of the fields of a named tuple.
data = {types.MemberDescriptorType, types.GetSetDescriptorType, getattr(sys.modules.get('_collections'), '_tuplegetter', property)}
data.discard(property)
routines = {types.FunctionType, types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType,
    types.ClassMethodDescriptorType, types.MethodType, type(object().__str__), staticmethod, classmethod}
class Unread:
    __slots__ = ()
unread = Unread()
def static(kind, name):
    for owner in order(kind):
        found = entries(owner)
        if name in found:
            return found[name]
    return missing
def own(value):
    place = static(type(value), '__dict__')
    found = place.__get__(value) if type(place) in data else None
    return found if type(found) is dict else {}
def value_of(entry, name, value, stored):
    kind = type(entry)
    if kind in data:
        return entry.__get__(value)
    if static(kind, '__get__') is missing:
        return entry
    # The name and the value of an enumerator are stored under other names.
    return stored.get('_%s_' % name, unread) if kind.__module__ in ('enum', 'types') else unread
def contents(value):
    kind, stored = type(value), own(value)
    found = dict(stored)
    is_enumerator = '_name_' in stored and '_value_' in stored
    if issubclass(kind, type):
        for owner in order(value):
            for name, entry in entries(owner).items():
                found.setdefault(name, entry)
    else:
        for owner in order(kind):
            for name, entry in entries(owner).items():
                if type(name) is not str or name[:2] == '__' == name[-2:] or type(entry) in routines:
                    continue
                if is_enumerator and (name[:1] == '_' or type(entry) is kind):
                    continue
                if name in stored and not (type(entry) is property or type(entry) in data):
                    continue
                try:
                    found[name] = value_of(entry, name, value, stored)
                except Exception:
                    found.pop(name, None)
    shown = [(name, one, '.%s' % name) for name, one in found.items() if type(name) is str and name[:2] != '__']
    return sorted(shown, key=lambda one: resolvers.sorted_attributes_key(one[0]))
data_before = frames._AbstractVariable.get_var_data
def data_of(self, *how, **limits):
    if type(self.value) is not Unread:
        return data_before(self, *how, **limits)
    return {'name': self.name, 'value': '', 'variablesReference': 0, 'presentationHint': {'lazy': True},
        **({} if self.evaluate_name is None else {'evaluateName': self.evaluate_name})}
frames._AbstractVariable.get_var_data = data_of
deque = sys.modules['collections'].deque
repr_before = resolvers.SafeRepr._repr
def bounded(parts, maximum):
    texts = list(parts)
    return texts[:-1] + ['], maxlen=%d)' % maximum] if texts[-1:] == ['])'] else texts
def repr_of(self, value, level):
    parts = repr_before(self, value, level)
    maximum = deque.maxlen.__get__(value) if type(value) is deque else None
    return parts if maximum is None else iter(bounded(parts, maximum))
resolvers.SafeRepr._repr = repr_of
resolvers.DefaultResolver.get_contents_debug_adapter_protocol = lambda self, value, fmt=None: contents(value)
`

/** Defines the texts of values and of exceptions, and what asks a value for its class. */
const texts = String.raw`
scalars = {int, float, complex, str, bytes, bool, type(None), type(Ellipsis), type(NotImplemented)}
builtin = scalars | {bytearray, range, types.FunctionType, types.BuiltinFunctionType, types.GeneratorType, types.CoroutineType,
    types.AsyncGeneratorType, types.CodeType, types.MethodDescriptorType, types.WrapperDescriptorType, types.GetSetDescriptorType,
    types.MemberDescriptorType, types.FrameType, types.TracebackType, memoryview, property, staticmethod, classmethod}
for module, names in (('datetime', ('date', 'timedelta')), ('decimal', ('Decimal',)), ('fractions', ('Fraction',))):
    builtin |= {getattr(sys.modules[module], name) for name in names if module in sys.modules}
containers = {list: resolvers.tupleResolver, tuple: resolvers.tupleResolver, dict: resolvers.dictResolver, set: resolvers.setResolver,
    frozenset: resolvers.setResolver, deque: resolvers.dequeResolver}
iterated = ('__iter__', '__len__', '__getitem__', '__contains__', 'items', 'keys', 'values')
typed_before = frames.get_type
debugger = {frames.DAPGrouper, resolvers.MoreItems, resolvers.MoreItemsRange}
proxies = (sys.modules['_weakref'].ProxyType, sys.modules['_weakref'].CallableProxyType)
def name_of(kind):
    return type.__dict__['__name__'].__get__(kind)
def hostile(kind):
    # Whatever asks an object of such a class for its class runs its code.
    return (type(static(kind, '__getattribute__')) is not types.WrapperDescriptorType or issubclass(kind, proxies)
        or static(kind, '__class__') is not object.__dict__['__class__'])
def base_of(kind):
    for base in containers:
        if issubclass(kind, base):
            return base if all(static(kind, one) is static(base, one) for one in iterated) else None
    return None
class Texts(resolvers.SafeRepr):
    def __call__(self, value):
        return ''.join(self._repr(value, 0))
    def _repr_dict(self, value, level, prefix, suffix, *rest):
        yield prefix
        if level >= len(self.maxcollection):
            yield '...'
        else:
            for index, (key, one) in enumerate(dict.items(value)):
                yield ', ' if index else ''
                if index == self.maxcollection[level] - 1:
                    yield '...'
                    break
                yield from self._repr(key, level + 1)
                yield ': '
                yield from self._repr(one, 100 if one is value else level + 1)
        yield suffix
    def _repr(self, value, level):
        kind = type(value)
        base = base_of(kind)
        if kind in scalars or kind in containers:
            return super()._repr(value, level)
        if base is not None:
            return self.inside(name_of(kind), base, value, level)
        if kind in builtin or kind in debugger:
            return iter((repr(value),))
        return iter((self.plain(kind, value, level),))
    def inside(self, name, base, value, level):
        yield name + '('
        if base is dict:
            yield from self._repr_dict(value, level, '{', '}')
        else:
            yield from self._repr_iter(value, level, *(('', '') if base is tuple else ('[', ']')))
        yield ')'
    def plain(self, kind, value, level):
        shown = static(kind, '__repr__')
        if issubclass(kind, type):
            return type.__repr__(value) if shown is type.__dict__['__repr__'] else '<class %s>' % name_of(value)
        if kind is types.ModuleType:
            return '<module %s>' % ''.join(self._repr(own(value).get('__name__'), 1))
        if kind is types.MethodType:
            return '<bound method>'
        if issubclass(kind, BaseException):
            args = BaseException.__dict__['args'].__get__(value)
            return '%s(%s)' % (name_of(kind), ', '.join(''.join(self._repr(one, level + 1)) for one in args))
        if '_name_' in own(value) and '_value_' in own(value):
            return '<%s.%s: %s>' % (name_of(kind), ''.join(own(value)['_name_']), ''.join(self._repr(own(value)['_value_'], level + 1)))
        for base in (int, float, str, bytes, complex):
            if issubclass(kind, base) and shown is base.__dict__['__repr__']:
                return base.__repr__(value)
        return object.__repr__(value)
def safely_typed(value):
    kind = type(value)
    if kind in debugger:
        return typed_before(value)
    if kind in routines or hostile(kind) or any(issubclass(kind, one) for one in scalars):
        return kind, name_of(kind), None
    return kind, name_of(kind), containers.get(base_of(kind), resolvers.defaultResolver)
def safely_detailed(value, evaluate_full_value=True, to_string=None, context=None):
    shown = Texts()
    shown.__dict__.update(getattr(to_string, '__dict__', {}))
    _, name, resolver = safely_typed(value)
    return name, '', False, resolver, shown(value)
def safe_data_of(self, fmt=None, context=None, **limits):
    if type(self.value) is Unread:
        return data_of(self)
    shown = Texts()
    shown.convert_to_hex = (fmt or {}).get('hex', False)
    shown.raw_value = (fmt or {}).get('rawString', False)
    shown.__dict__.update(limits)
    _, name, resolver = safely_typed(self.value)
    attributes = ['rawString'] if name in ('str', 'bytes', 'bytearray') else []
    read_only = self._is_return_value or self.name in (resolvers.TOO_LARGE_ATTR, resolvers.GENERATED_LEN_ATTR_NAME)
    return {'name': '(return) %s' % (self.name,) if self._is_return_value else self.name, 'value': shown(self.value),
        'type': '' if type(self.value) is frames.DAPGrouper else name,
        'variablesReference': 0 if resolver is None else self.get_variable_reference(),
        **({} if self.evaluate_name is None else {'evaluateName': self.evaluate_name}),
        **({'presentationHint': {'attributes': attributes + ['readOnly'] * read_only}} if attributes or read_only else {})}
scope_before = frames.get_var_scope
def definition_name(value):
    kind = type(value)
    if kind is types.MethodType:
        value = value.__func__
        kind = type(value)
    if kind is types.FunctionType or kind is types.BuiltinFunctionType:
        return value.__name__
    return name_of(value) if issubclass(kind, type) else None
def scope(name, value, evaluate_name, returned):
    # debugpy hides functions and classes. Those under another name than their own are values: a parameter, an element of a list.
    defined = definition_name(value)
    if defined is not None and defined != name:
        return scope_before(name, 0, evaluate_name, returned)
    kind = type(value)
    alike = len if kind in routines else int if issubclass(kind, type) else 0
    return scope_before(name, alike, evaluate_name, returned)
frames.get_var_scope = scope
group = getattr(sys.modules['builtins'], 'BaseExceptionGroup', None)
def described(error):
    kind = type(error)
    if error is None or kind is str or not issubclass(kind, BaseException):
        return error
    args = BaseException.__dict__['args'].__get__(error)
    text = static(kind, '__str__')
    if text is BaseException.__dict__['__str__'] and len(args) == 1 and type(args[0]) in scalars:
        return str(args[0])
    if group is not None and text is group.__dict__['__str__'] and type(args[0]) is str:
        return text(error)
    if type(text) is types.WrapperDescriptorType and all(type(one) in scalars for one in args) and not hostile(kind):
        return text(error)
    return Texts()(error)
class Described:
    def __init__(self, error):
        self.error = error
        for name in ('__cause__', '__context__', '__suppress_context__'):
            setattr(self, name, BaseException.__dict__[name].__get__(error) if issubclass(type(error), BaseException) else None)
    def __str__(self):
        return str(described(self.error))
`

/** Lets debugpy use these texts. */
const safely = String.raw`
resolvers.DictResolver.key_to_str = lambda self, key, fmt=None: Texts()(key)
resolvers._does_obj_repr_evaluate_to_obj = lambda key: type(key) in scalars
frames.get_type = safely_typed
frames.get_variable_details = safely_detailed
frames._AbstractVariable.get_var_data = safe_data_of
frames.FramesList.exc_desc = property(lambda self: vars(self).get('described'),
    lambda self, error: vars(self).update(described=None if error is None else Described(error)))
def titled(error):
    kind = type(error)
    place = entries(kind).get('__module__')
    text = described(error)
    name = name_of(kind) if type(place) is not str or place in ('builtins', '__main__') else '%s.%s' % (place, name_of(kind))
    return '%s: %s' % (name, text) if text else name
frames.sigtrap_described = titled
`

/** Returns the code that replaces how debugpy reads values; `forbidsCode` if the session's policy forbids to run code of the program. */
export const code = (forbidsCode: boolean): string => members + texts + (forbidsCode ? safely : DebugpyTimeLimit.code)

/**
 * Python for LLDB: finds the element that an expression such as `m["x"].y` or `v.size()` means, without running code of
 * the program. The command `sigtrap-read` prints a path for `frame variable`, or a value, as JSON.
 */

/** The source of the command. It follows the providers of children. */
export const paths = String.raw`TOKEN = re.compile(
    r"\s*(?:(->|\.)\s*([A-Za-z_]\w*)\s*(\()?|\[\s*(-?\d+|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|[^\[\]\"']+)\s*\]|(\)))"
)


class Unknown(Exception):
    pass


def short_name(name):
    """The name of a template of the library without its namespace and arguments; empty for others."""
    found = re.match(r"std::(?:__\w+::)?(?:chrono::)?(\w+)<", name)
    return found.group(1) if found else ""


def kind(value):
    return short_name(base_type(value.GetType()).GetName() or "")


def key_of(frame, word):
    """The key or index that a word in brackets means: an int or a quoted string."""
    if re.match(r"-?\d+$", word):
        return int(word)
    if word.startswith('"') or word.startswith("'"):
        return word
    variable = frame.FindVariable(word)
    if not variable.IsValid():
        variable = None if re.search(r"\+\+|--|=|\w\s*\(", word) else evaluated_without_code(frame, word)
    if variable is None or variable.GetError().Fail():
        raise Unknown()
    if STRINGS.match(kind(variable)) and not (variable.GetSummary() or "").endswith('"'):
        raise KeyError("the key %s cannot be read as a whole" % word)
    return variable.GetSummary() if variable.GetSummary() else variable.GetValueAsSigned()


def same(value, key):
    if isinstance(key, int):
        return value.GetValueAsSigned() == key and not (value.GetSummary() or "").startswith('"')
    if key.startswith('"') and STRINGS.match(kind(value)):
        return is_text(value, key)
    return (value.GetSummary() or value.GetValue()) == key


def find(value, key):
    inside = synthetic(value)
    count = inside.GetNumChildren()
    if count > 100000:
        raise KeyError("too many elements to search")
    for index in range(count):
        child = inside.GetChildAtIndex(index)
        both = pair(child)
        if both is None and "map" in kind(value):
            raise Unknown()
        if same(both[0] if both else child, key):
            return index, both
    return None


def character(value, key):
    """The character of a string at an index; the one behind the last is zero."""
    parts = view_parts(value) if kind(value) == "basic_string_view" else string_parts(value)
    if parts is None or not isinstance(key, int):
        raise Unknown()
    address, count, type = parts
    if not 0 <= key <= count:
        raise KeyError("no element [%s]: the size is %d" % (key, count))
    return value.CreateValueFromAddress("[%d]" % key, address + key * type.GetByteSize(), type), None


def element(value, path, key, frame):
    if STRINGS.match(kind(value)):
        return character(value, key)
    if not has_members(value.GetType()) or not has_sized_elements(value):
        raise KeyError("its type is incomplete in the debug information")
    if not intact(value):
        raise KeyError("the container is not initialized or damaged")
    if "map" in kind(value):
        found = find(value, key)
        if found is None:
            raise KeyError("no element with key %s" % key)
        index, both = found
        return both[1], None if path is None else "%s[%d].second" % (path, index)
    inside = synthetic(value)
    count = inside.GetNumChildren()
    if kind(value) and (not isinstance(key, int) or not 0 <= key < count):
        if not CONTAINERS.match(kind(value)):
            raise Unknown()
        raise KeyError("no element [%s]: the size is %d" % (key, count))
    if not isinstance(key, int):
        raise Unknown()
    child = inside.GetChildAtIndex(key)
    if not child.IsValid():
        raise Unknown()
    return child, None if path is None else "%s[%d]" % (path, key)


CONTAINERS = re.compile(r"^(vector|valarray|list|forward_list|deque|array|span|queue|stack|(unordered_)?(multi)?(map|set))$")
STRINGS = re.compile(r"^basic_string")


def length(value):
    if STRINGS.match(kind(value)):
        raw = plain(value)
        for names in (("_M_string_length",), ("_M_len",), ("__size_",)):
            found = member(raw, *names)
            if found.IsValid():
                return number(found)
        parts = string_parts(value)
        if parts is None:
            raise Unknown()
        return parts[1]
    if not CONTAINERS.match(kind(value)):
        raise Unknown()
    declared = declared_strings(value)
    if declared is not None:
        return declared[1]
    if not intact(value) or synthetic(value).GetSummary() == "<unknown size>":
        raise KeyError("the size cannot be read")
    return synthetic(value).GetNumChildren()


def called(value, path, name, key, frame):
    if name in ("size", "length") and key is None:
        return {"value": str(length(value)), "type": "unsigned long"}
    if name == "empty" and key is None:
        return {"value": "true" if length(value) == 0 else "false", "type": "bool"}
    if name in ("front", "back") and key is None and CONTAINERS.match(kind(value)):
        return element(value, path, 0 if name == "front" else length(value) - 1, frame)
    if name == "at" and key is not None and CONTAINERS.match(kind(value)):
        return element(value, path, key, frame)
    if name in ("count", "contains") and key is not None and re.search("map$|set$", kind(value)):
        found = find(value, key) is not None
        if name == "count":
            if "multi" in kind(value):
                raise Unknown()
            return {"value": "1" if found else "0", "type": "unsigned long"}
        return {"value": "true" if found else "false", "type": "bool"}
    if name == "has_value" and key is None and kind(value) == "optional":
        return {"value": "true" if synthetic(value).GetNumChildren() > 0 else "false", "type": "bool"}
    if name == "value" and key is None and kind(value) == "optional":
        return pointed(value, path)[:2]
    raise Unknown()


def is_bit_field(type, name):
    """True if a member of a class, of its bases or of its unnamed members is a bit field."""
    for index in range(type.GetNumberOfFields()):
        field = type.GetFieldAtIndex(index)
        if field.GetName() == name:
            return field.IsBitfield()
        if not field.GetName() and is_bit_field(base_type(field.GetType()), name):
            return True
    return any(is_bit_field(base_type(type.GetDirectBaseClassAtIndex(index).GetType()), name) for index in range(type.GetNumberOfDirectBaseClasses()))


def resolve(frame, expression):
    """The value that an expression over containers means, its path or None, and True for a bit field; a dict for what a call reads."""
    expression = re.sub(r"^\s*\(\s*\*\s*([A-Za-z_]\w*)\s*\)\s*\.", r"\1->", expression)
    star = re.match(r"\s*\*", expression)
    if star:
        expression = expression[star.end() :]
    start = re.match(r"\s*((?:::)?(?:[A-Za-z_]\w*::)*[A-Za-z_]\w*)", expression)
    if not start:
        raise Unknown()
    path = start.group(1)
    value = frame.FindVariable(path)
    if not value.IsValid():
        value = frame.GetValueForVariablePath(path)
    if not value.IsValid() and "::" in path:
        # LLDB has no path to it.
        others = frame.GetThread().GetProcess().GetTarget().FindGlobalVariables(path.lstrip(":"), 2)
        value, path = others.GetValueAtIndex(0) if others.GetSize() == 1 else value, None
    if not value.IsValid() or value.GetError().Fail():
        raise Unknown()
    special = in_bits = False
    place = start.end()
    while expression[place:].strip():
        step = TOKEN.match(expression, place)
        if not step or step.group(5):
            raise Unknown()
        place = step.end()
        in_bits = False
        operator, name, call, index, _ = step.groups()
        if operator == "->" and value.GetType().IsPointerType():
            pointee = value.Dereference()
        elif operator == "->":
            found = pointed(target(value), path)
            if found is None:
                raise Unknown()
            special = True
            pointee, path, indirect = found
            operator = "->" if indirect else "."
        else:
            pointee = target(value)
        if call:
            argument = re.match(r"\s*(-?\d+|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|[A-Za-z_]\w*)?\s*\)", expression[place:])
            if not argument:
                raise Unknown()
            place += argument.end()
            key = None if argument.group(1) is None else key_of(frame, argument.group(1))
            special = True
            base = "(*%s)" % path if operator == "->" and path is not None else path
            found = called(pointee, base, name, key, frame)
            if isinstance(found, dict):
                if expression[place:].strip():
                    raise Unknown()
                return found
            value, path = found
        elif name:
            own = inherited(pointee, name)
            if own is not None:
                special = True
                value, path = own, None
                continue
            child = pointee.GetChildMemberWithName(name)
            # A member of a base or of an unnamed member is none of a provider.
            child = child if child.IsValid() else plain(pointee).GetChildMemberWithName(name)
            if not child.IsValid():
                raise Unknown()
            in_bits = is_bit_field(base_type(pointee.GetType()), name)
            owner = owner_of(pointee, name)
            if owner is not None and is_lost(plain(owner), plain(owner).GetChildMemberWithName(name)):
                # A path names the array by its place in its owner; LLDB has none through an unnamed one.
                index = owner.GetIndexOfChildWithName(name)
                whole = lengthened(owner, index)
                if whole is not None:
                    special = True
                    inside = "%s%s[%d]" % (path, "[0]" if operator == "->" else "", index)
                    value, path = whole, inside if owner is pointee and path is not None else None
                    continue
            value, path = child, None if path is None else path + operator + name
        else:
            if value.GetType().IsPointerType() or not kind(value):
                child = value.GetValueForExpressionPath("[%s]" % index)
                if not re.match(r"\d+$", index) or not child.IsValid():
                    raise Unknown()
                value, path = child, None if path is None else "%s[%s]" % (path, index)
                continue
            special = True
            value, path = element(target(value), path, key_of(frame, index), frame)
    if star and not value.GetType().IsPointerType():
        found = pointed(target(value), path)
        if found is None:
            raise Unknown()
        special = True
        value, path, indirect = found
        path = None if path is None else "*" + path if indirect else path
    elif star:
        value, path = value.Dereference(), None if path is None else "*" + path
    if not special:
        raise Unknown()
    return value, path, in_bits


ADDRESS_OR_SIZE = re.compile(r"\s*(&|sizeof)\s*\((.+)\)\s*$")


def read_expression(frame, expression):
    measure = ADDRESS_OR_SIZE.match(expression)
    if measure is None and TYPED_MEMORY.match(expression):
        return typed_memory(frame, expression)
    if measure is None:
        found = resolve(frame, expression)
        if isinstance(found, dict):
            return found
        value, path, _ = found
        if value.GetLoadAddress() == lldb.LLDB_INVALID_ADDRESS and value.GetNumChildren() == 0:
            # An element of std::vector<bool> has a place of its own only in LLDB's list.
            path = None
        return {"path": path} if path is not None else {"value": text(value, 1000), "type": value.GetType().GetName()}
    value, is_plain = value_at(frame, measure.group(2))
    if measure.group(1) == "&":
        note_type(value)
        if is_plain:
            raise Unknown()
        return {"value": "0x%x" % value.GetLoadAddress(), "type": value.GetType().GetName() + " *"}
    return {"value": str(value.GetByteSize()), "type": "unsigned long"}


def answer(debugger, command, context, result, _):
    """The command sigtrap-read EXPRESSION: prints JSON; {} if the expression is none over containers."""
    try:
        found = read_expression(context.GetFrame(), command)
    except Unknown:
        found = {}
    except KeyError as error:
        found = {"problem": error.args[0]}
    except Exception:
        found = {}
    result.AppendMessage(json.dumps(found))
`

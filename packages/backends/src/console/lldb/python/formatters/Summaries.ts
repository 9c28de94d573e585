/**
 * Python for LLDB: one-line summaries of the C++ library's types, at most 80 characters, with the exact size and the first
 * elements. They read memory only.
 */

/** The source of the summaries. */
export const summaries = String.raw`ROOM = 80
MOST = 32
BYTES = ("signed char", "unsigned char")


def plain(value):
    return value.GetNonSyntheticValue() if value.IsSynthetic() else value


def member(value, *names):
    for name in names:
        value = plain(value).GetChildMemberWithName(name)
    return value


def first_of(value, *names):
    """The first of the members that a value has; versions of a library name them differently."""
    for name in names:
        found = plain(value).GetChildMemberWithName(name)
        if found.IsValid():
            return found
    raise KeyError(names[0])


def number(value):
    return value.GetNonSyntheticValue().GetValueAsUnsigned(0) if value.IsValid() else 0


def readable(value, address):
    error = lldb.SBError()
    value.GetProcess().ReadMemory(address, 1, error)
    return error.Success()


def text(value, room, depth=4):
    if not value.IsValid() or value.GetError().Fail():
        return "<unreadable>"
    # An object that points to itself has no end.
    summary = None if is_object_pointer(value.GetType()) else value.GetSummary()
    own = value.GetValue()
    if own and own.startswith("'") and base_type(value.GetType()).GetName() in BYTES:
        return str(value.GetValueAsSigned())
    # LLDB calls no formatter for a class that it had to complete itself.
    if summary == INCOMPLETE and string_class(value.GetType()) is not None:
        summary = string_of(value, None)
    # LLDB says this of a null pointer to a string of libc++.
    if summary and not (own and summary == "Summary Unavailable"):
        shown = " ".join(summary.split("\n")).strip()
        if own and own.startswith("'"):
            shown = own
        shown = re.sub(r"^U\+[0-9a-fx]+ (?=[uUL]')", "", shown)
        if len(shown) > 42 and shown.startswith('"'):
            shown = shown[:40] + "…\""
        return shown
    if own:
        return re.sub(r"\b0x0+(?=[0-9a-fA-F])", "0x", own) if own.startswith("0x") else own
    # The debug information does not say how many elements an array without a length has.
    return "{…}" if depth == 0 or is_cut(value.GetType()) else members_text(value, room, depth)


def members_text(value, room, depth):
    """The members of an object, as many as have room."""
    parts = []
    used = 0
    count = value.GetNumChildren()
    whole = count <= MOST
    for index in range(min(count, MOST)):
        if used > room:
            whole = False
            break
        child = value.GetChildAtIndex(index)
        name = child.GetName() or ""
        # Bits between two members are none.
        if name == "" and not is_class(base_type(child.GetType())):
            continue
        shown = text(child, room, depth - 1)
        # LLDB loses the length of arrays in unions.
        if shown == "<unreadable>" and base_type(value.GetType()).GetTypeClass() == lldb.eTypeClassUnion:
            shown = "{…}"
        parts.append(shown if name == "" or name.startswith("[") else name + ":" + shown)
        used += len(parts[-1]) + 2
    return joined(parts, whole, room, ", ")


def pair(value):
    first = value.GetChildMemberWithName("first")
    second = value.GetChildMemberWithName("second")
    if first.IsValid() and second.IsValid():
        return first, second
    return None


def ordered(value, size, *addresses):
    """True if addresses rise, each a multiple of a size from the first, and the first is readable or all are null."""
    places = [number(address) for address in addresses]
    if places != sorted(places) or any((place - places[0]) % size != 0 for place in places):
        return False
    return places[-1] == 0 or (places[0] != 0 and (places[0] == places[-1] or readable(value, places[0])))


def consistent(value):
    """
    False if the members of a container contradict each other, as before its constructor has run. LLDB shows such a
    container as empty. A container that is not known here counts as intact.
    """
    raw = plain(value)
    begin = member(raw, "__begin_")
    if begin.IsValid() and member(raw, "__size_").IsValid():
        return number(member(raw, "__size_")) == 0 or readable(value, number(begin))
    if begin.IsValid() and begin.GetType().IsPointerType():
        size = begin.GetType().GetPointeeType().GetByteSize() or 1
        return ordered(value, size, begin, member(raw, "__end_"))
    table = member(raw, "_M_h")
    if table.IsValid():
        count = number(member(table, "_M_element_count"))
        first = number(member(table, "_M_before_begin", "_M_nxt"))
        buckets = number(member(table, "_M_buckets"))
        return (count == 0) == (first == 0) and readable(value, buckets) and (first == 0 or readable(value, first))
    tree = member(raw, "_M_t", "_M_impl")
    if tree.IsValid():
        root = number(member(tree, "_M_header", "_M_parent"))
        left = number(member(tree, "_M_header", "_M_left"))
        return (number(member(tree, "_M_node_count")) == 0) == (root == 0) and readable(value, left)
    own = member(raw, "_M_impl")
    start = member(own, "_M_start")
    if start.IsValid() and start.GetType().IsPointerType():
        size = start.GetType().GetPointeeType().GetByteSize() or 1
        return ordered(value, size, start, member(own, "_M_finish"), member(own, "_M_end_of_storage"))
    head = member(own, "_M_node")
    following = member(head, "_M_next")
    if following.IsValid():
        is_empty = number(following) == head.GetLoadAddress()
        size = member(head, "_M_size")
        return readable(value, number(following)) and (not size.IsValid() or (number(size) == 0) == is_empty)
    blocks = member(own, "_M_map")
    return not blocks.IsValid() or readable(value, number(blocks))


def listed(value, keyed):
    if not intact(value):
        return "<unknown size>"
    count = value.GetNumChildren()
    if count > 0 and "<unreadable>" in text(value.GetChildAtIndex(0), ROOM):
        return "<unknown size>"
    head = str(count) + " "
    room = ROOM - len(head)
    parts = []
    used = 0
    for index in range(min(count, MOST)):
        child = value.GetChildAtIndex(index)
        both = pair(child) if keyed else None
        part = text(child, room) if both is None else text(both[0], room) + ":" + text(both[1], room)
        parts.append(part)
        used += len(part) + 1
        if used > room:
            break
    return head + joined(parts, len(parts) == count, room, ",")


def synthetic(value):
    return value if value.IsSynthetic() else value.GetSyntheticValue()


def target(value):
    """What a reference refers to; the reference if LLDB cannot read that, as of a class that is only declared."""
    referred = value.Dereference() if value.GetType().IsReferenceType() else value
    return referred if referred.IsValid() else value


def guarded(function):
    def summary(value, _):
        address = ""
        try:
            value = target(value)
            if not value.GetType().IsPointerType():
                whole = function.__name__ in ("string_of", "tuple_of") or has_members(value.GetType())
                return function(value) if whole else INCOMPLETE
            address = hex(number(value))
            if number(value) == 0 or points_to_pointer(value.GetType()):
                return address if number(value) else "nullptr"
            # LLDB reads a container there as one without elements.
            if not readable(value, number(value)):
                return address + " {<unreadable>}"
            shown = function(value.Dereference())
            return address + " " + (shown if shown.startswith("{") else "{" + shown + "}")
        except Exception:
            return (address + " <unreadable>").strip()

    return summary


def sequence_of(value):
    return declared_texts(value) or listed(synthetic(value), False)


def mapping_of(value):
    return listed(synthetic(value), True)


def optional_of(value):
    inside = synthetic(value)
    if inside.GetNumChildren() == 0:
        return "nullopt"
    held = text(inside.GetChildAtIndex(0), ROOM)
    # It holds an optional without a value.
    return "{nullopt}" if held in ("nullopt", "{nullopt}") else held


def variant_of(value):
    inside = synthetic(value)
    if inside.GetNumChildren() == 0:
        return "valueless"
    held = inside.GetChildAtIndex(0)
    return text(held, ROOM)


def tuple_of(value):
    inside = synthetic(value)
    parts = [text(inside.GetChildAtIndex(index), ROOM) for index in range(min(inside.GetNumChildren(), MOST))]
    return joined(parts, True, ROOM, ", ")


def pair_of(value):
    both = pair(plain(value))
    return joined([text(both[0], ROOM) + ":" + text(both[1], ROOM)], True, ROOM, ", ")


def address_of_smart(value):
    """The pointer inside a smart pointer, and the number of its owners."""
    raw = plain(value)
    pointer = raw.GetChildMemberWithName("_M_ptr")
    if pointer.IsValid():
        counts = member(raw, "_M_refcount", "_M_pi")
        return pointer, number(member(counts, "_M_use_count")) if number(counts) else 0
    pointer = raw.GetChildMemberWithName("__ptr_")
    if pointer.IsValid() and pointer.GetType().IsPointerType():
        counts = member(raw, "__cntrl_")
        owners = member(counts, "__shared_owners_")
        return pointer, owners.GetValueAsSigned() + 1 if owners.IsValid() else None
    return synthetic(value).GetChildAtIndex(0), None


def smart_of(value):
    pointer, owners = address_of_smart(value)
    address = number(pointer)
    weak = "weak_ptr" in (value.GetType().GetName() or "")
    if address == 0 and not weak:
        return "nullptr"
    tail = "" if owners is None else " use_count=" + str(owners)
    if weak and owners == 0:
        return ("nullptr" if address == 0 else "expired") + tail
    if pointer.GetType().IsPointerType() and pointer.GetType().GetPointeeType().GetCanonicalType().GetByteSize() == 0:
        # LLDB reads no value of the type void, or of a class that is only declared.
        return hex(address) + tail
    inside = pointer.Dereference()
    room = ROOM - 20 - len(tail)
    shown = text(inside, room)
    if not shown.startswith("{"):
        shown = "{" + shown + "}"
    return hex(address) + " " + shown + tail


def callable_of(arguments):
    """The second of the template arguments of std::_Function_handler, without types of parameters: main::<lambda(int)>."""
    depth = 0
    for place, letter in enumerate(arguments):
        if letter in "(<":
            depth += 1
        elif letter in ")>":
            depth -= 1
        elif letter == "," and depth == 0:
            name = arguments[place + 1 :].strip()
            before = None
            while name != before:
                before = name
                name = re.sub(r"\([^()]*\)(?=::)", "", name)
            return name
    return "a function"


def function_name_of(name):
    """The name of a function without the types of its parameters and of its result: (anonymous namespace)::work, std::max<int>."""
    # Rust adds a hash.
    name = re.sub(r"( const| volatile| &| &&)*( \[clone .*\])?(::h[0-9a-f]{16})?$", "", name)
    # The names of operators have spaces and brackets of their own.
    is_operator = re.search(r"\boperator\b", name) is not None
    depth = 0
    begin = 0
    end = len(name)
    for place in range(len(name) - 1, -1, -1):
        letter = name[place]
        if letter in "()" or not is_operator:
            depth += {")": 1, ">": 1, "(": -1, "<": -1}.get(letter, 0)
        if depth == 0 and letter == "(" and end == len(name) and name.endswith(")"):
            end = place or end
        elif depth == 0 and letter == " " and not is_operator:
            begin = place + 1
            break
    return name[begin:end].lstrip(":")


def adapted(value):
    """The container inside std::queue, std::stack or std::priority_queue."""
    return plain(value).GetChildMemberWithName("c")


def adapted_of(value):
    return listed(synthetic(adapted(value)), False)


def atomic_of(value):
    raw = plain(value)
    for names in (("_M_i",), ("_M_base", "_M_i"), ("_M_b", "_M_p"), ("_M_fp",), ("__a_", "__a_value")):
        held = member(raw, *names)
        if not held.IsValid():
            continue
        if not held.GetType().IsPointerType() or not readable(value, number(held)):
            return text(held, ROOM)
        shown = text(held.Dereference(), ROOM - 20)
        if shown == "<unreadable>":
            return text(held, ROOM)
        return hex(number(held)) + " " + (shown if shown.startswith("{") else "{" + shown + "}")
    return "<unreadable>"


def function_of(value):
    raw = plain(value)
    manager = member(raw, "_M_manager")
    if not manager.IsValid():
        held = member(raw, "__f_", "__f_")
        return "empty" if held.IsValid() and number(held) == 0 else "a function"
    if number(manager) == 0:
        return "empty"
    frame_target = value.GetTarget()
    if not frame_target.ResolveLoadAddress(number(manager)).GetModule().IsValid():
        return "<unreadable>"

    def name(address):
        symbol = frame_target.ResolveLoadAddress(address)
        found = symbol.GetFunction().GetName() or symbol.GetSymbol().GetName()
        return found

    held = name(number(member(raw, "_M_functor", "_M_unused", "_M_function_pointer")))
    if held:
        return function_name_of(held)
    invoker = name(number(member(raw, "_M_invoker"))) or ""
    found = re.search(r"_Function_handler<(.*)>::_M_invoke", invoker)
    return callable_of(found.group(1)) if found else "a function"


def referred_of(value, _):
    """The number that a reference refers to; LLDB shows its address."""
    try:
        return text(plain(value).Dereference(), ROOM)
    except Exception:
        return None
`

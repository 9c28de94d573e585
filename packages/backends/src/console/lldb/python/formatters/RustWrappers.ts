/**
 * Python for LLDB: the summaries of Rust's types that hold another value: `Rc`, `Arc`, `Weak`, `Cell`, `RefCell`, `Ref`, `RefMut`, `OnceCell`,
 * `OnceLock`, `Mutex`, `RwLock` and its guard for reads, `Box<str>`, `Box<[T]>`, `CString`, `LinkedList`, atomics and `Duration`; and of
 * references to texts and lists.
 *
 * LLDB shows arrays of `u8` and pointers to one as texts of C. In Rust they are numbers, and no zero ends them.
 */

/** The source of the summaries. It follows the corrections for Rust. */
export const rustWrappers = String.raw`
def correct_wrappers():
    import json
    import re
    import lldb
    import lldb_lookup
    import sigtrap_values as own

    longest = 4096
    deepest = 3
    depth = [0]
    """How many wrappers contain the value that is being shown. A value may contain itself."""

    def member(value, *names):
        for name in names:
            value = value.GetNonSyntheticValue().GetChildMemberWithName(name)
        if not value.IsValid() or value.GetError().Fail():
            raise ValueError("no " + name)
        return value

    def inner(value):
        if depth[0] >= deepest:
            return "…"
        depth[0] += 1
        try:
            return own.text(own.synthetic(value), own.ROOM)
        finally:
            depth[0] -= 1

    def text_at(process, address, length):
        error = lldb.SBError()
        data = process.ReadMemory(address, min(length, longest), error) if length > 0 else b""
        if error.Fail():
            raise ValueError(error.GetCString())
        return json.dumps(data.decode("utf-8", "replace"), ensure_ascii=False)

    def shared(value, _):
        pointer = member(value, "ptr", "pointer")
        is_thin = pointer.GetType().IsPointerType()
        held = pointer if is_thin else pointer.GetNonSyntheticValue().GetChildAtIndex(0)
        counts = [member(held, name).GetNonSyntheticValue() for name in ("strong", "weak")]
        strong, weak = [own.number(one.GetChildAtIndex(0).GetNonSyntheticValue().GetChildAtIndex(0)) for one in counts]
        counted = "{strong:%d, weak:%d}" % (strong, weak - 1)
        found = held.GetChildMemberWithName("value")
        found = found if found.IsValid() else held.GetChildMemberWithName("data")
        if is_thin:
            return inner(found) + " " + counted
        length = pointer.GetNonSyntheticValue().GetChildMemberWithName("length")
        if not length.IsValid():
            return counted
        length = own.number(length)
        if not (pointer.GetTypeName() or "").endswith("<str>"):
            return list_at(found, length) + " " + counted
        return text_at(value.GetProcess(), found.GetLoadAddress(), length) + " " + counted

    def list_at(first, length):
        """A list whose first element is known: Rc<[T]>."""
        type, address = first.GetType(), first.GetLoadAddress()
        elements = [first.CreateValueFromAddress("", address + index * type.GetByteSize(), type) for index in range(min(length, own.MOST))]
        shown = [inner(one) for one in elements]
        return "%d %s" % (length, own.joined(shown, len(shown) == length, own.ROOM, ","))

    def boxed_text(value, _):
        return text_at(value.GetProcess(), own.number(member(value, "data_ptr")), own.number(member(value, "length")))

    def boxed_list(value, _):
        return own.listed(own.synthetic(value), False)

    def atomic(value, _):
        held = value.GetNonSyntheticValue().GetChildAtIndex(0).GetNonSyntheticValue().GetChildAtIndex(0)
        if (value.GetTypeName() or "").endswith("Bool"):
            return "true" if own.number(held) & 255 else "false"
        return inner(held)

    def locked(value, _):
        failed = member(value, "poison", "failed").GetNonSyntheticValue().GetChildAtIndex(0).GetNonSyntheticValue().GetChildAtIndex(0)
        return inner(member(value, "data", "value")) + (" {poisoned}" if own.number(failed) & 255 else "")

    def borrowed(value, _):
        count = member(value, "borrow", "value", "value").GetValueAsSigned()
        shown = inner(member(value, "value", "value"))
        return shown if count == 0 else shown + (" {borrow:%d}" % count if count > 0 else " {borrow_mut:%d}" % -count)

    def weak(value, _):
        pointer = member(value, "ptr", "pointer")
        # The address of Weak::new(), which never had a value.
        if own.number(pointer if pointer.GetType().IsPointerType() else pointer.GetNonSyntheticValue().GetChildAtIndex(0)) == 2**64 - 1:
            return "empty"
        held = pointer if pointer.GetType().IsPointerType() else pointer.GetNonSyntheticValue().GetChildAtIndex(0)
        count = member(held, "strong").GetNonSyntheticValue().GetChildAtIndex(0).GetNonSyntheticValue().GetChildAtIndex(0)
        return shared(value, None) if own.number(count) > 0 else "dropped"

    def target_of(pointer):
        """What a pointer without a length or a table points to."""
        if not pointer.GetType().IsPointerType():
            raise LookupError("a wide pointer")
        return inner(pointer.Dereference())

    def guard(value, _):
        return target_of(member(value, "value" if "::Ref" in value.GetTypeName().split("<")[0] else "data", "pointer"))

    def once(value, _):
        return inner(member(value, "inner", "value"))

    def once_lock(value, _):
        state = member(value, "once", "inner").GetNonSyntheticValue()
        # The states of a Once: library/std/src/sys/sync/once/futex.rs of Rust, from 1.83 and before.
        packed = state.GetChildMemberWithName("state_and_queued")
        held = packed if packed.IsValid() else member(state, "state")
        number = own.number(held.GetNonSyntheticValue().GetChildAtIndex(0).GetNonSyntheticValue().GetChildAtIndex(0))
        if (number & 3 != 0) if packed.IsValid() else (number != 4):
            return "None"
        stored = member(value, "value", "value", "value", "value")
        if "::MaybeDangling<" in (stored.GetTypeName() or ""):
            stored = stored.GetNonSyntheticValue().GetChildAtIndex(0)
        return "Some(%s)" % inner(stored)

    def cell(value, _):
        return inner(member(value, "value", "value"))

    def c_string(value, _):
        held = member(value, "inner")
        return text_at(value.GetProcess(), own.number(member(held, "data_ptr")), own.number(member(held, "length")) - 1)

    def linked_list(value, _):
        count = own.number(member(value, "len"))
        # Some(NonNull { pointer })
        place = own.synthetic(member(value, "head"))
        while place.IsValid() and not place.GetType().IsPointerType():
            place = own.synthetic(place.GetChildAtIndex(0))
        node = place.GetType().GetPointeeType()
        error = lldb.SBError()
        address = value.GetProcess().ReadPointerFromMemory(member(value, "head").GetLoadAddress(), error)
        shown = []
        while node.IsValid() and address and error.Success() and len(shown) < min(count, own.MOST):
            one = value.CreateValueFromAddress("node", address, node).GetNonSyntheticValue()
            shown.append(inner(member(one, "element")))
            address = value.GetProcess().ReadPointerFromMemory(member(one, "next").GetLoadAddress(), error)
        if len(shown) < min(count, own.MOST):
            raise ValueError("the list ends early")
        return "%d %s" % (count, own.joined(shown, len(shown) == count, own.ROOM, ","))

    def reference(value, _):
        return target_of(value.GetNonSyntheticValue())

    def duration(value, _):
        seconds = own.number(member(value, "secs"))
        nanos = member(value, "nanos").GetNonSyntheticValue()
        nanos = own.number(nanos if nanos.GetValue() else nanos.GetChildAtIndex(0))
        if seconds > 0:
            whole, rest, digits, unit = seconds, nanos, 9, "s"
        else:
            digits, unit = (6, "ms") if nanos >= 10**6 else (3, "µs") if nanos >= 1000 else (0, "ns")
            whole, rest = divmod(nanos, 10**digits)
        decimals = ("%0*d" % (digits, rest)).rstrip("0") if digits else ""
        return "%d%s%s" % (whole, "." + decimals if decimals else "", unit)

    def is_rust(value):
        frame = value.GetFrame()
        return not frame.IsValid() or frame.GetCompileUnit().GetLanguage() in (lldb.eLanguageTypeRust, lldb.eLanguageTypeUnknown)

    def c_text(value, address, room):
        error = lldb.SBError()
        shown = value.GetProcess().ReadCStringFromMemory(address, room, error)
        return "" if error.Fail() else json.dumps(shown, ensure_ascii=False)

    def byte_pointer(value, _):
        return "" if is_rust(value) else c_text(value, own.number(value), longest)

    def byte_array(value, _):
        if not is_rust(value):
            return c_text(value, value.GetLoadAddress(), min(value.GetByteSize() + 1, longest))
        count = value.GetNumChildren()
        shown = [str(own.number(value.GetChildAtIndex(index))) for index in range(min(count, own.MOST))]
        return own.joined(shown, len(shown) == count, own.ROOM, ", ")

    def guarded(function):
        def summary(value, context):
            try:
                return function(value, context)
            except LookupError:
                return ""
            except Exception:
                return "<unreadable>"
        return summary

    lldb_lookup.StdRcSummaryProvider = guarded(shared)
    summaries = [
        ("^alloc::boxed::Box<str(,.*)?>$", "boxed_text", boxed_text),
        (r"^alloc::boxed::Box<\[.*\](,.*)?>$", "boxed_list", boxed_list),
        ("^core::sync::atomic::Atomic[^:]*$", "atomic", atomic),
        ("^std::sync::(poison::)?(mutex::Mutex|rwlock::RwLock)<.*>$", "locked", locked),
        ("^core::cell::RefCell<.*>$", "borrowed", borrowed),
        ("^alloc::(rc|sync)::Weak<.*>$", "weak", weak),
        ("^core::cell::Ref(Mut)?<.*>$", "guard", guard),
        ("^std::sync::(poison::)?rwlock::RwLockReadGuard<.*>$", "read_guard", guard),
        ("^core::cell::once::OnceCell<.*>$", "once", once),
        ("^std::sync::once_lock::OnceLock<.*>$", "once_lock", once_lock),
        ("^core::cell::Cell<.*>$", "cell", cell),
        ("^alloc::ffi::c_str::CString$", "c_string", c_string),
        ("^alloc::collections::linked_list::LinkedList<.*>$", "linked_list", linked_list),
        (r"^(&(mut )?str|&(mut )?\[.*\]|(alloc|std)::(vec|collections)::.*>) \*$", "reference", reference),
        ("^core::time::Duration$", "duration", duration),
        (r"^(const )?unsigned char \*( const)?$", "byte_pointer", byte_pointer),
        (r"^(const )?unsigned char ?\[[0-9]+\]$", "byte_array", byte_array),
    ]
    lldb.debugger.HandleCommand(r'type synthetic add -w Rust -l lldb_lookup.StdSliceSyntheticProvider -x "^alloc::boxed::Box<\[.*\](,.*)?>$"')
    for pattern, name, function in summaries:
        setattr(own, "rust_" + name, guarded(function))
        lldb.debugger.HandleCommand('type summary add -w Rust -e -F sigtrap_values.rust_%s -x "%s"' % (name, pattern.replace("\\", "\\\\")))


try:
    correct_wrappers()
except Exception:
    pass
`

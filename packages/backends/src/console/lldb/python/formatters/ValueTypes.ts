/**
 * Python for LLDB: small types of values of the C++ library: `valarray`, `reference_wrapper`, `error_code`, dates.
 */

/** The source of the summaries. It follows the providers of containers. */
export const valueTypes = String.raw`import errno


class Numbers(Spanned):
    """std::valarray."""

    def read(self, value):
        data, count = first_of(value, "_M_data", "__begin_"), member(value, "_M_size")
        self.type = data.GetType().GetPointeeType()
        self.start = number(data)
        self.size = self.type.GetByteSize()
        total = number(count) if count.IsValid() else (number(member(value, "__end_")) - self.start) // self.size
        if total > 0 and not readable(value, self.start + total * self.size - 1):
            return
        self.count = total


def valarray_of(value):
    inside = synthetic(value)
    count = member(value, "_M_size")
    if inside.GetNumChildren() == 0 and count.IsValid() and number(count) > 0:
        return "<unknown size>"
    return listed(inside, False)


def reference_of(value):
    """What a std::reference_wrapper refers to."""
    referred = first_of(value, "_M_data", "__f_")
    return text(referred.Dereference(), ROOM)


def returned_object(value, name):
    """The address that a function returns whose code only loads it; None if it is another function."""
    target = value.GetTarget()
    for found in target.FindFunctions(name):
        for one in found.GetSymbol().GetInstructions(target):
            operands = one.GetOperands(target)
            moved = re.match(r"(-?0x[0-9a-f]+)\(%rip\), %rax$", operands)
            if one.GetMnemonic(target) == "leaq" and moved:
                return one.GetAddress().GetLoadAddress(target) + one.GetByteSize() + int(moved.group(1), 16)
            if one.GetMnemonic(target) not in ("endbr64", "nop"):
                break
    return None


def category_of(value, category):
    """The name of a category of errors: one of the library, or the class of one of the program; None if it is not known."""
    at = number(category)
    for name in ("generic", "system"):
        for space in ("std::_V2::", "std::__1::", "std::"):
            if returned_object(value, space + name + "_category()") == at or returned_object(value, space + name + "_category") == at:
                return name
    error = lldb.SBError()
    table = value.GetProcess().ReadPointerFromMemory(at, error)
    symbol = "" if error.Fail() else value.GetTarget().ResolveLoadAddress(table).GetSymbol().GetName() or ""
    found = re.match(r"vtable for (?:.*::)?(\w+)$", symbol)
    return found.group(1) if found else None


def error_of(value):
    """The number, its name where the system or POSIX defines it, and the category."""
    code = first_of(value, "_M_value", "__val_")
    category = category_of(value, first_of(value, "_M_cat", "__cat_"))
    count = code.GetValueAsSigned()
    name = errno.errorcode.get(count) if category in ("generic", "system") else None
    return str(count) + ("" if name is None else " " + name) + ("" if category is None else " (%s)" % category)


def part_of(value, *names):
    """The number in a part of a date, which is a member of the value or the only member of one."""
    inner = first_of(value, *names)
    while inner.GetNumChildren() > 0:
        inner = plain(inner).GetChildAtIndex(0)
    return inner.GetValueAsSigned() if "short" in (base_type(inner.GetType()).GetName() or "") else inner.GetValueAsUnsigned()


def date_of(value):
    return "%04d-%02d-%02d" % (part_of(value, "_M_y", "__y_", "__y"), part_of(value, "_M_m", "__m_", "__m"), part_of(value, "_M_d", "__d_", "__d"))


def day_of(value):
    return str(part_of(value, "_M_y", "_M_m", "_M_d", "_M_wd", "__y_", "__m_", "__d_", "__wd_"))
`

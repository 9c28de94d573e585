/**
 * Python for LLDB: vectors of strings of libstdc++ whose class clang only declares. LLDB takes each element for one byte.
 */

/** The source of the summary and of the children. It follows those of the other containers. */
export const declaredStrings = String.raw`def string_size(value):
    """The size of a string of libstdc++: an address, a length, and room for 16 bytes."""
    return 2 * value.GetTarget().GetAddressByteSize() + 16


def is_declared_list(type, _=None):
    """True for the type of such a vector, and of a reference to one."""
    type = base_type(type)
    if re.match(r"std::(__cxx11::)?vector<", type.GetName() or "") is None:
        return False
    element = type.GetTemplateArgumentType(0)
    return not element.IsPointerType() and string_class(element) is not None and not has_members(element)


def declared_strings(value):
    """The place of the first element, the number of elements, and the type of their characters; None for other values."""
    if not is_declared_list(value.GetType()):
        return None
    own = member(value, "_M_impl")
    start, finish = number(member(own, "_M_start")), number(member(own, "_M_finish"))
    count, rest = divmod(finish - start, string_size(value))
    if start > finish or rest or not consistent(value):
        return None
    return start, count, string_type(value, base_type(value.GetType()).GetTemplateArgumentType(0))


def declared_texts(value):
    """The summary of such a vector; None for other values, and if a text cannot be read."""
    found = declared_strings(value)
    if found is None:
        return None
    start, count, type = found
    texts = []
    for index in range(min(count, MOST)):
        parts = string_at(value, start + index * string_size(value), type)
        if parts is None:
            return None
        texts.append(characters(value, *parts))
    head = str(count) + " "
    return head + joined(texts, len(texts) == count, ROOM - len(head), ",")


class DeclaredStrings(Children):
    """The strings of such a vector."""

    def read(self, value):
        self.start, self.count, _ = declared_strings(value)
        self.type = base_type(value.GetType()).GetTemplateArgumentType(0)

    def child(self, index):
        place = self.start + index * string_size(self.value)
        return self.value.CreateValueFromAddress("[%d]" % index, place, self.type)


`

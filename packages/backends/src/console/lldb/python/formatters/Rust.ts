/**
 * Python for LLDB: corrections of the formatters of the Rust tool chain. They follow the commands that load those, and all others of
 * sigtrap.
 *
 * - LLDB cuts the number in the name of an enum's variant to 32 bits, and the tool chain selects the variant by its name. The numbers
 *   come from the debug information instead (`DW_AT_discr_value`).
 * - Values that are not initialized yet have lengths without meaning. The tool chain reads as many bytes, which takes minutes.
 * - The summary of a pointer to an enum, such as a `Box`, shows how LLDB stores the enum. That of a closure can call itself for ever.
 * - A variant that holds () is shown as a structure with a member `None`.
 * - Texts are not escaped, small numbers are shown as characters, and sequences without their elements.
 */

/** The source of the corrections. Without the debug information the variant is selected by the lower 32 bits of its number. */
export const rust = String.raw`
def correct():
    import builtins
    import json
    import re
    import lldb
    import lldb_lookup
    import lldb_providers
    import sigtrap_values as own

    longest = 1 << 22
    numbers = {}

    def numbers_of(value):
        """The numbers of the variants of an enum by the debug information, None for the one without; in the order of the variants."""
        type = value.GetType().GetCanonicalType().GetUnqualifiedType()
        name = type.GetName()
        if name not in numbers:
            numbers[name] = None
            try:
                unit, offset = own.entry_of(value.GetTarget(), type)
                for part, tag, _ in unit.children(offset):
                    if tag == 0x33:
                        variants = [attributes for _, tag, attributes in unit.children(part) if tag == 0x19]
                        numbers[name] = [attributes.get(0x16) for attributes in variants]
            except Exception:
                pass
        return numbers[name]

    def index_of(self, variants):
        count = variants.GetNumChildren()
        known = numbers_of(self.valobj)
        other = 0
        for index in range(count):
            variant = variants.GetChildAtIndex(index)
            number = variant.GetChildMemberWithName("$discr$")
            if not number.IsValid():
                other = index
                continue
            value = number.GetValueAsUnsigned()
            if known is not None and len(known) == count:
                bits = 8 * number.GetType().GetByteSize()
                if known[index] is not None and (known[index] - value) % (1 << bits) == 0:
                    return index
                continue
            names = [value] + ([value & 0xFFFFFFFF] if value >> 63 else [])
            if variant.GetName() in ["$variant$%d" % one for one in names]:
                return index
        return other

    def bounded_range(*bounds):
        found = builtins.range(*bounds)
        if len(found) > longest:
            raise ValueError("too long")
        return found

    def is_long(value):
        """True for a text or a path whose length has no meaning."""
        plain = value.GetNonSyntheticValue()
        length = plain.GetChildMemberWithName("length")
        for names in (("vec", "len"), ("inner", "inner", "len"), ("inner", "inner", "inner", "len")):
            inner = plain
            for name in names:
                inner = inner.GetChildMemberWithName(name).GetNonSyntheticValue()
            length = length if length.IsValid() else inner
        return length.GetValueAsUnsigned() > longest

    def escaped(text):
        if text[:1] != '"' or text[-1:] != '"':
            return text
        return json.dumps(text[1:-1], ensure_ascii=False)

    def of_text(original):
        def summary(value, context):
            try:
                return "<unreadable>" if is_long(value) else escaped(original(value, context))
            except Exception:
                return "<unreadable>"
        return summary

    def of_size(original):
        def summary(value, context):
            try:
                return own.listed(own.synthetic(value), False)
            except Exception:
                return "<unreadable>"
        return summary

    depth = [0]
    """How many enums and structures contain the member that is being shown."""

    def member_text(value, context):
        if depth[0] > 4:
            return "…"
        if value.GetSummary() or value.GetValue():
            return own.text(value, own.ROOM)
        name = value.GetType().GetName() or ""
        if value.GetNumChildren() == 0 and re.match(r"[\w:]+$", name):
            return name.split("::")[-1]
        is_tuple = getattr(lldb_providers, "is_tuple_fields", None)
        kind = "Tuple" if is_tuple is not None and is_tuple(value) else "Struct"
        return getattr(lldb_providers, kind + "SummaryProvider")(value, context)

    def member_texts(value, context):
        depth[0] += 1
        try:
            return [member_text(value.GetChildAtIndex(index), context) for index in range(min(value.GetNumChildren(), own.MOST))]
        finally:
            depth[0] -= 1

    def of_value(original):
        """
        The summary of enums. Pointers to them have none: LLDB 19 crashes if it reads the enum anew. Members without a size, as in Ok(()), are
        not in the debug information.
        """
        def summary(value, context):
            shown = "" if value.GetType().IsPointerType() else original(value, context)
            if not shown.endswith("{None:()}"):
                return shown
            name = shown[: -len("{None:()}")]
            type = own.base_type(value.GetType()).GetName() or ""
            is_unit = (name == "Ok" and "::Result<(), " in type) or (name == "Some" and type.endswith("::Option<()>"))
            return name + "(())" if is_unit else name
        return summary

    def guarded(original):
        def summary(value, context):
            try:
                return original(value, context)
            except Exception:
                return ""
        return summary

    def char_of(value, _):
        code = value.GetValueAsUnsigned()
        if value.GetType().GetByteSize() != 4 or code > 0x10FFFF or 0xD800 <= code < 0xE000:
            return ""
        text = json.dumps(chr(code), ensure_ascii=False)[1:-1]
        return "'%s'" % ("\\'" if text == "'" else '"' if text == '\\"' else text)

    lldb_providers.ClangEncodedEnumProvider._getCurrentVariantIndex = index_of
    lldb_providers.range = bounded_range
    texts = ["String", "Str", "OsString", "PathBuf", "Path"]
    for names, wrapped in ((["Std%sSummaryProvider" % name for name in texts], of_text), (["SizeSummaryProvider"], of_size)):
        for name in names:
            original = getattr(lldb_providers, name, None)
            if original is not None:
                for module in (lldb_providers, lldb_lookup):
                    setattr(module, name, wrapped(original))
    lldb_providers.aggregate_field_summary = member_texts
    for name in dir(lldb_lookup):
        if name == "summary_lookup" or name.endswith("SummaryProvider"):
            original = getattr(lldb_lookup, name)
            setattr(lldb_lookup, name, guarded(of_value(original) if name.startswith("ClangEncodedEnum") else original))
    own.rust_char_of = char_of
    # LLDB names the types of Rust by those of C.
    for line in (
        'type format add -w Rust -p -f d char "signed char"',
        'type format add -w Rust -p -f u "unsigned char"',
        "type summary add -w Rust -v -F sigtrap_values.rust_char_of char32_t",
    ):
        lldb.debugger.HandleCommand(line)


try:
    correct()
except Exception:
    pass
`

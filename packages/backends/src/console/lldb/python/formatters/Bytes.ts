/**
 * Python for LLDB: the numbers of characters from 0x80 on. LLDB writes a character alone, and whether its number is negative depends on the
 * type, which can have any name, and on the processor.
 */

/** The source of the summary. It follows `Summaries`. */
export const bytes = String.raw`def is_byte(type, _):
    """True for a character of one byte. LLDB asks this of each type before it shows a value of the type."""
    try:
        return type.GetCanonicalType().GetUnqualifiedType().GetName() in BYTES + ("char",)
    except Exception:
        return False


def byte_number(value, _):
    """The number of a character from 0x80 on; nothing for the others, whose character tells it."""
    try:
        shown = plain(value).GetValue() or ""
        number = plain(value).GetValueAsSigned()
        return str(number) if shown.startswith("'") and not 0 <= number < 0x80 else ""
    except Exception:
        return ""
`

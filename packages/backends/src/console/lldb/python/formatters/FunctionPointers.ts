/**
 * Python for LLDB: summaries of pointers to functions, such as `(open_file at files.c:24)`, `(puts in libc.so.6)`. LLDB's own text has
 * the module, the types of the parameters and the column too, and a made-up name of a function that has none.
 */

/** The source of the summary. It follows `Summaries`. */
export const functionPointers = String.raw`def is_function_pointer(type, _):
    """True for a pointer to a function. LLDB asks this of each type before it shows a value of the type."""
    try:
        type = type.GetCanonicalType()
        return type.IsPointerType() and type.GetPointeeType().GetCanonicalType().IsFunctionType()
    except Exception:
        return False


def function_pointer_of(value, _):
    """The function at the address, and its file and line, or its module; nothing for an address that is in no function."""
    try:
        address = value.GetTarget().ResolveLoadAddress(number(value))
        symbol = address.GetSymbol()
        function = address.GetFunction()
        name = (function if function.IsValid() else symbol).GetName()
        if not name:
            return ""
        begin = function.GetStartAddress() if function.IsValid() else symbol.GetStartAddress()
        distance = address.GetFileAddress() - begin.GetFileAddress()
        shown = function_name_of(name) + (" + " + str(distance) if distance else "")
        line = address.GetLineEntry()
        if line.IsValid() and line.GetLine() > 0:
            return "(%s at %s:%d)" % (shown, line.GetFileSpec().GetFilename(), line.GetLine())
        module = address.GetModule().GetFileSpec().GetFilename()
        return "(a function of %s)" % module if name.startswith("___lldb_unnamed") else "(%s in %s)" % (shown, module)
    except Exception:
        return ""
`

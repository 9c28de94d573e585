/**
 * Python for LLDB: names for values in the tree of a result of an expression, such as `$3`.
 */

/** The source of the command. */
export const resultNames = String.raw`def name_result(debugger, command, context, result, _):
    """The command sigtrap-name-result RESULT STEP...: prints the name of a value in memory; an empty line if it is elsewhere."""
    try:
        words = command.split()
        value = context.GetFrame().EvaluateExpression(words[0])
        for word in words[1:]:
            value = value.GetChildAtIndex(int(word))
        is_placed = value.IsValid() and value.GetLoadAddress() != lldb.LLDB_INVALID_ADDRESS
        result.AppendMessage(value.Persist().GetName() if is_placed else "")
    except Exception:
        result.AppendMessage("")
`

/**
 * Python for LLDB: reads pages of the children of a value. LLDB keeps children and their summaries for the stop, also for lldb-dap.
 * Inside one command a call of a formatter takes a third of the time, because LLDB need not prepare the interpreter for each.
 */

/** The source of the commands. */
export const childPages = String.raw`MOST_MEMBERS = 8


def page_of(command, context):
    """The children of a variable, of a page START COUNT PATH. Some formatters make children after the last one, if they are asked."""
    start, count, path = command.split(" ", 2)
    value = context.GetFrame().GetValueForVariablePath(path)
    end = int(start) + int(count)
    for index in range(int(start), min(end, value.GetNumChildren(end))):
        child = value.GetChildAtIndex(index)
        if not child.IsValid():
            return
        yield child


def child_names(debugger, command, context, result, _):
    """The command sigtrap-child-names START COUNT PATH: prints the names of children of a variable as JSON."""
    result.AppendMessage(json.dumps([child.GetName() or "" for child in page_of(command, context)]))


def show_values(debugger, command, context, result, _):
    """The command sigtrap-show: runs a JSON list of three commands, and prints what the second one wrote as JSON."""
    answers = [lldb.SBCommandReturnObject() for _ in range(3)]
    for line, answer in zip(json.loads(command), answers):
        debugger.GetCommandInterpreter().HandleCommand(line, answer)
    shown = {"output": answers[1].GetOutput() or "", "errors": answers[1].GetError() or ""}
    result.AppendMessage(json.dumps(shown))


def read_page(debugger, command, context, result, _):
    """The command sigtrap-read-page START COUNT PATH: reads children of a variable, with the summaries of their members."""
    for child in page_of(command, context):
        if child.GetSummary() is None and child.GetValue() is None:
            for number in range(min(child.GetNumChildren(MOST_MEMBERS), MOST_MEMBERS)):
                child.GetChildAtIndex(number).GetSummary()
`

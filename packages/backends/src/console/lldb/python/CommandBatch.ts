/**
 * Python for LLDB: runs several commands by one command.
 */

/** The source of the command. */
export const commandBatch = String.raw`def run_batch(debugger, command, context, result, _):
    """The command sigtrap-batch: runs the commands of a JSON list, and prints the list of their outputs."""
    interpreter = debugger.GetCommandInterpreter()
    outputs = []
    for line in json.loads(command):
        answer = lldb.SBCommandReturnObject()
        interpreter.HandleCommand(line, answer)
        outputs.append((answer.GetOutput() or "") + (answer.GetError() or ""))
    result.AppendMessage(json.dumps(outputs))
`

/**
 * Finds the messages of logpoints in an adapter's output. A mark with the breakpoint's number precedes each message, which
 * distinguishes it from the debugger's own output.
 */

/** Returns the mark before the messages of a logpoint. */
export const mark = (id: number): string => `\u001e${id}\u001f`

/** Returns the messages in an output; none if it does not begin with a mark. */
export const parse = (output: string): ReadonlyArray<{ readonly id: number; readonly text: string }> => {
  const [before, ...marked] = output.split("\u001e")
  if (before !== "") return []
  return marked.map((message) => {
    const [id, text = ""] = message.split("\u001f")
    return { id: Number(id), text }
  })
}

/**
 * The message of a Rust panic. The panic hook writes it to the program's stderr before the program stops in `rust_panic`.
 */
import type { OutputSource } from "../../session/events/MaskedOutput.ts"

/** Maximum number of characters of output that are searched. */
const maxText = 16_384

/** Returns the newest message that was written since the previous stop; undefined if a program's own hook writes none. */
export const of = ({
  maskedOutput: journal
}: {
  readonly maskedOutput: Pick<OutputSource, "before" | "next">
}): string | undefined => {
  let text = ""
  let stops = 0
  for (const { event } of journal.before(journal.next)) {
    if (event._tag === "Stopped") stops++
    if (text.length >= maxText || stops > 1) break
    if (event._tag === "Output" && event.channel === "stderr") text = event.text + text
  }
  const lines = text.split("\n")
  const index = lines.findLastIndex((line) => line.startsWith("thread '") && line.includes(" panicked at "))
  const line = lines[index]
  if (line === undefined) return undefined
  // Before Rust 1.73 the message was in quotes on the same line.
  const quoted = / panicked at '(.*)', [^']*$/.exec(line)?.[1]
  const message = quoted ?? lines[index + 1]
  return message === undefined || message === "" ? undefined : message
}

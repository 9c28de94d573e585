/**
 * The message of a Rust panic. The panic hook writes it to the program's stderr before the program stops in `rust_panic`.
 */
import * as RustPanic from "../../model/crashes/RustPanic.ts"
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
  const message = RustPanic.of(text.split("\n"))?.message
  return message === "" ? undefined : message
}

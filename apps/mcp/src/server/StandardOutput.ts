/**
 * Writes to the standard output of this process. A sink of the library listens to the stream anew for each text.
 */
import { Effect } from "effect"

/** Waits until standard output takes more, or is closed. */
const drained = Effect.callback<void>((resume) => {
  const { stdout } = process
  const ignore = () => {
    stdout.off("drain", go)
    stdout.off("close", go)
  }
  const go = () => {
    ignore()
    resume(Effect.void)
  }
  stdout.once("drain", go)
  stdout.once("close", go)
  return Effect.sync(ignore)
})

/** Writes a text, and waits while the stream is full. The sink of the server's other messages handles errors of the stream. */
export const write = (text: string): Effect.Effect<void> =>
  Effect.suspend(() => (process.stdout.write(text) || process.stdout.closed ? Effect.void : drained))

/** Writes text to a standard stream of Node. */
import { Effect } from "effect"

/** Writes text and completes when it is written. Writes nothing for an empty text. */
export const write = (stream: NodeJS.WriteStream, text: string): Effect.Effect<void> =>
  text === ""
    ? Effect.void
    : Effect.callback<void>((resume) => {
        try {
          stream.write(text, () => resume(Effect.void))
        } catch (error) {
          // Deno throws what Node reports by an event.
          stream.emit("error", error)
          resume(Effect.void)
        }
      })

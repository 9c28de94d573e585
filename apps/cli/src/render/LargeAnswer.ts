/**
 * Divides the work on a large answer over turns of the event loop: reading a page of 1 MiB, encoding, printing and sending it take
 * several milliseconds each, and other clients are answered between them.
 */
import { type Answer, OutputPage } from "@sigtrap/protocol"
import { Effect } from "effect"

/** Characters from which an answer is large. */
const large = 64 * 1024

/** Makes an effect that ends the turn if the answer is a large page of output. */
export const turns = (answer: Answer.Answer<unknown>): Effect.Effect<void> =>
  (OutputPage.of(answer.data)?.text.length ?? 0) > large ? Effect.yieldNow : Effect.void

/**
 * Divides the work on a large answer over turns of the event loop: reading a page of 1 MiB, encoding, printing and sending it take
 * several milliseconds each, and other clients are answered between them.
 */
import { type Answer, OutputPage } from "@sigtrap/protocol"
import { Effect } from "effect"
import * as LoopPermit from "@sigtrap/host/runtime/LoopPermit"

/** Characters from which an answer is large. */
const large = 64 * 1024

/**
 * Makes an effect that waits for a turn of the loop if the answer is a large page of output. Between two turns of such work the loop
 * rests as long as the first one took: a call of another client takes several turns itself.
 */
export const turns = (answer: Answer.Answer<unknown>): Effect.Effect<void> =>
  (OutputPage.of(answer.data)?.text.length ?? 0) > large ? LoopPermit.shared.take() : Effect.void

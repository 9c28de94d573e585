/**
 * Divides the work on a large answer over turns of the event loop: reading a page of 1 MiB, encoding, printing and sending it take
 * several milliseconds each, and other clients are answered between them.
 */
import type { CommandOutput } from "@sigtrap/host/daemon/Protocol"
import { type Answer, OutputPage } from "@sigtrap/protocol"
import { Effect, Stream } from "effect"
import * as LoopPermit from "@sigtrap/host/runtime/LoopPermit"
import * as JsonDocument from "./JsonDocument.ts"

/** Characters from which an answer is large. */
const large = 64 * 1024

/** Characters that are printed in one turn of the event loop: about a millisecond of work. */
const turn = 256 * 1024

/** True for a large page of output. */
export const isLarge = (answer: Answer.Answer<unknown>): boolean =>
  (OutputPage.of(answer.data)?.text.length ?? 0) > large

/**
 * Makes an effect that waits for a turn of the loop if the answer is a large page of output. Between two turns of such work the loop
 * rests as long as the first one took: a call of another client takes several turns itself.
 */
export const turns = (answer: Answer.Answer<unknown>): Effect.Effect<void> =>
  isLarge(answer) ? LoopPermit.shared.take() : Effect.void

/** Returns a text as pieces of at most 64 Ki characters. */
export const divided = (text: string): ReadonlyArray<CommandOutput> =>
  Array.from(JsonDocument.slices(text, large), (piece) => ({ _tag: "Stdout", text: piece }))

/** Prints a large document on one line, in pieces and in several turns. */
export const printed = Effect.fnUntraced(function* (document: JsonDocument.Document) {
  const pieces: Array<CommandOutput> = []
  let length = 0
  for (const text of JsonDocument.pieces(document, large)) {
    pieces.push({ _tag: "Stdout", text })
    length += text.length
    if (length < turn) continue
    length = 0
    yield* LoopPermit.shared.take()
  }
  return pieces
})

/**
 * Returns the pieces of a command as a stream. Pieces that are large together are sent one by one: each message is encoded in a turn
 * of its own, and the next one follows when the client has read it.
 */
export const stream = <E, R>(
  pieces: Effect.Effect<ReadonlyArray<CommandOutput>, E, R>
): Stream.Stream<CommandOutput, E, R> =>
  Stream.unwrap(
    Effect.map(pieces, (all) => {
      let length = 0
      for (const piece of all) if (piece._tag !== "Exit") length += piece.text.length
      return length > large ? Stream.rechunk(Stream.fromIterable(all), 1) : Stream.fromIterable(all)
    })
  )

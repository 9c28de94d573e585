/**
 * The standard input of a program whose streams are named pipes of ours.
 */
import type { Backend } from "@sigtrap/manager"
import { Errors } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Streams } from "./ProgramStreams.ts"

/** The input over these streams. Writing after the end of file was sent is an `AdapterError`. */
export const make = (streams: Streams): Backend.Input => ({
  write: (bytes) =>
    streams
      .write(bytes)
      .pipe(Effect.mapError(({ detail }) => new Errors.AdapterError({ command: "standard input", detail }))),
  close: streams.closeInput
})

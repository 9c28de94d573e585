/**
 * The standard input of a program: a named pipe of ours, or a terminal of LLDB's.
 */
import type { Backend } from "@sigtrap/manager"
import { Errors, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Streams } from "./Streams.ts"

/** The input over these streams. Writing after the end of file was sent is an `AdapterError`. */
export const make = (streams: Streams): Backend.Input => ({
  write: (bytes) =>
    streams
      .write(bytes)
      .pipe(Effect.mapError(({ detail }) => new Errors.AdapterError({ command: "standard input", detail }))),
  close: streams.closeInput
})

/** Most bytes in one command; a terminal takes no longer line. */
const piece = 1024

const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

/**
 * The input over the terminal that LLDB made: only its Python can type there (`SBProcess.PutSTDIN`), so an LLDB without
 * one is `Unsupported`. The end of file is what a person types for it.
 */
export const terminal = (connection: Pick<Backend.Connection, "command">): Backend.Input => {
  const type = Effect.fnUntraced(function* (bytes: Uint8Array) {
    for (let at = 0; at < bytes.length; at += piece) {
      const text = hex(bytes.subarray(at, at + piece))
      const process = "lldb.debugger.GetSelectedTarget().GetProcess()"
      const answer = yield* connection.command(`script _ = ${process}.PutSTDIN(bytes.fromhex("${text}"))`)
      // Nothing is printed: lldb-dap takes what its Python prints for output of the program.
      if (answer.trim() !== "") {
        return yield* new Errors.Unsupported({
          what: "typing into the program's terminal",
          by: "an LLDB without Python",
          remedies: [Hint.help("start", "--terminal none: without a terminal, input is a pipe")]
        })
      }
    }
  })
  return { write: type, close: Effect.ignore(type(Uint8Array.of(4))) }
}

/**
 * The standard input of a program: a named pipe, or a terminal that LLDB created.
 */
import type { Backend } from "@sigtrap/manager"
import { Errors, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Streams } from "./Streams.ts"

/** Makes the input over named pipes. Writing after `close` fails with `AdapterError`. */
export const make = (streams: Streams): Backend.Input => ({
  write: (bytes) =>
    streams
      .write(bytes)
      .pipe(Effect.mapError(({ detail }) => new Errors.AdapterError({ command: "standard input", detail }))),
  close: streams.closeInput
})

/** Maximum bytes in one command: the maximum line length of a terminal. */
const pieceSize = 1024

const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

/**
 * Makes the input over the terminal that LLDB created. Only LLDB's Python can write to it (`SBProcess.PutSTDIN`), so an LLDB
 * without Python fails with `Unsupported`. The end of file is Ctrl-D.
 */
export const terminal = (connection: Pick<Backend.Connection, "command">): Backend.Input => {
  const type = Effect.fnUntraced(function* (bytes: Uint8Array) {
    for (let at = 0; at < bytes.length; at += pieceSize) {
      const text = hex(bytes.subarray(at, at + pieceSize))
      const process = "lldb.debugger.GetSelectedTarget().GetProcess()"
      const answer = yield* connection.command(`script _ = ${process}.PutSTDIN(bytes.fromhex("${text}"))`)
      // The script prints nothing, since lldb-dap reports what Python prints as output of the program.
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

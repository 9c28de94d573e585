/**
 * The error that a test or `main` of Rust returned. The library writes it in `std::process::Termination::report`, whose variable `err` it is
 * (library/std/src/process.rs of Rust), after the function has returned.
 */
import { FunctionName } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as RuntimeFrames from "../../model/RuntimeFrames.ts"
import type { Session } from "../../session/Session.ts"
import * as SeenValues from "../values/SeenValues.ts"
import type { Page, StopView } from "../../session/values/StopView.ts"

/** The function that has the error, as LLDB and GDB name it. */
const reports = /(?:\bTermination>|\bprocess::\{impl#\d+\})::report\b/

/** The value of a pointer to a trait object, such as `Box<dyn Error>`. */
const traitObject = /^\{pointer:0x[0-9a-f]+, vtable:(0x[0-9a-f]+)[^}]*\}$/

/** The place of the first method in a table of methods: behind the function that drops, the size and the alignment. */
const firstMethod = 24n

/** Bytes of a word. */
const word = 8

/** Returns the type of a trait object, which the name of its first method has: `<app::Wrong as core::fmt::Debug>::fmt`. */
const typeOf = Effect.fnUntraced(function* (session: Session, table: bigint) {
  const { inspection } = yield* session.connection
  const { bytes, unreadable } = yield* inspection.memory(table + firstMethod, word)
  if (inspection.faults === undefined || unreadable.length > 0 || bytes.length !== word) return undefined
  const address = new DataView(bytes.buffer, bytes.byteOffset, word).getBigUint64(0, true)
  const symbol = yield* inspection.faults.symbol(address)
  if (symbol?.offset !== 0) return undefined
  const [, type] = /^<(.+) as core::fmt::Debug>::fmt\b/.exec(FunctionName.short(symbol.name)) ?? []
  return type
})

/** The function of the library that judges what a test returned (library/test/src/lib.rs). */
const judges = /^test::assert_test_result\b/

/** Returns what the test or `main` returned, as a sentence; undefined at other stops, and if the error cannot be read. */
export const of = Effect.fnUntraced(
  function* (session: Session, view: StopView, thread: number, { frames }: Page) {
    const [top] = frames
    const frame = frames.find(({ function: name }) => reports.test(FunctionName.short(name)))
    if (top === undefined || frame === undefined || !RuntimeFrames.writesReturnedError(top)) return undefined
    const at = yield* view.frame(thread, frame.index)
    const errors = (yield* view.locals(at)).filter(({ name }) => name === "err")
    const who = frames.some(({ function: name }) => judges.test(FunctionName.short(name))) ? "the test" : "main"
    const [error] = SeenValues.whole(session, errors, yield* SeenValues.read(session, view, at, errors))
    if (error === undefined) return undefined
    const { value } = error
    const [, table] = traitObject.exec(value) ?? []
    if (table === undefined) return `${who} returned Err(${value})`
    const type = yield* typeOf(session, BigInt(table))
    return type === undefined ? undefined : `${who} returned Err with a ${type}`
  },
  Effect.orElseSucceed(() => undefined)
)

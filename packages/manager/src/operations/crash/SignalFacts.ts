/**
 * The facts of a signal: what it is, who sent it, and what it means if the kernel sent it for something that the program did.
 */
import type { Explanation } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as CoreSignals from "../../model/cores/CoreSignals.ts"
import * as SignalMeaning from "../../model/signals/SignalMeaning.ts"
import { FileReader } from "../../ports/FileReader.ts"
import type { SignalInfo } from "../../ports/Faults.ts"
import type { Session } from "../../session/Session.ts"
import type { StopView } from "../../session/values/StopView.ts"
import type { StopPlace } from "./StopFindings.ts"

type Fact = Explanation.Fact

/** Returns who sent the signal, if a process did. A program sends itself SIGABRT when it calls `abort`, which says nothing. */
export const sender = (info: SignalInfo, pid: number | undefined): Fact | undefined => {
  if (info.sent !== true || (info.name === "SIGABRT" && (info.sender === undefined || info.sender === pid)))
    return undefined
  const who =
    info.sender === undefined
      ? "a process, not by a fault of the program"
      : info.sender === pid
        ? "the program itself"
        : info.sender === 0
          ? "the kernel"
          : `process ${info.sender}`
  return {
    kind: "sender",
    text: `sent by ${who}`,
    by: info.by,
    ...(info.sender === undefined ? {} : { pid: info.sender })
  }
}

/** Returns which signal it is, with its code or the description of the debugger. */
export const of = (info: SignalInfo, description: string | undefined): Fact => ({
  kind: "signal",
  text:
    info.code === undefined
      ? (description?.replace(/^signal (?=SIG)/, "") ?? info.name)
      : `${info.name} (${info.code})`,
  by: info.by,
  signal: info.name,
  ...(info.code === undefined ? {} : { code: info.code })
})

/**
 * The signals of threads by stop. Evaluating an expression can run a system call in the program, and what the kernel says of the signal
 * is lost then.
 */
const signals = new WeakMap<StopView, Map<number, SignalInfo>>()

/** Returns the signal of a stop, as its core file, the kernel or the debugger has it. */
export const read = Effect.fnUntraced(function* (session: Session, { thread, top, view }: StopPlace, signal: string) {
  const known = signals.get(view) ?? new Map<number, SignalInfo>()
  signals.set(view, known)
  const before = known.get(thread)
  if (before !== undefined) return before
  const { existing } = session.launch
  const { faults } = (yield* session.connection).inspection
  const said: SignalInfo =
    (faults === undefined ? undefined : yield* faults.signal(top.handle)) ?? ({ name: signal, by: "debugger" } as const)
  const noted =
    existing?.kind === "core" ? yield* CoreSignals.read(existing.file, thread, yield* FileReader) : undefined
  const found = noted?.name === signal ? noted : said
  known.set(thread, found)
  return found
})

/** Reads what a system call returned where the program is stopped, on x86-64 or arm64. */
const callResult = Effect.fnUntraced(function* (session: Session, { top }: StopPlace) {
  const { faults } = (yield* session.connection).inspection
  if (faults === undefined) return undefined
  const word = (yield* faults.number("$rax", top.handle)) ?? (yield* faults.number("$x0", top.handle))
  return word === undefined ? undefined : BigInt.asIntN(64, word)
})

/** Returns what a signal means, if the kernel sent it for something that the program did. */
export const meaning = Effect.fnUntraced(function* (session: Session, place: StopPlace, info: SignalInfo) {
  const result = SignalMeaning.dependsOnResult(info) ? yield* callResult(session, place) : undefined
  const { pid } = session.log.snapshot
  const text = SignalMeaning.of(info, { name: place.top.frame.function, pid, result })
  if (text === undefined) return undefined
  const fact: Fact = { kind: "instruction", text, by: info.by }
  return fact
})

/**
 * Which code a signal interrupted whose handler runs at a stop, and the fault there. So a handler that reports a crash and then ends the
 * program does not hide that crash.
 */
import { type Explanation, type Frame, FunctionName } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as RuntimeFrames from "../../model/RuntimeFrames.ts"
import * as SignalFrame from "../../model/crashes/SignalFrame.ts"
import type { Session } from "../../session/Session.ts"
import type { StopView } from "../../session/values/StopView.ts"
import * as SignalReturn from "../frames/SignalReturn.ts"
import * as CrashFinding from "./CrashFinding.ts"
import type { StopPlace } from "./StopFindings.ts"

type Fact = Explanation.Fact

/** Frames in which handlers are looked for: a handler that writes a report may have called many functions. */
const depth = 64

/** What runs in a handler at a stop: the index of the frame to which it returns, and what it interrupted. */
interface Handler {
  readonly index: number
  readonly fact: Fact
}

/** The functions that C libraries call to end the program by SIGABRT. */
const aborts = (frames: ReadonlyArray<Frame.Frame>) => frames.some(({ function: name }) => name === "abort")

const baseName = (path: string) => path.slice(path.lastIndexOf("/") + 1)

/** `abort, called in serve server.cpp:25`: the code that was interrupted. */
const codeText = (inner: ReadonlyArray<Frame.Frame>, user: Frame.Frame): string => {
  const { file, function: name, line, module } = user
  const named = inner.filter(RuntimeFrames.isNamed)
  const called = aborts(inner) ? "abort" : named[0]?.function
  const where =
    file === undefined
      ? module === undefined
        ? ""
        : ` (${baseName(module)})`
      : ` ${baseName(file)}${line === undefined ? "" : `:${line}`}`
  const code = `${FunctionName.short(name)}${where}`
  return called === undefined ? code : `${FunctionName.short(called)}, called in ${code}`
}

/** Reads what the kernel saved for the handler that returns to a frame. Only x86-64 is read. */
const savedAt = Effect.fnUntraced(
  function* (view: StopView, thread: number, index: number) {
    const { activation = "" } = yield* view.frame(thread, index)
    if (!/^0x[0-9a-f]+$/i.test(activation)) return undefined
    const { bytes, unreadable } = yield* view.connection.inspection.memory(BigInt(activation), SignalFrame.size)
    const saved = unreadable.length > 0 ? undefined : SignalFrame.parse(bytes)
    const { frame } = yield* view.frame(thread, index + 1)
    // Another system has another frame: then the saved address is not that of the interrupted code.
    return saved !== undefined && frame.address !== undefined && saved.registers.get("rip") === BigInt(frame.address)
      ? saved
      : undefined
  },
  Effect.orElseSucceed(() => undefined)
)

/** Returns what a handler interrupted: `frames` are the frames between the one to which it returns and that of the next handler. */
const handlerAt = Effect.fnUntraced(function* (
  session: Session,
  { thread, view }: StopPlace,
  frames: ReadonlyArray<Frame.Frame>
) {
  const { faults } = (yield* session.connection).inspection
  const index = (frames[0]?.index ?? 1) - 1
  const userAt = Math.max(0, frames.findIndex(RuntimeFrames.isUserFrame))
  const inner = frames.slice(0, userAt)
  const top = yield* view.frame(thread, index + 1)
  const user = yield* view.frame(thread, index + 1 + userAt)
  const saved = yield* savedAt(view, thread, index)
  const pc = saved?.registers.get("rip")
  // The debugger may not know the interrupted frame, but each address.
  const innermost = yield* view.frame(thread, 0)
  const instruction =
    pc === undefined ? undefined : yield* faults?.instruction(innermost.handle, pc) ?? Effect.undefined
  const info = saved === undefined ? undefined : SignalFrame.faultOf(saved, instruction)
  const runtime = RuntimeFrames.causeOf(inner)
  const signal = info?.name ?? (aborts(inner) ? "SIGABRT" : undefined)
  const place: StopPlace = {
    view,
    thread,
    top,
    user,
    page: { frames },
    ...(saved === undefined
      ? {}
      : { interrupted: { registers: saved.registers, ...(instruction === undefined ? {} : { instruction }) } })
  }
  const cause: CrashFinding.Cause = {
    ...(signal === undefined ? {} : { signal }),
    ...(info === undefined ? {} : { info }),
    ...(runtime === undefined ? {} : { runtime })
  }
  const finding = signal === undefined ? undefined : yield* CrashFinding.of(session, place, cause, false)
  const which = signal === undefined ? "a signal" : info?.code === undefined ? signal : `${signal} (${info.code})`
  const why = finding?.line === undefined ? "" : `: ${finding.line}`
  const fact: Fact = {
    kind: "handler",
    text: `in a handler of ${which} that interrupted ${codeText(inner, user.frame)}${why}`,
    by: "stack",
    frame: user.frame.index,
    ...(signal === undefined ? {} : { signal }),
    ...(info?.code === undefined ? {} : { code: info.code })
  }
  return { index, fact } satisfies Handler
})

/**
 * Returns the innermost handler that runs in the thread of a stop, and the outermost one if it is another: what that interrupted happened
 * first.
 */
export const of = Effect.fnUntraced(
  function* (session: Session, place: StopPlace) {
    const { thread, view } = place
    const page = yield* view.stack(thread, 0, depth)
    const returns: Array<number> = []
    for (const frame of page.frames.slice(1, -1)) {
      if (yield* SignalReturn.isAt(view, frame)) returns.push(frame.index)
    }
    const [inner, outer] = [returns[0], returns.length > 1 ? returns.at(-1) : undefined]
    const read = (index: number) => {
      const end = returns.find((one) => one > index) ?? page.frames.length
      return handlerAt(session, place, page.frames.slice(index + 1, end))
    }
    const handlers = yield* Effect.forEach(
      [inner, outer].filter((one) => one !== undefined),
      read
    )
    return handlers.filter(({ fact: { text } }, at) => handlers.findIndex(({ fact }) => fact.text === text) === at)
  },
  // The rest of the explanation does not depend on it.
  Effect.orElseSucceed((): ReadonlyArray<Handler> => [])
)

/**
 * Describes the exception or signal at which the program stopped: for stop reports, and as the handler of `exception`.
 */
import { Errors, type Frame, type Stop } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Connection, ExceptionDetails, RaisedException } from "../../ports/Backend.ts"
import { FileReader } from "../../ports/FileReader.ts"
import * as CoreException from "../../model/cores/CoreException.ts"
import * as CppException from "../../model/crashes/CppException.ts"
import * as Policy from "../../model/permissions/Policy.ts"
import * as RuntimeFrames from "../../model/RuntimeFrames.ts"
import type { Session } from "../../session/Session.ts"
import type { StopView } from "../../session/values/StopView.ts"
import * as Selection from "../frames/Selection.ts"
import * as PanicValue from "../values/PanicValue.ts"
import { catchpoints } from "./Catchpoints.ts"

/** Runtime functions that throw. A function of the user may have such a name too, such as `assert_valid`. */
const throwingFunction = /^(?:__cxa_|_Unwind_|objc_exception|_?_?assert|__pthread_kill|__GI_|raise$|abort$|std::)/

/** True if an exception was raised in a frame, not in a function of the runtime that raises it. */
const raises = (frame: Frame.Frame) =>
  frame.file !== undefined &&
  (RuntimeFrames.isUserFrame(frame) ||
    (!throwingFunction.test(frame.function) && RuntimeFrames.runtimeOf(frame)?.startsWith("Go ") !== true))

/**
 * Functions of the C++ runtime that are on the stack when an exception ends the program. The personality routine ends it at a function
 * that lets no exception pass; `_Unwind_Resume` called it if objects of the frames before were destroyed (Itanium C++ ABI).
 */
const unwinds = /^(?:std::terminate\b|__cxa_(?:re)?throw$|__gxx_personality_|_Unwind_Resume(?:_or_Rethrow)?$)/

/** Reads the exception that ended the program from memory. The stack up to the frame that threw points to it. */
const onStack = Effect.fnUntraced(
  function* ({ inspection }: Connection, view: StopView, thread: number, memory: CoreException.Memory | undefined) {
    const { frames } = yield* view.stack(thread, 0, 40)
    const thrower = frames.findLastIndex(({ function: name }) => unwinds.test(name))
    const top = yield* view.frame(thread, 0)
    const above = yield* view.frame(thread, thrower + 1)
    const from = yield* inspection.faults?.number("$sp", top.handle) ?? Effect.undefined
    const to = yield* inspection.faults?.number("$sp", above.handle) ?? Effect.undefined
    if (thrower < 0 || from === undefined || to === undefined || memory === undefined) return {}
    const thrown = yield* CoreException.find({ from, to }, memory)
    return thrown === undefined ? {} : yield* CppException.inMemory(inspection, thrown)
  },
  Effect.orElseSucceed((): CppException.CppException => ({}))
)

/** Reads the memory of a running program, as far as it is readable. */
const memoryOf =
  ({ inspection }: Connection): CoreException.Memory =>
  (address, length) =>
    inspection.memory(address, Number(length)).pipe(
      Effect.map(({ bytes, unreadable }) => bytes.subarray(0, unreadable[0]?.[0] ?? bytes.length)),
      Effect.orElseSucceed(() => new Uint8Array(0))
    )

/** Reads the C++ exception at a stop. Calls functions of the program only if the policy allows it. */
const thrownAt = Effect.fnUntraced(function* (session: Session, view: StopView, thread: number, isThrowing: boolean) {
  const live = yield* session.connection
  const { existing } = session.launch
  if (existing?.kind === "core") {
    const files = yield* FileReader
    return yield* Effect.scoped(
      Effect.flatMap(CoreException.memoryOf(existing.file, files), (memory) => onStack(live, view, thread, memory))
    )
  }
  const { frame, handle } = yield* view.frame(thread, 0)
  if (frame.function === "__gxx_personality_v0") return yield* CppException.ofPersonality(live, handle)
  if (Policy.forbidsCode(session.policy) === undefined) return yield* CppException.read(live, handle, isThrowing)
  return isThrowing ? yield* CppException.ofArguments(live, handle) : yield* onStack(live, view, thread, memoryOf(live))
})

/** Describes a panic of Go where it begins. Delve describes one only where it ends the program. */
const goPanic = (place: PanicValue.Place) =>
  Effect.map(PanicValue.of(place, undefined), (message): ExceptionDetails => ({
    id: "panic",
    ...(message === undefined ? {} : { message })
  }))

/** Describes the exception or signal at which a thread stopped, with its stack. */
export const describeException = Effect.fnUntraced(function* (session: Session, view: StopView, thread: number) {
  const live = yield* session.connection
  const page = yield* view.stack(thread, 0, 20)
  const { frames } = page
  const found =
    frames[0]?.function === "runtime.gopanic" ? yield* goPanic({ page, thread, view }) : yield* live.exception(thread)
  const own = frames.find(raises) ?? frames[0]
  const throwing = frames[0]?.function === "__cxa_throw"
  const unhandled = frames.some(({ function: name }) => unwinds.test(name))
  const thrown: CppException.CppException =
    throwing || unhandled ? yield* thrownAt(session, view, thread, throwing) : {}
  yield* view.check
  const type = found.type ?? thrown.type
  // The words of the debugger are about the signal. They are not the message of an exception whose own type was read.
  const described = session.log.snapshot.stopped?.description
  const told = found.message ?? found.text ?? (described === type ? undefined : described)
  const message = thrown.message ?? (unhandled && thrown.type !== undefined ? undefined : told)
  const placed = ({ text, function: name = "", file, line, omitted }: RaisedException): Stop.GroupedException => ({
    text: session.secrets.inText(text),
    ...(omitted === undefined ? {} : { omitted }),
    ...(file === undefined ? {} : { raised_at: { function: name, file, ...(line === undefined ? {} : { line }) } })
  })
  const exception: Stop.StopException = {
    id: found.id,
    ...(type === undefined ? {} : { type }),
    ...(message === undefined ? {} : { message: session.secrets.inText(message) }),
    ...(found.passes === true ? { passes: true } : {}),
    ...(thrown.causes === undefined ? {} : { causes: thrown.causes.map((text) => session.secrets.inText(text)) }),
    ...(found.members === undefined ? {} : { members: found.members.map(placed) }),
    ...(found.causedBy === undefined ? {} : { caused_by: found.causedBy.map(placed) }),
    ...(own === undefined || found.passes === true
      ? {}
      : {
          thrown_at: {
            function: own.function,
            ...(own.file === undefined ? {} : { file: own.file }),
            ...(own.line === undefined ? {} : { line: own.line })
          }
        })
  }
  return { exception, frames }
})

/** Handles `exception`. */
export const exception = Effect.fnUntraced(function* (session: Session) {
  const view = yield* session.view
  const stopped = session.log.snapshot.stopped
  const reason = stopped?.reason
  const caught = catchpoints(session).some(({ id }) => stopped?.breakpoints.includes(id) === true)
  if (reason !== "exception" && reason !== "signal" && !caught) {
    return yield* new Errors.InvalidState({
      problem: `the stop is not an exception; its reason is ${reason ?? "none"}`
    })
  }
  const thread = yield* Selection.threadOf(session, view, undefined)
  const found = yield* describeException(session, view, thread.id)
  return { data: { ...found.exception, frames: found.frames.filter((frame) => frame.hidden !== true) } }
})

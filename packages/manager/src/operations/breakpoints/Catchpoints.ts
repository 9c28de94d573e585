/**
 * Handlers of exceptions: list filters, set and remove catchpoints, describe the thrown exception.
 *
 * A catchpoint is a breakpoint with a number. Without a filter of the debugger, it is a breakpoint on the runtime
 * function that such an exception calls.
 */
import { type Breakpoint, Errors, type Frame, Hint, type Operations, type Stop, Expression } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type {
  Connection,
  ExceptionDetails,
  ExceptionFilter,
  RaisedException,
  SpecialPlace
} from "../../ports/Backend.ts"
import type { Request } from "../../model/BreakpointPlace.ts"
import * as Selection from "../frames/Selection.ts"
import type { Session } from "../../session/Session.ts"
import type { StopView } from "../../session/values/StopView.ts"
import * as ConditionSyntax from "../../model/ConditionSyntax.ts"
import * as CoreException from "../../model/cores/CoreException.ts"
import * as PanicValue from "../values/PanicValue.ts"
import * as CppException from "../../model/crashes/CppException.ts"
import * as Policy from "../../model/permissions/Policy.ts"
import * as RuntimeFrames from "../../model/RuntimeFrames.ts"
import { FileReader } from "../../ports/FileReader.ts"

type Filters = Operations.Data<"catch.list">

/** The debuggers' filters for each name. */
const names: Readonly<Record<string, RegExp>> = {
  throw: /^(?:cpp_throw|throw|raised|all)$/,
  catch: /^(?:cpp_catch|catch)$/,
  uncaught: /^(?:uncaught|userUnhandled|unhandled)$/,
  objc: /^objc_throw$/,
  swift: /^swift_throw$/,
  panic: /panic/i,
  all: /./
}

/** Runtime functions for names without a filter: those that throw, and those that start processes or load libraries. */
const functions: Readonly<Record<string, string>> = {
  fork: "^(__libc_fork|__fork|fork)$",
  vfork: "^(__libc_vfork|__vfork|vfork)$",
  exec: "^(__)?(execve|execveat|fexecve)$",
  load: "^(__)?(dlopen|dlmopen)$",
  unload: "^(__)?dlclose$",
  panic: "^(([a-z_]+::)*rust_panic|runtime\\.gopanic)$",
  "returned-error": "^std::io::stdio::attempt_print_to_stderr(::h[0-9a-f]+)?$",
  abort: "^abort$",
  assert: "^__assert(_fail|_rtn)?$",
  "uncaught-by-test": "^__gxx_personality_v0$",
  uncaught: "^(std::terminate(\\(\\))?|_ZSt9terminatev)$"
}

/** The name of exceptions of C++ that a test framework catches, and not the test. */
const byTest = "uncaught-by-test"

/** A function that is named as a whole: Go's tests call it when they fail. */
const wholeNames: Readonly<Record<string, string>> = { "failed-test": "testing.(*common).Fail" }

const valueOf = (names: Readonly<Record<string, string>>, name: string) =>
  Object.hasOwn(names, name) ? names[name] : undefined

const requestOf = (text: string, place: Request["place"], condition: string | undefined): Request => ({
  text,
  place,
  kind: "catch",
  pending: true,
  temporary: false,
  ...(condition === undefined ? {} : { condition })
})

/** The place of the functions that a pattern matches. */
const patternPlace = (pattern: string, escaping: boolean): SpecialPlace => ({
  kind: "regex",
  pattern,
  ignoreCase: false,
  ...(escaping ? { escaping } : {})
})

const catchpoints = (session: Session) => session.breakpoints.list().filter(({ kind }) => kind === "catch")

const state = Effect.fnUntraced(function* (session: Session, live: Connection): Effect.fn.Return<Filters> {
  const offered = yield* live.filters
  const set = catchpoints(session)
  const describe = (filter: string, label: string, breakpoint?: Breakpoint.Breakpoint, byDefault = false) => ({
    ...(breakpoint === undefined ? {} : { id: breakpoint.id }),
    filter,
    label,
    on: breakpoint?.enabled ?? byDefault,
    ...(breakpoint?.condition === undefined ? {} : { condition: breakpoint.condition }),
    by: breakpoint?.by ?? ("adapter" as const)
  })
  return {
    filters: [
      ...offered.map(({ filter, label, on }) =>
        describe(
          filter,
          label,
          set.find(({ requested }) => requested.text === filter),
          on
        )
      ),
      ...set
        .filter(({ requested }) => !offered.some(({ filter }) => filter === requested.text))
        .map((breakpoint) => describe(breakpoint.requested.text, "breakpoint on the runtime's function", breakpoint))
    ]
  }
})

const matching = (offered: ReadonlyArray<ExceptionFilter>, name: string) => {
  const exact = offered.filter(({ filter }) => filter === name)
  const pattern = Object.hasOwn(names, name) ? names[name] : undefined
  return exact.length > 0 || pattern === undefined ? exact : offered.filter(({ filter }) => pattern.test(filter))
}

/** `catch.list` */
export const list = Effect.fnUntraced(function* (session: Session) {
  return { data: yield* state(session, yield* session.connection) }
})

/** Removes catchpoints, and turns off filters of the debugger that are on by default. */
const off = Effect.fnUntraced(function* (
  session: Session,
  chosen: ReadonlyArray<Breakpoint.Breakpoint>,
  defaults: ReadonlyArray<ExceptionFilter>
) {
  const { turnOffDefaults } = yield* session.connection
  if (chosen.length > 0) yield* session.breakpoints.remove(chosen.map(({ id }) => id))
  if (defaults.length > 0) yield* turnOffDefaults?.(defaults.map(({ filter }) => filter)) ?? Effect.void
})

const onByDefault = (filters: ReadonlyArray<ExceptionFilter>) => filters.filter(({ on }) => on === true)

/** `catch` */
export const set = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"catch">) {
  const live = yield* session.connection
  const { filter: name } = payload
  if (name === "syscall") {
    return yield* new Errors.Unsupported({
      what: "stopping at system calls",
      by: live.adapter.name,
      remedies: [Hint.call("break", { at: payload.name ?? "write" })]
    })
  }
  if (payload.name !== undefined && name !== "load") {
    return yield* new Errors.Usage({
      problem: `catch ${name} takes no name`,
      near: [],
      remedies: [Hint.help("catch")]
    })
  }
  if (payload.name !== undefined && /["\\\p{Cc}]/u.test(payload.name)) {
    return yield* new Errors.Usage({
      problem: "write the name without quotes",
      near: [],
      remedies: [Hint.call("catch", { filter: "load", name: "libm" })]
    })
  }
  const named = payload.name === undefined ? undefined : `(char*)strstr((char*)$arg1, "${payload.name}") != 0`
  if (named !== undefined && payload.condition !== undefined) {
    return yield* new Errors.Usage({
      problem: "a name and a condition cannot be combined",
      near: [],
      remedies: [Hint.call("catch", { filter: "load", name: "libm" })]
    })
  }
  const condition = payload.condition ?? named
  yield* ConditionSyntax.check(payload.condition, "catch")
  if (name === "none") {
    yield* off(session, catchpoints(session), onByDefault(yield* live.filters))
    return { data: yield* state(session, live) }
  }
  const offered = yield* live.filters
  const filters = matching(offered, name)
  const pattern = valueOf(functions, name)
  const whole = valueOf(live.catchFunctions ?? {}, name) ?? valueOf(wholeNames, name)
  if (filters.length === 0 && pattern === undefined && whole === undefined) {
    const known = [
      ...new Set([
        ...Object.keys(names),
        ...Object.keys({ ...functions, ...wholeNames }),
        ...offered.map(({ filter }) => filter)
      ])
    ]
    return yield* new Errors.Usage({
      problem: `no exception filter ${name}; known filters: ${known.join(", ")}`,
      near: Expression.nearest(name, known),
      remedies: [Hint.call("catch.list", {})]
    })
  }
  if (condition !== undefined && filters.some(({ conditions }) => !conditions)) {
    return yield* new Errors.Unsupported({
      what: "conditions of exception filters",
      by: live.adapter.name,
      remedies: [Hint.call("catch", { filter: name })]
    })
  }
  if (filters.length === 0 && whole === undefined && live.catchFunctions !== undefined) {
    return yield* new Errors.Unsupported({
      what: `stopping at ${name}`,
      by: live.adapter.name,
      remedies: [Hint.call("catch.list", {})]
    })
  }
  const requests =
    filters.length > 0
      ? filters.map(({ filter }) => requestOf(filter, { kind: "catch", filter }, condition))
      : [
          requestOf(
            name,
            whole === undefined
              ? { kind: "special", at: patternPlace(pattern ?? "", name === byTest) }
              : { kind: "function", name: whole },
            condition
          )
        ]
  // Another debugger would stop at each exception.
  if (name !== byTest || live.knowsEscaping === true) yield* session.breakpoints.addAll(requests)
  return { data: yield* state(session, live) }
})

/** Sets the exception breakpoints that `start` names; without any, those of the program's language where they can be set. */
export const fromStart =
  (filters: ReadonlyArray<string> = []) =>
  (session: Session) => {
    const ofLanguage = Effect.flatMap(session.connection, ({ catches = [] }) =>
      Effect.forEach(catches, (filter) => Effect.ignore(set(session, { filter })), { discard: true })
    )
    return filters.length === 0
      ? ofLanguage
      : // A new session has no breakpoints, so none can be missing.
        Effect.forEach(filters, (filter) => set(session, { filter }), { discard: true }).pipe(
          Effect.catchTag("BreakpointNotFound", Effect.die),
          // The session has not started, so `catch list` would fail.
          Effect.catchTag("Usage", ({ near, problem }) =>
            Effect.fail(
              new Errors.Usage({ problem, near, remedies: [Hint.again("start", { catch: [near[0] ?? "throw"] })] })
            )
          )
        )
  }

/** `catch.remove` */
export const remove = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"catch.remove">) {
  const live = yield* session.connection
  const { filter: name } = payload
  const on = catchpoints(session)
  const offered = yield* live.filters
  const filters = name === "all" ? offered : matching(offered, name)
  const matched = filters.map(({ filter }) => filter)
  const chosen = on.filter(
    ({ id, requested }) =>
      name === "all" || `${id}` === name || requested.text === name || matched.includes(requested.text)
  )
  const defaults = onByDefault(filters)
  if (chosen.length === 0 && defaults.length === 0 && name !== "all") {
    return yield* new Errors.Usage({
      problem: `${name} is not on${on.length === 0 ? "" : `; on are: ${on.map(({ requested }) => requested.text).join(", ")}`}`,
      near: [],
      remedies: [Hint.call("catch.list", {})]
    })
  }
  yield* off(session, chosen, defaults)
  return { data: yield* state(session, live) }
})

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
  // The words of the debugger are about the signal. They are no message of an exception whose own type was read.
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

/** `exception` */
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

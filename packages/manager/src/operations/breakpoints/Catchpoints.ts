/**
 * Handlers of `catch`: list the exception filters, set and remove catchpoints.
 *
 * A catchpoint is a breakpoint with a number. Without a filter of the debugger, it is a breakpoint on the runtime
 * function that such an exception calls.
 */
import { type Breakpoint, Errors, Hint, type Operations, Expression } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Connection, ExceptionFilter, SpecialPlace } from "../../ports/Backend.ts"
import type { Request } from "../../model/BreakpointPlace.ts"
import type { Session } from "../../session/Session.ts"
import * as ConditionSyntax from "../../model/ConditionSyntax.ts"

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

/** Returns the catchpoints of a session. */
export const catchpoints = (session: Session) => session.breakpoints.list().filter(({ kind }) => kind === "catch")

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

/** Handles `catch.list`. */
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

/** Handles `catch`. */
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

/** Handles `catch.remove`. */
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

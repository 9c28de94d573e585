/**
 * Handlers that list variables: `locals`, `args`, `globals`, `vars`.
 */
import {
  type Answer,
  Errors,
  Expression,
  type Frame,
  Hint,
  type Operations,
  Pattern,
  type Variable
} from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { GlobalVariable } from "../../ports/Inspection.ts"
import type * as Backend from "../../ports/Backend.ts"
import * as StopReport from "../stops/StopReport.ts"
import * as NamesNotFound from "../names/NamesNotFound.ts"
import * as Selection from "../frames/Selection.ts"
import * as UnknownNames from "../names/UnknownNames.ts"
import * as UnlistedFrame from "../frames/UnlistedFrame.ts"
import type { Session } from "../../session/Session.ts"
import type { Located, StopView } from "../../session/values/StopView.ts"
import { maxOpenedItems, shortened, withMembers } from "../values/ValueMembers.ts"
import * as EventLoop from "../../model/waits/EventLoop.ts"

/** Maximum number of members of a value. */
const maxItems = 1000

const page = <A>(
  operation: "locals" | "globals",
  all: ReadonlyArray<A>,
  payload: { readonly start: number; readonly count: number }
) => {
  const shown = all.slice(payload.start, payload.start + payload.count)
  const end = payload.start + shown.length
  const truncated: ReadonlyArray<Answer.Truncation> =
    end < all.length
      ? [
          {
            path: "data.variables",
            shown: shown.length,
            total: all.length,
            hints: [Hint.again(operation, { start: end })]
          }
        ]
      : []
  return { shown, truncated }
}

const namesOf = (list: ReadonlyArray<{ readonly name: string }>) => list.map(({ name }) => name)

/** Returns a pattern with `*` and `?` as a regular expression. */
const globSource = (text: string): string =>
  [...text].map((c) => (c === "*" ? ".*" : c === "?" ? "." : c.replace(/[\\^$.+()|[\]{}]/, "\\$&"))).join("")

/** Runs work with a pattern. An invalid or slow pattern is a usage error with this hint. */
const usage = <A>(work: Effect.Effect<A, Pattern.Invalid>, hint: Hint.Hint) =>
  Effect.mapError(work, ({ problem }) => new Errors.Usage({ problem, near: [], remedies: [hint] }))

type Chosen = ReadonlyArray<Variable.Variable>

/** Returns the variables whose names match `/REGEX/`, or a pattern with `*` and `?`, or contain a text. */
const named = (text: string | undefined, all: Chosen): Effect.Effect<Chosen, Errors.Usage> => {
  if (text === undefined) return Effect.succeed(all)
  const [, source] = /^\/(.+)\/$/s.exec(text) ?? []
  if (source === undefined && !/[*?]/.test(text)) return Effect.succeed(all.filter(({ name }) => name.includes(text)))
  const compiled = source === undefined ? Pattern.compile(`^${globSource(text)}$`, "s") : Pattern.compile(source)
  const found = Effect.flatMap(compiled, (pattern) => Pattern.filter(pattern, all, ({ name }) => [name]))
  return usage(found, Hint.again("locals", { filter: "item*" }))
}

/** Returns the variables whose types match a regular expression. */
const typed = (source: string | undefined, all: Chosen): Effect.Effect<Chosen, Errors.Usage> => {
  if (source === undefined) return Effect.succeed(all)
  const found = Effect.flatMap(Pattern.compile(source), (pattern) =>
    Pattern.filter(pattern, all, ({ type = "" }) => [type])
  )
  return usage(found, Hint.again("locals", { type: "struct .*" }))
}

const withoutValue = new Set(["uninitialized", "optimized-out", "unknown"])

const uninitialised = (variable: Variable.Variable) =>
  variable.attributes?.some((attribute) => withoutValue.has(attribute)) ?? false

type Scope = Operations.Payload<"locals">["scope"][number]

/** Returns the names of a frame's arguments. The backend marks those of a frame that the debugger does not find. */
const argumentNames = (
  connection: Backend.Connection,
  { frame, handle }: Located,
  locals: ReadonlyArray<Variable.Variable>
) =>
  frame.unlisted === true
    ? Effect.succeed(locals.flatMap(({ kind, name }) => (kind === "arg" ? [name] : [])))
    : connection.inspection.argumentNames(handle)

/** Returns the variables of the requested scopes, each once. */
const scoped = Effect.fnUntraced(function* (
  session: Session,
  view: StopView,
  at: Located,
  scope: ReadonlyArray<Scope>,
  locals: ReadonlyArray<Variable.Variable>
) {
  if (scope.length === 0) return locals
  const wants = (name: Scope) => scope.includes(name) || scope.includes("all")
  const connection = yield* session.connection
  const args = wants("args") || wants("locals") ? argumentNames(connection, at, locals) : Effect.succeed([])
  // Both scopes together need no argument names.
  const names = yield* scope.includes("all") || (scope.includes("args") && scope.includes("locals"))
    ? Effect.catchTag(args, "Unsupported", () => Effect.succeed([]))
    : args
  const isArgument = new Set(names.map((name) => argument(locals, name)))
  const own = locals
    .map((variable) => ({ ...variable, kind: isArgument.has(variable) ? ("arg" as const) : ("local" as const) }))
    .filter(({ kind }) => (kind === "arg" ? wants("args") : wants("locals")))
  const globals = wants("globals") || wants("statics") ? yield* view.globals(at) : []
  const read = wants("registers") ? view.registers(at) : Effect.succeed([])
  const groups = yield* scope.includes("all") ? Effect.catchTag(read, "Unsupported", () => Effect.succeed([])) : read
  yield* view.check
  const registers = groups.flatMap((group) =>
    group.registers.map(({ name, value }): Variable.Variable => ({ name, value, kind: "register" }))
  )
  return [...own, ...globals, ...registers]
})

/** Returns the warning about a frame whose variables are unknown: the debugger does not find it, or its function has no debug information. */
const withoutVariables = (frame: Frame.Frame): ReadonlyArray<Answer.Warning> => {
  if (frame.unlisted === true) return UnlistedFrame.warnings(frame, "variables")
  if (frame.line !== undefined || EventLoop.isIdle(frame)) return []
  const name = UnknownNames.codeOf(frame.function)
  const message = `${name} has no debug information, so its variables are unknown (compile with -g)`
  return [{ code: "NO_DEBUG_INFORMATION", message, hints: [Hint.call("registers", {})] }]
}

/** Handles `locals`. */
export const locals = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"locals">) {
  const view = yield* session.view
  // Invalid patterns fail before anything is read.
  yield* named(payload.filter, [])
  yield* typed(payload.type, [])
  const { at, thread } = yield* Selection.locate(session, view, payload)
  const plain = yield* view.locals(at)
  const marked = payload.changed ? yield* StopReport.marked(session, view, thread.id, at, plain) : plain
  const all = yield* scoped(session, view, at, payload.scope, marked)
  const matching = (yield* typed(payload.type, yield* named(payload.filter, all))).filter(
    (variable) =>
      (payload.names.length === 0 || payload.names.includes(variable.name)) &&
      (payload.uninitialized || !uninitialised(variable)) &&
      (!payload.changed || variable.changed === true)
  )
  const chosen = payload.sort ? matching.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)) : matching
  const { shown, truncated } = page("locals", chosen, payload)
  const range = payload.full
    ? { depth: Math.max(1, payload.depth), items: maxItems, whole: true }
    : { depth: payload.depth, items: maxOpenedItems }
  const variables = yield* Effect.forEach(shown, (variable) => withMembers(session, view, variable, range)).pipe(
    Effect.catchTag("StaleReference", () => Effect.succeed(shown))
  )
  const missing = payload.names.filter((name) => !namesOf(all).includes(name))
  const unknown = all.length === 0 ? withoutVariables(at.frame) : []
  return {
    data: {
      frame: at.frame,
      variables: variables.map((variable) => shortened(variable, payload.max_string)),
      total: chosen.length,
      not_found: missing
    },
    truncated,
    warnings:
      unknown.length > 0
        ? unknown
        : NamesNotFound.warnings("local variable", missing, namesOf(all), Hint.call("locals", {}))
  }
})

/** The file and the line in `NAME @ FILE:LINE`, the name of a variable that shares its name with another one of the function. */
const declaredAt = /^(.*) @ (.*):(\d+)$/

/** Returns the argument of a name. Arguments are declared before the variables that hide them. */
const argument = (all: ReadonlyArray<Variable.Variable>, name: string): Variable.Variable | undefined =>
  all.find((variable) => variable.name === name) ??
  all
    .flatMap((variable) => {
      const [, own, , line] = declaredAt.exec(variable.name) ?? []
      return own === name ? [{ variable, line: Number(line) }] : []
    })
    .toSorted((a, b) => a.line - b.line)[0]?.variable

/** Handles `args`. */
export const args = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"args">) {
  const view = yield* session.view
  const { at } = yield* Selection.locate(session, view, payload)
  const connection = yield* session.connection
  const all = yield* view.locals(at)
  const names = yield* argumentNames(connection, at, all)
  const variables = names.flatMap((name) => {
    const found = argument(all, name)
    return found === undefined ? [] : [{ ...shortened(found, payload.max_string), kind: "arg" as const }]
  })
  const warnings = all.length === 0 ? withoutVariables(at.frame) : []
  return { data: { frame: at.frame, variables, total: variables.length }, warnings }
})

const baseName = (file: string | undefined) => file?.split(/[/\\]/).at(-1)

/** Fails unless a source file belongs to the program. */
const requireFile = Effect.fnUntraced(function* (session: Session, file: string) {
  const all = (yield* (yield* session.connection).inspection.files).map(baseName)
  const name = baseName(file) ?? file
  if (all.includes(name)) return
  const near = Expression.nearest(
    name,
    all.filter((one) => one !== undefined)
  )
  return yield* new Errors.SourceNotFound({ file, near })
})

/** True if a file that a caller names, by its path, the end of its path or its name, is that of the frame. */
const isFileOf = (frame: string | undefined, file: string): boolean => {
  const [whole = "", named] = [frame, file].map((path) => path?.replaceAll("\\", "/"))
  return whole === named || whole.endsWith(`/${named}`)
}

const isNamed = (one: { readonly name: string }, name: string): boolean => name === one.name || name === `::${one.name}`

/**
 * True for a constant that a file includes, and for a variable of the standard library, such as the `std::__ioinit` of each file that
 * includes `<iostream>`: a program declares none in `std` ([namespace.std]). Debuggers list those of all headers with the file: tens for a
 * program in C++. Any other variable that is not constant may be defined in the file, also where its class declares it in a header.
 */
const isIncluded = (
  { file, name, type = "" }: { readonly name: string; readonly file?: string; readonly type?: string | undefined },
  own: string
) => file !== undefined && baseName(file) !== own && (/^const\b/.test(type) || /^(?:::)?std::/.test(name))

/** True for what a program declares. rustc describes the table of methods of each type and trait as a variable of a file. */
const isDeclared = ({ name }: { readonly name: string }): boolean => !name.endsWith("::{vtable}")

/**
 * Returns the variables of the frame's file among those that the frame lists: those that the debugger declares there, and the static
 * ones of the frame's function, which it declares nowhere. `declared` are those of the file.
 */
const globalsInFile = Effect.fnUntraced(function* (
  view: StopView,
  here: ReadonlyArray<Variable.Variable>,
  declared: ReadonlyArray<GlobalVariable>,
  own: string
) {
  const inFile = (one: GlobalVariable) => baseName(one.file) === own
  // A file that declares none may be a header, whose frames list the variables of the file that includes it.
  const known =
    here.length === 0 || declared.length > 0
      ? declared
      : yield* Effect.catchTags(view.otherGlobals(undefined), {
          Unsupported: () => Effect.succeed([]),
          RequestTimeout: () => Effect.succeed([])
        })
  return here.filter(({ name, type }) => {
    const [, plain = name, place] = declaredAt.exec(name) ?? []
    if (place !== undefined && isIncluded({ name, file: place, type }, own)) return false
    const same = known.filter((one) => isNamed(one, plain))
    return same.length === 0 || same.some(inFile)
  })
})

/** `globals`: those of the frame's file, then those of other files; or those of one file. */
export const globals = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"globals">) {
  const view = yield* session.view
  const { at, thread } = yield* Selection.locate(session, view, payload)
  // Nothing can be evaluated in a frame that the debugger does not find. The innermost frame may have locals of the same names.
  const evaluated = at.frame.unlisted === true ? yield* view.frame(thread.id, 0) : at
  const hidden = evaluated === at ? [] : namesOf(yield* view.locals(evaluated))
  const here = yield* view.globals(at).pipe(
    Effect.catchTag("Unsupported", (error) => (payload.file === undefined ? Effect.fail(error) : Effect.succeed([]))),
    Effect.map((list) => list.filter(isDeclared))
  )
  const others = Effect.map(view.otherGlobals(payload.file), (list) => list.filter(isDeclared))
  const found = yield* payload.file === undefined
    ? Effect.catchTags(others, { Unsupported: () => Effect.succeed([]), RequestTimeout: () => Effect.succeed([]) })
    : others
  const isOwn = payload.file !== undefined && isFileOf(at.frame.file, payload.file)
  if (payload.file !== undefined && found.length === 0 && !isOwn) yield* requireFile(session, payload.file)
  const own = baseName(at.frame.file) ?? ""
  const inFile = (one: GlobalVariable) => baseName(one.file) === own
  const inFrame = (one: GlobalVariable) => inFile(one) && here.some(({ name }) => isNamed(one, name))
  const asked = baseName(payload.file)
  /** The variable in the list of the frame, if no other one has its name. A frame lists also what a header declares. */
  const listedAs = ({ name }: { readonly name: string }) => {
    const [first, second] = here.filter((one) => isNamed(one, name))
    const isOne =
      first !== undefined && second === undefined && found.filter((one) => isNamed(first, one.name)).length === 1
    return isOne ? first : undefined
  }
  const isShown = (one: GlobalVariable) => (asked === undefined ? listedAs(one) === undefined : !isIncluded(one, asked))
  const otherFiles = found.filter((one) => !inFrame(one) && isShown(one))
  const frameGlobals = payload.file === undefined ? here : isOwn ? yield* globalsInFile(view, here, found, own) : []
  const requested = <A extends { readonly name: string }>(list: ReadonlyArray<A>) =>
    payload.names.length === 0 ? list : list.filter(({ name }) => payload.names.includes(name))
  const { shown, truncated } = page(
    "globals",
    [...requested(frameGlobals).map((variable) => ({ variable })), ...requested(otherFiles).map((one) => ({ one }))],
    payload
  )
  /** Returns a variable with members by its reference, if its name is unique: as the frame lists it, or evaluated. */
  const opened = Effect.fnUntraced(function* ({ opens, ...plain }: GlobalVariable) {
    if (!opens || otherFiles.filter((one) => one.name === plain.name).length > 1) return plain
    const listed = listedAs(plain)
    if (listed !== undefined) return plain.file === undefined ? listed : { ...listed, file: plain.file }
    if (hidden.includes(plain.name) || here.some((one) => one.name === plain.name)) return plain
    return yield* view.evaluate(plain.name, evaluated, "read").pipe(
      Effect.map((value): Variable.Variable => (plain.file === undefined ? value : { ...value, file: plain.file })),
      Effect.catchTag("AdapterError", () => Effect.succeed(plain))
    )
  })
  const variables = yield* Effect.forEach(shown, (entry) =>
    "variable" in entry ? Effect.succeed(entry.variable) : opened(entry.one)
  )
  const known = namesOf([...frameGlobals, ...otherFiles])
  const missing = payload.names.filter((name) => !known.includes(name))
  return {
    data: {
      frame: at.frame,
      variables: variables.map((variable) => shortened(variable, payload.max_string)),
      total: requested(frameGlobals).length + requested(otherFiles).length,
      not_found: missing
    },
    truncated,
    warnings: NamesNotFound.warnings("global variable", missing, known, Hint.call("globals", {}))
  }
})

/** `vars`: searches names in the frame, then among the globals of its file. */
export const vars = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"vars">) {
  const view = yield* session.view
  const { at } = yield* Selection.locate(session, view, payload)
  const own = yield* view.locals(at)
  const missing = payload.names.filter((name) => !own.some((variable) => variable.name === name))
  const globals =
    missing.length === 0 ? [] : yield* view.globals(at).pipe(Effect.catchTag("Unsupported", () => Effect.succeed([])))
  const known = [...own, ...globals]
  const found = yield* Effect.forEach(payload.names, (name) =>
    Effect.gen(function* () {
      const listed = known.find((variable) => variable.name === name)
      if (listed !== undefined) return [listed]
      // A global of another file is not listed, but can be evaluated.
      if (!/^[A-Za-z_$][\w$:]*$/.test(name)) return []
      return yield* view.evaluate(name, at, "read").pipe(
        Effect.tap((value) => view.recordPrinted(at, name, value)),
        Effect.map((value) => [value]),
        Effect.catchTag("AdapterError", () => Effect.succeed([]))
      )
    })
  )
  const shown = found.flat()
  const variables = yield* Effect.forEach(shown, (variable) =>
    withMembers(session, view, variable, { depth: payload.depth, items: maxOpenedItems })
  ).pipe(Effect.catchTag("StaleReference", () => Effect.succeed(shown)))
  const absent = payload.names.filter((_, index) => found[index]?.length === 0)
  return {
    data: {
      frame: at.frame,
      variables: variables.map((variable) => shortened(variable, payload.max_string)),
      total: variables.length,
      not_found: absent
    },
    warnings: NamesNotFound.warnings("variable", absent, namesOf(known), Hint.call("locals", {}))
  }
})

/**
 * Saves breakpoints to a JSON file and loads them in another session. A line breakpoint has the text of its line.
 *
 * If a line has changed, its text is searched in the file. If the text is missing or not unique, that entry fails and the
 * others are set. Watchpoints are not saved, because their memory belongs to one run.
 */
import { Breakpoint, Effects, Errors, Hint, JsonSize, type Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as FileWriter from "../../model/FileWriter.ts"
import * as Permission from "../../model/permissions/Permission.ts"
import * as Policy from "../../model/permissions/Policy.ts"
import type { Launch } from "../../launch/Launch.ts"
import { FileReader, purposes } from "../../ports/FileReader.ts"
import type { Session } from "../../session/Session.ts"

/** Options that are valid in another run. */
const Behaviour = Schema.Struct(
  Struct.pick(Breakpoint.Breakpoint.fields, [
    "cmd",
    "continue",
    "eval",
    "max",
    "name",
    "on_condition_error",
    "thread_name"
  ])
)

const Entry = Schema.Struct({
  behaviour: Schema.optionalKey(Behaviour),
  at: Schema.NonEmptyString,
  file: Schema.optionalKey(Schema.String),
  text: Schema.optionalKey(Schema.String),
  condition: Schema.optionalKey(Schema.String),
  hits: Schema.optionalKey(Schema.String),
  log: Schema.optionalKey(Schema.String),
  enabled: Schema.Boolean,
  temporary: Schema.Boolean
})

const Document = Schema.fromJsonString(Schema.Struct({ sigtrap: Schema.Literal(1), breakpoints: Schema.Array(Entry) }))

const entryOf = (breakpoint: Breakpoint.Breakpoint): typeof Entry.Type => {
  const { condition, enabled, hits_wanted, log, requested, temporary } = breakpoint
  const { file, line, line_text, text } = requested
  const behaviour: typeof Behaviour.Type = Object.fromEntries(
    Object.entries(breakpoint).filter(([key]) => key in Behaviour.fields)
  )
  return {
    ...(Object.keys(behaviour).length === 0 ? {} : { behaviour }),
    at: file === undefined || line === undefined ? text : `${file}:${line}`,
    ...(file === undefined ? {} : { file }),
    ...(line_text === undefined ? {} : { text: line_text }),
    ...(condition === undefined ? {} : { condition }),
    ...(hits_wanted === undefined ? {} : { hits: hits_wanted }),
    ...(log === undefined ? {} : { log }),
    enabled,
    temporary
  }
}

/** Limits of a file, which allow about a thousand breakpoints. */
const limits: JsonSize.Limits = { values: 20_000, depth: 16 }

const failed = (problem: string) => new Errors.Usage({ problem, near: [], remedies: [Hint.help("breakpoint.load")] })

/** Handles `breakpoint.save`. */
export const save = Effect.fnUntraced(function* (
  session: Session,
  payload: Operations.Payload<"breakpoint.save">,
  fs: FileSystem.FileSystem,
  path: Path.Path
) {
  const file = path.resolve(payload.directory ?? ".", payload.file)
  yield* Policy.checkFiles(session.policy, [file], { fs, path })
  const breakpoints = session.breakpoints.list().filter(({ kind }) => kind !== "watch" && kind !== "catch")
  const text = JSON.stringify({ sigtrap: 1, breakpoints: breakpoints.map(entryOf) }, undefined, 2)
  const retry = Hint.again("breakpoint.save", { force: true }, "to replace it")
  yield* FileWriter.write(file, `${text}\n`, { force: payload.force, retry }, { fs, path })
  return { data: { file, breakpoints } }
})

/** Returns the effects of an entry of a file. */
const usesOf = ({ at, behaviour, condition, log }: typeof Entry.Type, file: string): ReadonlyArray<Effects.Use> => {
  const parts: Effects.BreakpointParts = { ...behaviour, condition, log }
  return [
    ...Effects.ofValue("location", "at", at, `at of ${file}`),
    ...Effects.ofBreakpoint(parts).map((use) => ({ ...use, source: `${use.field ?? "a breakpoint"} of ${file}` }))
  ]
}

/** Handles `breakpoint.load`. */
export const load = Effect.fnUntraced(function* (
  session: Session,
  payload: Operations.Payload<"breakpoint.load">,
  program: Launch["Service"],
  fs: FileSystem.FileSystem,
  path: Path.Path
) {
  yield* session.connection
  const file = path.resolve(payload.directory ?? ".", payload.file)
  yield* Policy.checkFiles(session.policy, [file], { fs, path })
  const text = yield* FileReader.use((reader) => reader.text(file, purposes.named)).pipe(
    Effect.mapError(({ message }) => failed(message))
  )
  const over = JsonSize.excess(text, limits)
  if (over !== undefined) {
    return yield* failed(`${file} has more than ${limits[over]} ${over === "depth" ? "levels" : "values"}`)
  }
  const document = yield* Schema.decodeEffect(Document)(text).pipe(
    Effect.mapError(() => failed(`${file} is not a file of breakpoints`))
  )
  const inFile = document.breakpoints.flatMap((entry) => usesOf(entry, payload.file))
  yield* Permission.permitCall("breakpoint.load", inFile)
  yield* Policy.check(session.policy, inFile)
  const found = (entry: typeof Entry.Type) => {
    const options = {
      pending: true,
      temporary: entry.temporary,
      disabled: !entry.enabled,
      ...(entry.condition === undefined ? {} : { condition: entry.condition }),
      ...(entry.hits === undefined ? {} : { hits: entry.hits }),
      ...(entry.log === undefined ? {} : { log: entry.log })
    }
    const asWritten = program.breakpoint({ ...options, text: entry.at })
    const request =
      entry.file === undefined || entry.text === undefined
        ? asWritten
        : program
            .breakpoint({ ...options, text: entry.at, expectText: entry.text })
            .pipe(
              Effect.catchTag("InvalidLocation", () =>
                program.breakpoint({ ...options, text: entry.text ?? "", anchorIn: entry.file ?? "" })
              )
            )
    const behaviour = entry.behaviour === undefined ? {} : { behaviour: entry.behaviour }
    return request.pipe(
      Effect.map((asked) => ({ at: entry.at, request: { ...asked, ...behaviour } })),
      Effect.catchTag(["InvalidLocation", "Unsupported", "Usage"], (error) =>
        Effect.succeed({ failure: { at: entry.at, reason: error.message } })
      )
    )
  }
  const read = yield* Effect.forEach(document.breakpoints, found)
  const requests = read.flatMap((one) => ("request" in one ? [one] : []))
  // All at once. If the debugger refuses, one by one, so that only the refused ones are missing.
  const results = yield* session.breakpoints.addAll(requests.map(({ request }) => request)).pipe(
    Effect.map((all) => all.map((breakpoint) => ({ breakpoint }))),
    Effect.catchTag(["Unsupported", "BreakpointUnresolved", "AdapterError"], () =>
      Effect.forEach(requests, ({ at, request }) =>
        session.breakpoints.add(request).pipe(
          Effect.map((breakpoint) => ({ breakpoint })),
          Effect.catchTag(["Unsupported", "BreakpointUnresolved", "AdapterError"], (error) =>
            Effect.succeed({ failure: { at, reason: error.message } })
          )
        )
      )
    )
  )
  return {
    data: {
      file,
      breakpoints: results.flatMap((result) => ("breakpoint" in result ? [result.breakpoint] : [])),
      failed: [...read, ...results].flatMap((result) => ("failure" in result ? [result.failure] : []))
    }
  }
})

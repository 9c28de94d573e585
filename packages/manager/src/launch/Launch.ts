/**
 * Turns the payload of `start` into a launch request: absolute paths, one environment, resolved breakpoint places.
 */
import { HitCount, Errors, Hint, Location, MonotonicTime, Span, type Operations } from "@sigtrap/protocol"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as NulCharacters from "../model/NulCharacters.ts"
import { SourceFiles } from "../model/sources/SourceFiles.ts"
import * as TextAnchor from "../model/sources/TextAnchor.ts"
import { Backend, type LaunchRequest } from "../ports/Backend.ts"
import { FileReader, purposes } from "../ports/FileReader.ts"
import * as MissingProgram from "./MissingProgram.ts"
import * as LaunchOptions from "./LaunchOptions.ts"
import * as Environment from "./Environment.ts"
import * as ConditionSyntax from "../model/ConditionSyntax.ts"
import type { Verdict } from "../model/runs/FailureRule.ts"
import { placeOf, type Place, type Request } from "../model/BreakpointPlace.ts"

/**
 * A payload of `start` with its program. `sourceDirectory` is the directory of relative source names, if not the program's;
 * `mapped` are the directories of source maps that the caller named, `verdict` says how the runner of a test decides.
 */
export type StartPayload = Operations.Payload<"start"> & {
  readonly program: string
  readonly sourceDirectory?: string
  readonly verdict?: Verdict
  readonly mapped?: ReadonlyArray<string>
}

/** Failures of `launch`. */
export type LaunchProblem = Errors.ProgramNotFound | LaunchOptions.Problem

/** Failures of `breakpoint`. */
export type LocationProblem = Errors.InvalidLocation | Errors.Unsupported | Errors.Usage

/** A breakpoint as the caller writes it. */
export interface BreakpointInput {
  readonly text: string
  readonly condition?: string
  readonly hits?: string
  readonly log?: string
  readonly temporary?: boolean
  readonly disabled?: boolean
  /** Fails for a line without code, instead of moving the breakpoint. */
  readonly exact?: boolean
  /** File in which `text` is the text of a line; "" for the current file. */
  readonly anchorIn?: string
  /** Chooses among several lines with that text, from 1. */
  readonly nth?: number
  /** Text that the line must have. */
  readonly expectText?: string
  readonly pending: boolean
  readonly directory?: string
  readonly here?: Location.Position
}

/** Time for which a file that was found is not looked for again, in milliseconds. */
const rememberedFile = 1000

const usage = (problem: string, hint: Hint.Hint) => new Errors.Usage({ problem, near: [], remedies: [hint] })

/** Makes the check whether a file exists. The file that was found last is remembered, because breakpoints come in series. */
const existence = (fs: FileSystem.FileSystem) => {
  let found = { file: "", since: Number.NEGATIVE_INFINITY }
  return Effect.fnUntraced(function* (file: string) {
    const now = yield* MonotonicTime.now
    if (found.file === file && now - found.since < rememberedFile) return true
    const isThere = yield* Effect.orElseSucceed(fs.exists(file), () => false)
    if (isThere) found = { file, since: now }
    return isThere
  })
}

/**
 * Returns the file of the standard input. It must exist: a debugger does not say why such a launch fails. The launch would wait
 * until a process opens a named pipe for writing.
 */
const inputFileOf = (fs: FileSystem.FileSystem) =>
  Effect.fnUntraced(function* (file: string) {
    const type = yield* fs.stat(file).pipe(
      Effect.map((info) => info.type),
      Effect.catch(({ reason }) =>
        reason._tag === "NotFound"
          ? Effect.fail(usage(`the standard input ${file} does not exist`, Hint.help("start", "name an existing file")))
          : Effect.succeed(undefined)
      )
    )
    if (type === "Directory")
      return yield* usage(`the standard input ${file} is a directory`, Hint.help("start", "name an existing file"))
    if (type !== "FIFO") return file
    const reason = `${file} is a named pipe, and the launch would wait for its writer`
    return yield* usage(reason, Hint.help("input", "start without stdin and write to the program, or name a file"))
  })

/** Fails if the working directory that the caller named is absent or not a directory: a debugger names neither. */
const workingDirectoryOf = (fs: FileSystem.FileSystem) =>
  Effect.fnUntraced(function* (path: string) {
    const type = yield* fs.stat(path).pipe(
      Effect.map((info) => info.type),
      Effect.catch(({ reason }) => Effect.succeed(reason._tag === "NotFound" ? "absent" : undefined))
    )
    if (type === undefined || type === "Directory") return
    const problem = type === "absent" ? "does not exist" : "is not a directory"
    yield* usage(`the working directory ${path} ${problem}`, Hint.help("start", "name an existing directory"))
  })

/** Returns why a program cannot be opened. Node replaces the bytes of a name that is not UTF-8 by U+FFFD. */
const unopened = (file: string, reason: string): string => {
  if (file.includes("\ufffd")) return "no such file; a name that is not UTF-8 cannot be opened"
  return reason === "NotFound" ? "no such file" : "it cannot be opened: no permission, or a loop of links"
}

/** True if a file begins as a program does: of ELF, of Mach-O, or of an interpreter. */
const beginsAsProgram = (reader: FileReader["Service"], file: string) =>
  Effect.flatMap(reader.parts(file, purposes.binary), ({ read }) => read(0, 4)).pipe(
    Effect.scoped,
    Effect.map((bytes) => /^(?:\x7fELF|#!|\xcf\xfa\xed\xfe)/.test(new TextDecoder("latin1").decode(bytes))),
    Effect.orElseSucceed(() => false)
  )

/** What finds a program. */
interface Programs {
  readonly fs: FileSystem.FileSystem
  readonly path: Path.Path
  readonly backend: Backend["Service"]
  readonly reader: FileReader["Service"]
}

/** Returns the file of a program, if it can be started. */
const executableOf = ({ backend, fs, path, reader }: Programs) =>
  Effect.fnUntraced(function* (
    file: string,
    {
      directory,
      environment,
      ...choice
    }: Pick<StartPayload, "directory" | "environment"> & Pick<LaunchRequest, "adapter" | "settings">
  ) {
    const runsSource = (one: string) => backend.runsSource?.(one, choice) ?? Effect.succeed(false)
    const search: MissingProgram.Search = {
      fs,
      path,
      runsSource,
      directory: path.resolve(directory ?? "."),
      searched: environment?.["PATH"] ?? ""
    }
    const info = yield* fs
      .stat(file)
      .pipe(
        Effect.catch(({ reason }) =>
          Effect.flatMap(MissingProgram.absent(search, file, unopened(file, reason._tag)), Effect.fail)
        )
      )
    if (info.type === "Directory") return yield* yield* MissingProgram.directory(search, file)
    if (info.type !== "File") {
      return yield* new Errors.ProgramNotFound({ path: file, problem: "it is not a regular file" })
    }
    if ((info.mode & 0o111) === 0 && !(yield* runsSource(file))) {
      return yield* yield* MissingProgram.notExecutable(search, file, yield* beginsAsProgram(reader, file))
    }
    return file
  })

/** Turns payloads into launch requests and breakpoint requests. */
export class Launch extends Context.Service<
  Launch,
  {
    readonly launch: (payload: StartPayload) => Effect.Effect<LaunchRequest, LaunchProblem>
    readonly breakpoint: (input: BreakpointInput) => Effect.Effect<Request, LocationProblem, SourceFiles>
  }
>()("@sigtrap/manager/Launch") {
  static readonly layer = Layer.effect(
    Launch,
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const backend = yield* Backend
      const reader = yield* FileReader

      const absolute = (directory: string | undefined, file: string) => path.resolve(directory ?? ".", file)

      const executable = executableOf({ fs, path, backend, reader })
      const inputFile = inputFileOf(fs)
      const workingDirectory = workingDirectoryOf(fs)
      const text = (directory: string | undefined) => (file: string) => {
        const whole = absolute(directory, file)
        return reader
          .text(whole, purposes.named)
          .pipe(Effect.mapError(({ detail }) => usage(`cannot read ${whole}: ${detail}`, Hint.help("start"))))
      }

      const exists = existence(fs)

      const resolveFile = (directory: string | undefined) => (file: string) => {
        const candidate = absolute(directory, file)
        // The debugger matches a path that does not exist here as a suffix.
        return path.isAbsolute(file)
          ? Effect.succeed(candidate)
          : Effect.map(exists(candidate), (isThere) => (isThere ? candidate : path.normalize(file)))
      }

      /** Returns the text of a line; none if the session may not show it, which keeps no breakpoint from binding. */
      const textOf = (file: string, line: number, isCompared: boolean) =>
        SourceFiles.use((sources) =>
          isCompared
            ? Effect.map(sources.range(file, line, line), ([text]) => text?.trim())
            : Effect.map(sources.line(file, line), (text) => text.trim())
        ).pipe(Effect.orElseSucceed(() => undefined))

      const located = Effect.fnUntraced(function* (input: BreakpointInput) {
        const parsed = Location.parseSpec(input.text)
        if (Result.isFailure(parsed)) {
          return yield* new Errors.InvalidLocation({ text: input.text, problem: parsed.failure })
        }
        const place = yield* placeOf(parsed.success.location, input.here, resolveFile(input.directory))
        return { place, spec: parsed.success }
      })

      const anchored = Effect.fnUntraced(function* (input: BreakpointInput, name: string) {
        const file = name === "" ? input.here?.file : yield* resolveFile(input.directory)(name)
        const invalid = (problem: string) => new Errors.InvalidLocation({ text: input.text, problem })
        if (file === undefined) return yield* invalid("there is no current file; name one with --in")
        const lines = yield* SourceFiles.use((sources) => sources.range(file, 1, Number.MAX_SAFE_INTEGER)).pipe(
          Effect.mapError((error) => {
            const problem = `${file} was not read: ${error.detail ?? ""}`
            return new Errors.InvalidLocation({ text: input.text, problem, remedies: error.hints })
          })
        )
        const found = TextAnchor.line(lines, input.text, input.nth)
        if (Result.isFailure(found)) return yield* invalid(`${found.failure} (${file})`)
        const place: Place = { kind: "line", file, line: found.success }
        const spec: Pick<Location.Spec, "text" | "condition" | "hits"> = { text: `${file}:${found.success}` }
        return { place, spec }
      })

      return Launch.of({
        launch: Effect.fn("Launch.launch")(function* (payload) {
          // Fields from a launch.json were not in the call.
          yield* NulCharacters.check(payload)
          const program = yield* executable(absolute(payload.directory, payload.program), {
            ...(payload.directory === undefined ? {} : { directory: payload.directory }),
            ...(payload.environment === undefined ? {} : { environment: payload.environment }),
            ...(payload.adapter === undefined ? {} : { adapter: payload.adapter }),
            ...(payload.settings === undefined ? {} : { settings: payload.settings })
          })
          const env = yield* Environment.environment(payload, text(payload.directory))
          const cwd = absolute(payload.directory, payload.cwd ?? ".")
          if (payload.cwd !== undefined) yield* workingDirectory(cwd)
          return {
            program,
            args: yield* Environment.args(payload, text(payload.directory)),
            cwd,
            env,
            // The debugger is found on the caller's PATH, also if the program has none.
            ...(payload.environment === undefined || (payload.clear_env !== true && payload.unset_env === undefined)
              ? {}
              : { callerEnv: payload.environment }),
            stopOnEntry: payload.stop_on_entry,
            ...(payload.sourceDirectory === undefined ? {} : { sources: payload.sourceDirectory }),
            ...(payload.stdin === undefined
              ? {}
              : { stdin: yield* inputFile(absolute(payload.directory, payload.stdin)) }),
            ...(payload.adapter === undefined ? {} : { adapter: payload.adapter }),
            ...(yield* LaunchOptions.read(payload, fs, path))
          }
        }),

        breakpoint: Effect.fnUntraced(function* (input) {
          const { place, spec } = yield* input.anchorIn === undefined ? located(input) : anchored(input, input.anchorIn)
          const givenTwice = (what: string) => usage(`the ${what} is given twice`, Hint.help("break"))
          if (spec.condition !== undefined && input.condition !== undefined) return yield* givenTwice("condition")
          if (spec.hits !== undefined && input.hits !== undefined) return yield* givenTwice("count")
          const condition = input.condition ?? spec.condition
          const hits = input.hits ?? spec.hits
          if (condition !== undefined && /[\r\n\0]/.test(condition)) {
            return yield* usage("a condition must be one line", Hint.help("break"))
          }
          yield* ConditionSyntax.check(condition)
          if (input.log !== undefined && /[\0-\x08\n-\x1f]/.test(input.log)) {
            return yield* usage("a log message must be one line", Hint.help("logpoint"))
          }
          if (hits !== undefined && HitCount.parse(hits) === undefined) {
            return yield* usage(`${hits} is not a hit count`, Hint.help("break"))
          }
          const lineText =
            place.kind === "line" ? yield* textOf(place.file, place.line, input.expectText !== undefined) : undefined
          if (input.expectText !== undefined && lineText !== input.expectText.trim()) {
            const reads = lineText === undefined ? "the line cannot be read" : `the line reads '${lineText}'`
            return yield* new Errors.InvalidLocation({ text: spec.text, problem: `${reads}, not the expected text` })
          }
          return {
            text: spec.text,
            place,
            pending: input.pending,
            temporary: input.temporary ?? false,
            ...(input.disabled === true ? { disabled: true } : {}),
            ...(input.exact === true ? { exact: true } : {}),
            ...(lineText === undefined || lineText === "" ? {} : { lineText }),
            ...(condition === undefined ? {} : { condition }),
            ...(hits === undefined ? {} : { hits }),
            ...(input.log === undefined ? {} : { log: input.log })
          }
        }, Span.within("Launch.breakpoint"))
      })
    })
  )
}

/**
 * What a caller asks to start, turned into what a backend can start: absolute paths, one environment, placed
 * breakpoints.
 */
import { Errors, Location, type Operations } from "@sigtrap/protocol"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import type { Launch } from "./Backend.ts"
import { placeOf, type Request } from "./Breakpoints.ts"

/** What `launch` can fail with. */
export type LaunchProblem = Errors.ProgramNotFound | Errors.Usage

/** What `breakpoint` can fail with. */
export type LocationProblem = Errors.InvalidLocation | Errors.Unsupported | Errors.Usage

/** A breakpoint as a caller writes it. */
export interface Asked {
  readonly text: string
  readonly condition?: string
  readonly pending: boolean
  readonly directory?: string
  readonly here?: Location.Position
}

const variable = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s

const usage = (problem: string, help: string) => new Errors.Usage({ problem, near: [], help })

/** The service. */
export class Program extends Context.Service<
  Program,
  {
    readonly launch: (payload: Operations.Payload<"start">) => Effect.Effect<Launch, LaunchProblem>
    readonly breakpoint: (asked: Asked) => Effect.Effect<Request, LocationProblem>
  }
>()("@sigtrap/manager/Program") {
  static readonly layer = Layer.effect(
    Program,
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path

      const absolute = (directory: string | undefined, file: string) => path.resolve(directory ?? ".", file)

      const executable = Effect.fnUntraced(function* (file: string) {
        const info = yield* fs
          .stat(file)
          .pipe(Effect.mapError(() => new Errors.ProgramNotFound({ path: file, problem: "no such file" })))
        if (info.type !== "File") {
          return yield* new Errors.ProgramNotFound({ path: file, problem: "it is no regular file" })
        }
        if ((info.mode & 0o111) === 0) {
          return yield* new Errors.ProgramNotFound({ path: file, problem: "it is not executable" })
        }
        return file
      })

      const environment = Effect.fnUntraced(function* (payload: Operations.Payload<"start">) {
        const env: Record<string, string> = { ...payload.environment }
        for (const assignment of payload.env) {
          const [, name, value] = variable.exec(assignment) ?? []
          if (name === undefined || value === undefined) {
            return yield* usage(`${assignment} does not set a variable`, "sigtrap start PROGRAM --env NAME=VALUE")
          }
          env[name] = value
        }
        return env
      })

      const resolveFile = (directory: string | undefined) => (file: string) => {
        const candidate = absolute(directory, file)
        return fs.exists(candidate).pipe(
          Effect.orElseSucceed(() => false),
          // A path that does not exist here is a suffix for the debugger to match.
          Effect.map((exists) => (exists || path.isAbsolute(file) ? candidate : path.normalize(file)))
        )
      }

      return Program.of({
        launch: Effect.fnUntraced(function* (payload) {
          const program = yield* executable(absolute(payload.directory, payload.program))
          const env = yield* environment(payload)
          const cwd = absolute(payload.directory, payload.cwd ?? ".")
          return {
            program,
            args: payload.args,
            cwd,
            env,
            stopOnEntry: payload.stop_on_entry,
            ...(payload.stdin === undefined ? {} : { stdin: absolute(payload.directory, payload.stdin) }),
            ...(payload.adapter === undefined ? {} : { adapter: payload.adapter })
          }
        }),

        breakpoint: Effect.fnUntraced(function* (asked) {
          const parsed = Location.parseSpec(asked.text)
          if (Result.isFailure(parsed)) {
            return yield* new Errors.InvalidLocation({ text: asked.text, problem: parsed.failure })
          }
          const spec = parsed.success
          if (spec.hits !== undefined) {
            return yield* new Errors.Unsupported({
              what: "hit counts",
              by: "this version",
              remedy: `sigtrap break '${spec.text}'`
            })
          }
          if (spec.condition !== undefined && asked.condition !== undefined) {
            return yield* usage("the condition is given twice", "sigtrap break LOCATION if EXPR")
          }
          const condition = asked.condition ?? spec.condition
          if (condition !== undefined && /[\r\n\0]/.test(condition)) {
            return yield* usage("a condition is one line", "sigtrap break LOCATION if EXPR")
          }
          return {
            text: spec.text,
            place: yield* placeOf(spec.location, asked.here, resolveFile(asked.directory)),
            pending: asked.pending,
            temporary: false,
            ...(condition === undefined ? {} : { condition })
          }
        })
      })
    })
  )
}

/**
 * Options that `start`, `attach`, `core` and `connect` share: adapter options, debugger commands, source maps, output
 * files. Options that no adapter supports are refused here; the others by the backend.
 */
import { type Answer, Errors, Hint, JsonSize, type Operations, Settings } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import type { LaunchRequest } from "../ports/Backend.ts"

/** The fields that are read here. */
export type Payload = Partial<
  Pick<
    Operations.Payload<"start">,
    | "directory"
    | "adapter_opt"
    | "init_cmd"
    | "pre_run_cmd"
    | "stop_cmd"
    | "source_map"
    | "stdin"
    | "stdout"
    | "stderr"
    | "merge_stderr"
    | "terminal"
    | "aslr"
    | "follow_fork"
    | "run"
    | "settings"
    | "backend"
  > &
    Pick<Operations.Payload<"connect">, "path_map">
>

/** Failures of reading the options. */
export type Problem = Errors.Usage | Errors.Unsupported | Errors.SourceNotFound

type Read = Pick<
  LaunchRequest,
  | "options"
  | "commands"
  | "sourceMap"
  | "terminal"
  | "stdout"
  | "stderr"
  | "mergeStderr"
  | "aslr"
  | "followFork"
  | "loadOnly"
  | "settings"
  | "backend"
>

const usage = (problem: string, hint: Hint.Hint) => new Errors.Usage({ problem, near: [], remedies: [hint] })

/** Limits of an adapter option. Deeper values exhaust the stack of those who write them. */
const limits: JsonSize.Limits = { values: 10_000, depth: 64 }

/** Reads `KEY=JSON`. */
const option = (text: string) => {
  const [, key, value] = /^([A-Za-z_$][\w$.-]*)=(.*)$/s.exec(text) ?? []
  if (key === undefined || value === undefined) {
    return Effect.fail(
      usage(`${text.slice(0, 200)} is not an adapter option`, Hint.again("start", { adapter_opt: ["KEY=JSON"] }))
    )
  }
  const over = JsonSize.excess(value, limits)
  if (over !== undefined) {
    const problem = `the value of ${key} has more than ${limits[over]} ${over === "depth" ? "levels" : "values"}`
    return Effect.fail(usage(problem, Hint.help("start")))
  }
  return Effect.try({
    try: (): readonly [string, unknown] => [key, JSON.parse(value)],
    catch: () =>
      usage(
        `the value of ${key} is not JSON; put text in double quotes`,
        Hint.again("start", { adapter_opt: [`${key}="TEXT"`] })
      )
  })
}

const commands = Effect.fnUntraced(function* (payload: Payload) {
  const lines = [...(payload.init_cmd ?? []), ...(payload.pre_run_cmd ?? []), ...(payload.stop_cmd ?? [])]
  const invalid = lines.find((line) => line.trim() === "" || /[\0-\x08\n-\x1f]/.test(line))
  if (invalid !== undefined) {
    return yield* usage("a debugger command must be one line", Hint.again("start", { init_cmd: ["COMMAND"] }))
  }
  if (lines.length === 0) return {}
  return {
    commands: {
      ...(payload.init_cmd === undefined ? {} : { init: payload.init_cmd }),
      ...(payload.pre_run_cmd === undefined ? {} : { preRun: payload.pre_run_cmd }),
      ...(payload.stop_cmd === undefined ? {} : { stop: payload.stop_cmd })
    }
  }
})

/** Returns the directories of source maps: what follows `FROM=`. */
export const mapTargets = (maps: ReadonlyArray<string>): ReadonlyArray<string> =>
  maps.flatMap((text) => (text.includes("=") ? [text.slice(text.indexOf("=") + 1)] : []))

/** Returns a warning for each file with content that the program's output replaces. */
export const replaced = (
  { directory = ".", stderr, stdout }: Pick<Payload, "directory" | "stderr" | "stdout">,
  fs: FileSystem.FileSystem,
  path: Path.Path
): Effect.Effect<ReadonlyArray<Answer.Warning>> =>
  Effect.forEach(
    [...new Set([stdout, stderr])].filter((file) => file !== undefined && file !== ""),
    (file = "") =>
      fs.stat(path.resolve(directory, file)).pipe(
        Effect.map(({ size, type }) =>
          type === "File" && size > 0
            ? [{ code: "FILE_REPLACED", message: `${file} had content; the program's output replaced it` }]
            : []
        ),
        Effect.orElseSucceed(() => [])
      )
  ).pipe(Effect.map((found) => found.flat()))

/** Fails for an output file that is a named pipe: the launch would wait until a process opens it for reading. */
const refusePipes = (
  files: ReadonlyArray<string | undefined>,
  fs: FileSystem.FileSystem,
  absolute: (file: string) => string
) =>
  Effect.forEach(
    files.filter((file) => file !== undefined && file !== ""),
    (file = "") =>
      fs.stat(absolute(file)).pipe(
        Effect.orElseSucceed(() => undefined),
        Effect.flatMap((info) =>
          info?.type === "FIFO"
            ? Effect.fail(
                usage(
                  `${file} is a named pipe, and the launch would wait for its reader`,
                  Hint.help("output", "start without stdout and stderr, and follow the output")
                )
              )
            : Effect.void
        )
      ),
    { discard: true }
  )

/** Reads the options. Relative paths start at the caller's directory. */
export const read = Effect.fnUntraced(function* (
  payload: Payload,
  fs: FileSystem.FileSystem,
  path: Path.Path
): Effect.fn.Return<Read, Problem> {
  const absolute = (file: string) => path.resolve(payload.directory ?? ".", file)
  const options = yield* Effect.forEach(payload.adapter_opt ?? [], option)
  const maps = yield* Effect.forEach(
    [...(payload.source_map ?? []), ...(payload.path_map ?? []), ...Settings.list(payload.settings, "source.maps")],
    Effect.fnUntraced(function* (text) {
      const [, from, to] = /^([^=]+)=(.+)$/s.exec(text) ?? []
      if (from === undefined || to === undefined) {
        return yield* usage(`${text} is not FROM=TO`, Hint.again("start", { source_map: ["FROM=TO"] }))
      }
      const target = absolute(to)
      const exists = yield* fs.exists(target).pipe(Effect.orElseSucceed(() => false))
      if (!exists) return yield* new Errors.SourceNotFound({ file: target, near: [] })
      return [from, target] as const
    })
  )
  if (payload.terminal === "external") {
    return yield* new Errors.Unsupported({
      // A daemon has no screen to open a window on.
      what: "opening a terminal for the program",
      by: "sigtrap",
      remedies: [Hint.help("attach", "start the program in a terminal and attach to it")]
    })
  }
  const { merge_stderr, stderr, stdin, stdout, terminal } = payload
  if (terminal === "pty" && (merge_stderr === true || [stdin, stdout, stderr].some((file) => file !== undefined))) {
    return yield* usage("--terminal pty cannot be combined with redirected or merged streams", Hint.help("start"))
  }
  if (payload.merge_stderr === true && (payload.stdout !== undefined || payload.stderr !== undefined)) {
    return yield* usage("--merge-stderr cannot be combined with redirected output", Hint.help("start"))
  }
  yield* refusePipes([stdout, stderr], fs, absolute)
  return {
    ...(options.length === 0 ? {} : { options: Object.fromEntries(options) }),
    ...(yield* commands(payload)),
    ...(maps.length === 0 ? {} : { sourceMap: maps }),
    ...(payload.stdout === undefined ? {} : { stdout: absolute(payload.stdout) }),
    ...(payload.stderr === undefined ? {} : { stderr: absolute(payload.stderr) }),
    ...(payload.merge_stderr === true ? { mergeStderr: true } : {}),
    ...(terminal === "pty" ? { terminal } : {}),
    ...(payload.aslr === undefined ? {} : { aslr: payload.aslr === "on" }),
    ...(payload.follow_fork === undefined ? {} : { followFork: payload.follow_fork }),
    ...(payload.run === false ? { loadOnly: true } : {}),
    ...(payload.settings === undefined ? {} : { settings: payload.settings }),
    ...(payload.backend === undefined ? {} : { backend: payload.backend })
  }
})

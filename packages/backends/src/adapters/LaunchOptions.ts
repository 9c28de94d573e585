/**
 * Applies the caller's start options: files for the program's output, debugger commands, source maps, address
 * randomisation, options of the adapter. Refuses unsupported options before anything is started.
 */
import { Command } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import { Errors, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type { Adapter, Arguments, StartOption } from "./Adapter.ts"
import * as Attach from "./Attach.ts"
import type { Streams } from "../process/Streams.ts"
import type { Quirks } from "./Quirks.ts"

/** The name of each option in messages. */
const names: Readonly<Record<StartOption, string>> = {
  commands: "debugger commands at the start",
  terminal: "a terminal for the program",
  aslr: "choosing whether addresses are random",
  followFork: "choosing the process to debug after a fork",
  sourceMap: "source maps"
}

const options: ReadonlyArray<StartOption> = ["commands", "terminal", "aslr", "followFork", "sourceMap"]

/** Returns the first option that an adapter does not support. */
const unsupported = (launch: Backend.LaunchRequest, adapter: Adapter): string | undefined => {
  const lacking = options.find((option) => launch[option] !== undefined && !adapter.supports.includes(option))
  if (lacking !== undefined) return names[lacking]
  const redirects = launch.stdout !== undefined || launch.stderr !== undefined || launch.mergeStderr === true
  return redirects && adapter.streams !== "setting" && adapter.streams !== "terminal"
    ? "files for the program's output"
    : undefined
}

/** Fails with the first option that an adapter does not support. */
export const refuse = Effect.fnUntraced(function* (launch: Backend.LaunchRequest, adapter: Adapter) {
  const what = unsupported(launch, adapter)
  if (what !== undefined) {
    return yield* new Errors.Unsupported({
      what,
      by: adapter.name,
      remedies: [Hint.again("start", { adapter: "lldb-dap" })]
    })
  }
  // Adapters put the paths of a source map into commands of their debugger.
  const text = Command.refusedIn((launch.sourceMap ?? []).flat())
  if (text !== undefined) return yield* Attach.controlCharacters(launch, text)
  yield* refuseInteractive(launch, adapter.dialect?.(adapter.quirks(0)).interactive ?? Command.interactive)
})

/** Fails with the first command that would wait for input. */
export const refuseInteractive = Effect.fnUntraced(function* (
  { commands }: Backend.LaunchRequest,
  interactive: (line: string) => boolean
) {
  const { init = [], preRun = [], stop = [] } = commands ?? {}
  const found = [...init, ...preRun, ...stop].find(interactive)
  if (found !== undefined) {
    return yield* new Errors.Usage({
      problem: `${found} would wait for input that never comes`,
      near: [],
      remedies: [Hint.again("start", { init_cmd: ["COMMAND"] })]
    })
  }
})

const cannotWrite = (program: string, file: string) =>
  new Errors.LaunchFailed({
    program,
    detail: `${file} cannot be written`,
    remedies: [Hint.remedy("name a file in a directory that exists and can be written")]
  })

/** Replaces pipes by the files that the caller named. The files are created empty. */
export const streams = Effect.fnUntraced(function* (launch: Backend.LaunchRequest, pipes: Streams) {
  const fs = yield* FileSystem.FileSystem
  const { mergeStderr, program, stderr, stdout } = launch
  for (const file of [stdout, stderr]) {
    if (file === undefined) continue
    yield* fs.writeFileString(file, "").pipe(Effect.mapError(() => cannotWrite(program, file)))
  }
  return {
    ...pipes,
    output: stdout ?? pipes.output,
    error: mergeStderr === true ? pipes.output : (stderr ?? pipes.error)
  }
})

/**
 * Adds the arguments for the program's language and the caller's start options to those of a launch or attach request.
 * `options` has precedence.
 */
export const added = (
  args: Arguments,
  launch: Backend.LaunchRequest,
  adapter: Adapter,
  quirks: Quirks,
  language?: Arguments
): Arguments => joined(joined(joined(args, language), adapter.optionArguments?.(launch, quirks)), launch.options)

/** Joins two sets of arguments: lists are appended, other values of the second replace those of the first. */
const joined = (first: Arguments, second: Arguments | undefined): Arguments =>
  second === undefined
    ? first
    : {
        ...first,
        ...Object.fromEntries(
          Object.entries(second).map(([key, value]) => {
            const before = first[key]
            return [key, Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value]
          })
        )
      }

/**
 * What a caller wishes beside what is needed: files for the program's output, debugger commands, places of sources,
 * address randomisation, options for the adapter. What an adapter cannot do is refused before anything is started.
 */
import { Command } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import { Errors, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type { Adapter } from "./Adapter.ts"
import type { Streams } from "../process/Streams.ts"
import type { Quirks } from "./Quirks.ts"

type Arguments = { readonly [key: string]: unknown }

/** Fails with the first wish that an adapter cannot fulfil, and the same start without it. */
export const refuse = Effect.fnUntraced(function* (launch: Backend.LaunchRequest, adapter: Adapter) {
  const isLldb = adapter.name === "lldb-dap" || adapter.fulfils === true
  const lacking = [
    [launch.commands !== undefined && !isLldb, "debugger commands at the start"],
    [launch.terminal !== undefined && !isLldb, "a terminal for the program"],
    [launch.aslr !== undefined && !isLldb, "choosing whether addresses are random"],
    [launch.sourceMap !== undefined && !isLldb && adapter.mapped === undefined, "source maps"],
    [
      (launch.stdout !== undefined || launch.stderr !== undefined || launch.mergeStderr === true) &&
        adapter.streams !== "setting" &&
        adapter.streams !== "terminal",
      "files for the program's output"
    ]
  ] as const
  const [, what] = lacking.find(([lacks]) => lacks) ?? []
  if (what !== undefined) {
    return yield* new Errors.Unsupported({
      what,
      by: adapter.name,
      remedies: [Hint.again("start", { adapter: "lldb-dap" })]
    })
  }
  const { waitsForPerson } = adapter.quirks(0)
  yield* talking(launch, waitsForPerson === undefined ? undefined : (line) => waitsForPerson.test(line))
})

/** Fails with the first wish that LLDB's command line by itself cannot fulfil, and the same start without it. */
export const refuseLldb = Effect.fnUntraced(function* (launch: Backend.LaunchRequest) {
  const what =
    launch.options !== undefined
      ? "options of a debug adapter"
      : launch.terminal !== undefined
        ? // It would write between the debugger's own lines.
          "a terminal for the program"
        : launch.commands?.stop !== undefined
          ? "debugger commands at each stop"
          : undefined
  if (what !== undefined) {
    return yield* new Errors.Unsupported({ what, by: "lldb", remedies: [Hint.again("start", { backend: "dap" })] })
  }
  yield* talking(launch)
  const { init = [], preRun = [] } = launch.commands ?? {}
  const moves = [...init, ...preRun].find(Command.resumes)
  if (moves !== undefined) {
    return yield* new Errors.Usage({
      problem: `${moves} would move a program that has not begun`,
      near: [],
      remedies: [Hint.again("start", { stop_on_entry: true })]
    })
  }
})

/** Fails with the first command that would wait for a person. */
const talking = Effect.fnUntraced(function* (
  { commands }: Backend.LaunchRequest,
  interactive: (line: string) => boolean = Command.interactive
) {
  const { init = [], preRun = [], stop = [] } = commands ?? {}
  const talks = [...init, ...preRun, ...stop].find(interactive)
  if (talks !== undefined) {
    return yield* new Errors.Usage({
      problem: `${talks} would wait for input that never comes`,
      near: [],
      remedies: [Hint.again("start", { init_cmd: ["COMMAND"] })]
    })
  }
})

/** The streams with the files in their place that the caller named, which are made here, empty. */
export const streams = Effect.fnUntraced(function* (launch: Backend.LaunchRequest, own: Streams) {
  const fs = yield* FileSystem.FileSystem
  const { mergeStderr, program, stderr, stdout } = launch
  for (const file of [stdout, stderr]) {
    if (file === undefined) continue
    yield* fs
      .writeFileString(file, "")
      .pipe(Effect.mapError(() => new Errors.LaunchFailed({ program, detail: `${file} cannot be written` })))
  }
  return {
    ...own,
    output: stdout ?? own.output,
    error: mergeStderr === true ? own.output : (stderr ?? own.error)
  }
})

/** What lldb-dap is told of them; its own commands may not fail unnoticed. */
const lldb = (launch: Backend.LaunchRequest, quirks: Quirks): Arguments => {
  const { init: own = [], preRun, stop } = launch.commands ?? {}
  // The adapter's own switch changes nothing up to 19.
  const init = [...(launch.aslr === true ? ["settings set target.disable-aslr false"] : []), ...own]
  const marked = (line: string) => (quirks.knowsCommandMarks && !/^[!?]/.test(line) ? `!${line}` : line)
  return {
    ...(init.length === 0 ? {} : { initCommands: init.map(marked) }),
    ...(preRun === undefined ? {} : { preRunCommands: preRun.map(marked) }),
    ...(stop === undefined ? {} : { stopCommands: stop }),
    ...(launch.sourceMap === undefined ? {} : { sourceMap: launch.sourceMap }),
    ...(launch.aslr === true ? { disableASLR: false } : {})
  }
}

/** The launch or attach arguments with everything that was wished for, the caller's own options last. */
export const added = (ours: Arguments, launch: Backend.LaunchRequest, adapter: Adapter, quirks: Quirks): Arguments => {
  const wishes =
    adapter.name === "lldb-dap"
      ? lldb(launch, quirks)
      : launch.sourceMap === undefined
        ? undefined
        : adapter.mapped?.(launch.sourceMap)
  return joined(joined(ours, wishes), launch.options)
}

/** Both sets of arguments: lists are joined, anything else is as the second has it. */
const joined = (ours: Arguments, theirs: Arguments | undefined): Arguments =>
  theirs === undefined
    ? ours
    : {
        ...ours,
        ...Object.fromEntries(
          Object.entries(theirs).map(([key, value]) => {
            const own = ours[key]
            return [key, Array.isArray(own) && Array.isArray(value) ? [...own, ...value] : value]
          })
        )
      }

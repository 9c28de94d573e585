/**
 * Finds the `lldb` command line.
 *
 * Searched in this order: the file that the caller named, `SIGTRAP_LLDB`, `xcrun --find lldb` if there is an xcrun, then
 * PATH: `lldb`, `lldb-NN`, the newest first.
 */
import { Hint } from "@sigtrap/protocol"
import { Parse } from "@sigtrap/lldb"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type { Located, Machine, Search } from "../adapters/Adapter.ts"
import * as Discovery from "../adapters/Discovery.ts"
import { lldbTrials } from "../adapters/NativeTrials.ts"

/** The name of LLDB's command line in messages and in lists of adapters. */
export const name = "lldb"

/** Matches the file name of LLDB's command line. */
export const file = /^lldb(?:-\d+)?$/

/** How `doctor` tries LLDB. */
export const trials = lldbTrials

/** The languages that LLDB debugs. */
export const languages: ReadonlyArray<string> = ["C", "C++", "Objective-C", "Swift", "Rust"]

const newest = 40
const oldest = 11

const xcrun = "/usr/bin/xcrun"

const examine = (path: string, { env }: Search): Effect.Effect<Located, never, Machine> =>
  Effect.map(
    Discovery.askVersion(path, ["--version"], { PATH: env["PATH"] ?? "", HOME: "/", TERM: "dumb" }),
    (text) => {
      const version = Parse.version(text ?? "")
      return version === undefined ? { path, problem: "it does not print its version" } : { path, version }
    }
  )

const variable = "SIGTRAP_LLDB"

const kind: Discovery.Kind = {
  name,
  aliases: ["lldb-cli"],
  variable,
  names: ["lldb", ...Array.from({ length: newest - oldest + 1 }, (_, index) => `lldb-${newest - index}`)],
  remedy: Hint.local("setup", ["lldb-dap"]),
  examine
}

/** The search with the file that `xcrun` names, unless the caller names another. */
const named = Effect.fnUntraced(function* (search: Search) {
  const own = search.adapter === undefined || search.adapter === kind.name || kind.aliases.includes(search.adapter)
  const fs = yield* FileSystem.FileSystem
  const has = yield* fs.exists(xcrun).pipe(Effect.orElseSucceed(() => false))
  if (!own || !has || search.env[variable] !== undefined) return search
  const path = (yield* Discovery.outputOf(xcrun, ["--find", "lldb"], { ...search.env }))?.trim()
  return path === undefined || path === "" ? search : { ...search, adapter: path }
})

/** Finds the `lldb` to use. Fails with every place that was searched. */
export const find = (search: Search): ReturnType<typeof Discovery.find> =>
  Effect.flatMap(named(search), (one) => Discovery.find(kind, one))

/** Finds every `lldb` on this machine, also unusable ones. */
export const all = (search: Search) => Effect.flatMap(named(search), (one) => Discovery.all(kind, one))

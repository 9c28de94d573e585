/**
 * The modules that have code of a file.
 *
 * LLDB searches all modules for the line of a new breakpoint, and each of their compile units: half a millisecond with the debug information
 * of the C library. A search in the modules that have code of the file takes a tenth of that. They are asked once and
 * forgotten when modules were loaded or unloaded.
 */
import { Lookup } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

/** The parts of a connection that this module uses. */
export interface Options {
  readonly command: (line: string) => Effect.Effect<string, Backend.Failure>
  readonly major: number
}

/** Modules above which a breakpoint is set in all of them, without their names. */
const maxModules = 4

/** The modules of one connection. */
export interface FileModules {
  /** Returns the paths of the modules that have code of a file; empty if LLDB finds none by this path. */
  readonly of: (file: string) => Effect.Effect<ReadonlyArray<string>, Backend.Failure>
  /** Returns the modules to search for a line of a file; undefined for all. */
  readonly toSearch: (file: string) => Effect.Effect<ReadonlyArray<string> | undefined, Backend.Failure>
  /** Forgets the modules; called when some were loaded or unloaded. */
  readonly forget: () => void
}

/** Makes the modules of one connection. */
export const make = ({ command, major }: Options): FileModules => {
  const known = new Map<string, ReadonlyArray<string>>()

  const of: FileModules["of"] = Effect.fnUntraced(function* (file) {
    const before = known.get(file)
    if (before !== undefined) return before
    const query = Lookup.file(file, major)
    const found = Result.isSuccess(query) ? Lookup.modulesOf(yield* command(query.success)) : []
    known.set(file, found)
    return found
  })

  return {
    of,
    // A relative path matches files of several folders.
    toSearch: (file) =>
      file.startsWith("/")
        ? Effect.map(of(file), (found) => (found.length === 0 || found.length > maxModules ? undefined : found))
        : Effect.undefined,
    forget: () => known.clear()
  }
}

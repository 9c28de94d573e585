/**
 * Every kind of debug adapter that is known, and which of them is meant.
 *
 * An adapter that was asked for by name or path is taken; otherwise the program decides: a source file by its ending, a
 * Go binary and a script for Python or Node by what stands in them, anything else is native code.
 */
import { Errors, Hint, Settings } from "@sigtrap/protocol"
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Adapter, Located, Machine } from "./Adapter.ts"
import * as CodeLldb from "./CodeLldb.ts"
import * as Debugpy from "./Debugpy.ts"
import * as Delve from "./Delve.ts"
import * as Executable from "./Executable.ts"
import * as Gdb from "./Gdb.ts"
import * as JsDebug from "./JsDebug.ts"
import * as LldbDap from "./LldbDap.ts"

/** All of them, the one for native programs first. */
export const adapters: ReadonlyArray<Adapter> = [
  LldbDap.adapter,
  Debugpy.adapter,
  Delve.adapter,
  JsDebug.adapter,
  Gdb.adapter,
  CodeLldb.adapter
]

/** An adapter on this machine. `problem` says why it cannot be used; without a path there is none. */
export interface Discovered extends Located {
  readonly name: string
  readonly languages: ReadonlyArray<string>
  /** How the end of a command is known, of a debugger that is driven by its command line. */
  readonly marker?: string
}

/** The adapter whose source files end like this; its debugger runs them, so they need not be executable. */
export const forSource = (program: string, settings?: Settings.Values): Adapter | undefined => {
  const ends = (extensions: ReadonlyArray<string>) => extensions.some((extension) => program.endsWith(extension))
  return (
    adapters.find(({ name }) => ends(Settings.list(settings, `adapters.${name}.extensions`))) ??
    adapters.find(({ extensions }) => ends(extensions))
  )
}

/** The adapter of a name, an alias or a file's name. */
export const named = (name: string): Adapter | undefined =>
  adapters.find((adapter) => adapter.name === name || adapter.aliases.includes(name) || adapter.file.test(name))

/** How far two words are from each other: letters to add, drop or replace. */
const distance = (from: string, to: string): number => {
  let last = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const replace = (last[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1)
      current[column] = Math.min(replace, (last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1)
    }
    last = current
  }
  return last[to.length] ?? 0
}

const near = (name: string): ReadonlyArray<string> =>
  adapters
    .map((adapter) => ({
      name: adapter.name,
      far: Math.min(...[adapter.name, ...adapter.aliases].map((known) => distance(name.toLowerCase(), known)))
    }))
    .filter(({ far }) => far <= 3)
    .toSorted((a, b) => a.far - b.far)
    .map((one) => one.name)

/** The adapter for a program. Fails when the name that was asked for is none. */
export const choose = Effect.fnUntraced(function* (
  request: Pick<Backend.LaunchRequest, "adapter" | "program" | "settings">
) {
  const asked = request.adapter
  if (asked !== undefined) {
    const known = named(asked.slice(asked.lastIndexOf("/") + 1))
    if (known !== undefined) return known
    // A file of any name may be an adapter; it is taken for one that suits the program.
    if (!asked.includes("/")) {
      return yield* new Errors.Usage({
        problem: `there is no adapter ${asked}; known are ${adapters.map(({ name }) => name).join(", ")}, or a path`,
        near: near(asked),
        remedies: [Hint.again("start", { adapter: "lldb-dap" })]
      })
    }
  }
  const source = forSource(request.program, request.settings)
  if (source !== undefined) return source
  switch (yield* Executable.kind(request.program)) {
    case "go":
      return Delve.adapter
    case "python":
      return Debugpy.adapter
    case "node":
      return JsDebug.adapter
    default:
      return Option.getOrElse(configured(request.settings), () => LldbDap.adapter)
  }
})

/** The adapter that is configured for native programs. */
const configured = (settings: Settings.Values | undefined): Option.Option<Adapter> => {
  const name = Settings.text(settings, "defaults.adapter")
  return Option.fromUndefinedOr(name === undefined ? undefined : named(name.slice(name.lastIndexOf("/") + 1)))
}

/** Every adapter of every kind on this machine, by what a caller's environment says; one entry at least for each. */
export const discover = (
  environment: Readonly<Record<string, string>>
): Effect.Effect<ReadonlyArray<Discovered>, never, Machine> =>
  Effect.forEach(
    adapters,
    (adapter) =>
      adapter.all({ env: environment, cwd: "/" }).pipe(
        Effect.map((found): ReadonlyArray<Discovered> => {
          const { languages, name } = adapter
          if (found.length === 0) return [{ name, languages, problem: "not found" }]
          return found.map((one) => ({ name, languages, ...one }))
        })
      ),
    { concurrency: 4 }
  ).pipe(Effect.map((lists) => lists.flat()))

/**
 * The list of adapters, and the choice of one for a program.
 *
 * An adapter requested by name or path is used. Otherwise the program decides: a source file by its suffix, another file by
 * its contents. A program that no adapter recognizes is native code.
 */
import { AdapterSettings, Errors, Hint, Nearest, Settings } from "@sigtrap/protocol"
import type { Backend } from "@sigtrap/manager"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Adapter, Located, Machine } from "./Adapter.ts"
import * as CodeLldb from "./CodeLldb.ts"
import * as ConfiguredAdapter from "./ConfiguredAdapter.ts"
import * as Debugpy from "./Debugpy.ts"
import * as Delve from "./Delve.ts"
import * as ProgramKind from "./ProgramKind.ts"
import * as Gdb from "./Gdb.ts"
import * as JsDebug from "./JsDebug.ts"
import * as LldbDap from "./LldbDap.ts"
import type { Trials } from "./Trials.ts"

/** The adapter for native programs. */
export const native: Adapter = LldbDap.adapter

/** The built-in adapters. */
export const builtIn: ReadonlyArray<Adapter> = [
  native,
  Debugpy.adapter,
  Delve.adapter,
  JsDebug.adapter,
  Gdb.adapter,
  CodeLldb.adapter
]

/** The adapters in use; the built-in ones, and those that `layer` adds. */
export const Adapters = Context.Reference<ReadonlyArray<Adapter>>("@sigtrap/backends/Adapters", {
  defaultValue: () => builtIn
})

/** Returns adapters with added ones before them. An added one replaces one of the same name. */
const joined = (added: ReadonlyArray<Adapter>, known: ReadonlyArray<Adapter>): ReadonlyArray<Adapter> => {
  const names = new Set(added.map(({ name }) => name))
  return [...added, ...known.filter(({ name }) => !names.has(name))]
}

/** Returns the adapters for a caller: those that its configuration describes, and the known ones. */
export const configured = (
  known: ReadonlyArray<Adapter>,
  settings: Settings.Values | undefined
): ReadonlyArray<Adapter> => joined(ConfiguredAdapter.of(settings), known)

/**
 * Adds adapters to those in use, before the others: an added one is chosen first for a suffix, and replaces one of the same name.
 * Layers of this kind can be provided to each other.
 */
export const layer = (added: ReadonlyArray<Adapter>): Layer.Layer<never> =>
  Layer.effect(
    Adapters,
    Effect.map(Adapters, (known) => joined(added, known))
  )

/** An adapter on this machine. `problem` says why it cannot be used; without a path none was found. */
export interface Discovered extends Located {
  readonly name: string
  readonly languages: ReadonlyArray<string>
  /** How the end of a command's output is recognised, for a debugger that is driven by its command line. */
  readonly marker?: string
  /** How the adapter is tried; absent if it cannot be tried. */
  readonly trials?: Trials
  /** What to do about a problem; absent if sigtrap can install it. */
  readonly remedy?: string
}

/** Returns the adapter for a source file, by its suffix. The debugger runs the file, so it need not be executable. */
export const forSource = (
  adapters: ReadonlyArray<Adapter>,
  program: string,
  settings?: Settings.Values
): Adapter | undefined => {
  const hasSuffix = (extensions: ReadonlyArray<string>) => extensions.some((extension) => program.endsWith(extension))
  return (
    adapters.find(({ name }) => hasSuffix(Settings.list(settings, `adapters.${name}.extensions`))) ??
    adapters.find(({ extensions }) => hasSuffix(extensions))
  )
}

/**
 * True for a program that the debugger runs, so that it need not be executable: a source file by its suffix, or any file with a
 * named adapter that decides itself which files it runs.
 */
export const runsSource = (
  known: ReadonlyArray<Adapter>,
  program: string,
  { adapter, settings }: Pick<Backend.LaunchRequest, "adapter" | "settings">
): boolean => {
  const adapters = configured(known, settings)
  const name = adapter ?? Settings.text(settings, "defaults.adapter")
  return (
    forSource(adapters, program, settings) !== undefined ||
    (name !== undefined && named(adapters, name)?.runsAnyFile === true)
  )
}

/** Returns the adapter with this name, alias or file name. */
export const named = (adapters: ReadonlyArray<Adapter>, name: string): Adapter | undefined =>
  adapters.find((adapter) => adapter.name === name || adapter.aliases.includes(name) || adapter.file.test(name))

/** Returns names and other names of adapters that are similar, the nearest first. */
const nearest = (adapters: ReadonlyArray<Adapter>, name: string): ReadonlyArray<string> =>
  Nearest.names(
    name,
    adapters.flatMap((adapter) => [adapter.name, ...adapter.aliases])
  )

const baseName = (path: string) => path.slice(path.lastIndexOf("/") + 1)

/** Returns the name of the adapter for the programs of an interpreter, by the file of the interpreter. */
export const interpreterAdapter = (adapters: ReadonlyArray<Adapter>, file: string): string | undefined =>
  adapters.find(({ interpreter }) => interpreter?.test(baseName(file)) === true)?.name

/** Chooses the adapter for a program. Fails if the requested name is unknown. */
export const choose = Effect.fnUntraced(function* (
  request: Pick<Backend.LaunchRequest, "adapter" | "program" | "settings">
) {
  const { adapter, program, settings } = request
  const adapters = configured(yield* Adapters, settings)
  if (adapter !== undefined) {
    const known = named(adapters, baseName(adapter))
    if (known !== undefined) return known
    // Any file may be an adapter; the program decides of which kind.
    if (!adapter.includes("/")) {
      return yield* new Errors.Usage({
        problem: `there is no adapter ${adapter}; known are ${adapters.map(({ name }) => name).join(", ")}, or a path`,
        near: nearest(adapters, adapter),
        remedies: [Hint.again("start", { adapter: "lldb-dap" })]
      })
    }
  }
  const source = forSource(adapters, program, settings)
  if (source !== undefined) return source
  const contents = yield* ProgramKind.read(program)
  const recognized = adapters.find((one) => one.recognizes?.(contents) === true)
  if (recognized !== undefined) return recognized
  const usual = Settings.text(settings, "defaults.adapter")
  return (usual === undefined ? undefined : named(adapters, baseName(usual))) ?? native
})

/**
 * Finds every adapter on this machine by PATH and the variables of `environment`; at least one entry for each kind. `settings`
 * can describe further ones.
 */
export const discover = (
  environment: Readonly<Record<string, string>>,
  settings?: Settings.Values
): Effect.Effect<ReadonlyArray<Discovered>, never, Machine> =>
  Effect.flatMap(Adapters, (known) => {
    const described = AdapterSettings.described(settings ?? {})
    return Effect.forEach(
      configured(known, settings),
      (adapter) =>
        adapter.all({ env: environment, cwd: "/" }).pipe(
          Effect.map((found): ReadonlyArray<Discovered> => {
            const { languages, name, trials } = adapter
            const about = {
              name,
              languages,
              ...(trials === undefined ? {} : { trials }),
              ...(described.includes(name) ? { remedy: `edit adapters.${name} of the configuration` } : {})
            }
            if (found.length === 0) return [{ ...about, problem: "not found" }]
            return found.map((one) => ({ ...about, ...one }))
          })
        ),
      { concurrency: 4 }
    )
  }).pipe(Effect.map((lists) => lists.flat()))

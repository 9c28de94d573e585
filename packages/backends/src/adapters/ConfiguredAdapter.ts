/**
 * The debug adapters that the caller's configuration describes (`adapters.NAME.command`).
 */
import { AdapterSettings, Settings } from "@sigtrap/protocol"
import type { Backend } from "@sigtrap/manager"
import type { Adapter, Arguments, AttachRequest } from "./Adapter.ts"
import * as CommandAdapter from "./CommandAdapter.ts"
import type { Quirks } from "./Quirks.ts"
import type { Trials } from "./Trials.ts"

/** The launch arguments without a template. Most adapters take these names. */
const usualLaunch = JSON.stringify({
  program: "${program}",
  args: "${args}",
  cwd: "${cwd}",
  env: "${env}",
  stopOnEntry: "${stop_on_entry}"
})

/** The field of each quirk that a description may name. */
const fields = {
  absolute_paths_only: { absolutePathsOnly: true },
  counts_hits: { countsHits: true },
  detaches_when_killed: { detachesWhenKilled: true },
  exception_type_in_text: { exceptionTypeInText: true },
  exceptions_look_like_breakpoints: { exceptionsLookLikeBreakpoints: true },
  first_stop_is_entry: { firstStopIsEntry: true },
  ignores_default_filters: { ignoresDefaultFilters: true },
  inserts_traps: { insertsTraps: true },
  omits_empty_scopes: { omitsEmptyScopes: true },
  one_per_place: { onePerPlace: true },
  pages_elements_only: { pagesElementsOnly: true },
  pause_looks_like_signal: { pauseLooksLikeSignal: true },
  pause_looks_like_step: { pauseLooksLikeStep: true },
  plain_function_names: { plainFunctionNames: true },
  silent_process: { silentProcess: true },
  stale_threads: { staleThreads: true },
  stops_at_attach: { stopsAtAttach: true },
  stops_without_ids: { stopsWithoutIds: true },
  stops_without_text: { stopsWithoutText: true },
  unordered_functions: { unorderedFunctions: true },
  verifies_at_run: { verifiesAtRun: true },
  writes_log_messages: { writesLogMessages: true }
} as const satisfies { readonly [quirk in AdapterSettings.Quirk]: Quirks }

const quirksOf = (named: ReadonlyArray<string>): Quirks =>
  AdapterSettings.quirks.reduce<Quirks>(
    (all, quirk) => (named.includes(quirk) ? { ...all, ...fields[quirk] } : all),
    {}
  )

const launchArguments =
  (template: string) =>
  ({ args, cwd, env, program, stopOnEntry }: Backend.LaunchRequest): Arguments =>
    AdapterSettings.fill(template, { program, args: [...args], cwd, env, stop_on_entry: stopOnEntry })

const attachRequest =
  (template: string, { stopsAtAttach }: Quirks) =>
  ({ cwd, env, program }: Backend.LaunchRequest, target: Backend.AttachTarget): AttachRequest | undefined =>
    target.kind === "process"
      ? {
          request: "attach",
          arguments: AdapterSettings.fill(template, { pid: target.pid, program, cwd, env }),
          ...(stopsAtAttach === true ? {} : { keepsRunning: true })
        }
      : undefined

const onlyLaunched = "the sample of a configured adapter is only launched"

/** The trial of an adapter: its sample runs to the end. */
const trialsOf = (sample: string): Trials => ({
  without: { attach: onlyLaunched, core: onlyLaunched, remote: onlyLaunched },
  scenarios: {
    launch: ({ name }) => `
name: doctor
target: { program: ${JSON.stringify(sample)}, adapter: ${JSON.stringify(name)} }
steps:
  - name: run the sample to the end
    check_state: exited
`
  }
})

/** Returns the adapter that the values describe under a name. */
const described = (settings: Settings.Values, name: string): Adapter => {
  const key = (word: string) => `adapters.${name}.${word}`
  const text = (word: string) => Settings.text(settings, key(word))
  const list = (word: string) => Settings.list(settings, key(word))
  const quirks = quirksOf(list("quirks"))
  const attach = text("attach")
  const port = text("port")
  const sample = text("sample")
  const types = list("types")
  return CommandAdapter.make({
    name,
    command: text("path") ?? text("command") ?? "",
    // `Configuration.start` adds the arguments and variables, as for every adapter.
    languages: list("languages"),
    extensions: list("extensions"),
    launch: launchArguments(text("launch") ?? usualLaunch),
    ...(attach === undefined ? {} : { attach: attachRequest(attach, quirks) }),
    ...(text("transport") === "tcp" ? { transport: { port: port === undefined ? "free" : Number(port) } } : {}),
    streams: text("streams") === "terminal" ? "terminal" : "events",
    quirks,
    editorType: { types: types.length === 0 ? [name] : types, options: list("options") },
    variable: false,
    ...(sample === undefined ? {} : { trials: trialsOf(sample) })
  })
}

/** Returns the adapters that a caller's configuration describes. */
export const of = (settings: Settings.Values | undefined): ReadonlyArray<Adapter> =>
  settings === undefined ? [] : AdapterSettings.described(settings).map((name) => described(settings, name))

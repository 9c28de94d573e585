/**
 * Effects that a session must not have, by the caller's configuration and by the call that started it. The stricter of
 * the two applies.
 *
 * A rule forbids an effect, not a command. `no-eval` forbids running code of the program: by `eval`, and by conditions,
 * log messages and expressions at stops unless they only read. `no-raw` forbids debugger commands: by `raw`, at stops,
 * at the start, and in adapter options.
 */
import { Errors, Roots, Settings, type Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import type { LaunchRequest } from "../ports/Backend.ts"
import * as Expression from "./Expression.ts"
import * as LogMessage from "./LogMessage.ts"
import type { Place } from "./BreakpointPlace.ts"

/** An effect that can be forbidden. */
export type Effects = "eval" | "set" | "memory-write" | "raw" | "restart" | "attach" | "launch"

/** Forbidden effects, each with its rule. */
export interface Policy {
  readonly rules: ReadonlyMap<Effects, string>
  /** Directories that files must be in; empty for no restriction. */
  readonly roots: ReadonlyArray<string>
  /** Environment variables that are removed from each program. */
  readonly deniedEnv: ReadonlyArray<string>
  /** The rules as text, for `status`. */
  readonly words: ReadonlyArray<string>
}

/** Sources of a policy. */
export interface Sources {
  readonly read_only?: boolean | undefined
  readonly deny?: Operations.Payload<"start">["deny"] | undefined
  readonly settings?: Settings.Values | undefined
}

const readOnly: ReadonlyArray<Effects> = ["eval", "set", "memory-write", "raw", "restart"]

const configurable: ReadonlyArray<Effects> = ["eval", "raw", "attach", "launch"]

/** Returns the policy of a call with its configuration. */
export const of = ({ deny = [], read_only, settings }: Sources): Policy => {
  const rules = new Map<Effects, string>()
  const isOn = (key: string) => Settings.text(settings, key) === "true"
  const forbid = (effect: Effects, rule: string) => {
    if (!rules.has(effect)) rules.set(effect, rule)
  }
  const everything = read_only === true || isOn("policy.read-only")
  if (everything) for (const effect of readOnly) forbid(effect, "read-only")
  for (const effect of configurable) if (isOn(`policy.no-${effect}`)) forbid(effect, `no-${effect}`)
  for (const effect of deny) forbid(effect, `no-${effect}`)
  const roots = Settings.list(settings, "policy.roots")
  const deniedEnv = Settings.list(settings, "policy.env-deny")
  const words = [
    ...new Set(rules.values()),
    ...(roots.length === 0 ? [] : [`roots ${roots.join(" ")}`]),
    ...(deniedEnv.length === 0 ? [] : [`env-deny ${deniedEnv.join(" ")}`])
  ]
  return { rules, roots, deniedEnv, words }
}

/** Policy that forbids nothing. */
export const none: Policy = of({})

const refusal = (rule: string, what: string) => new Errors.Policy({ rule, what })

/** Fails if an effect is forbidden. `what` names the action. */
export const permit = ({ rules }: Policy, effect: Effects, what: string): Effect.Effect<void, Errors.Policy> => {
  const rule = rules.get(effect)
  return rule === undefined ? Effect.void : Effect.fail(refusal(rule, what))
}

/** Parts of a breakpoint that can have an effect. */
export interface BreakpointEffects {
  readonly cmd?: ReadonlyArray<string> | null | undefined
  readonly eval?: ReadonlyArray<string> | null | undefined
  readonly condition?: string | null | undefined
  readonly log?: string | null | undefined
  readonly place?: Place
}

/** Fails for expressions that may change the program, if that is forbidden. */
export const checkExpressions = (
  policy: Policy,
  expressions: ReadonlyArray<string>
): Effect.Effect<void, Errors.Policy> => {
  const changing = policy.rules.has("eval") ? expressions.find((text) => !Expression.onlyReads(text)) : undefined
  return changing === undefined
    ? Effect.void
    : permit(policy, "eval", `evaluating ${changing}, which may change the program,`)
}

/** Fails for a breakpoint whose condition, message, expressions, commands or place have a forbidden effect. */
export const checkBreakpoint = (policy: Policy, payload: BreakpointEffects): Effect.Effect<void, Errors.Policy> => {
  const { cmd, condition, eval: expressions, log, place } = payload
  const [command] = cmd ?? []
  const written = typeof log === "string" ? LogMessage.parts(log).filter((_, index) => index % 2 === 1) : []
  const address = place?.kind === "special" && place.at.kind === "address" ? [place.at.expression] : []
  const all = [...(typeof condition === "string" ? [condition] : []), ...written, ...(expressions ?? []), ...address]
  return Effect.andThen(
    command === undefined ? Effect.void : permit(policy, "raw", `the debugger command '${command}' at a stop`),
    checkExpressions(policy, all)
  )
}

/** File system and paths. */
export interface Machine {
  readonly fs: FileSystem.FileSystem
  readonly path: Path.Path
}

/** Resolves symbolic links of the existing part of a path. */
const real = (file: string, { fs, path }: Machine): Effect.Effect<string> =>
  fs
    .realPath(file)
    .pipe(
      Effect.catch(() =>
        path.dirname(file) === file
          ? Effect.succeed(file)
          : Effect.map(real(path.dirname(file), { fs, path }), (above) => path.join(above, path.basename(file)))
      )
    )

/** Fails for a file outside of the roots. Paths are absolute. */
export const checkFiles = Effect.fnUntraced(function* (policy: Policy, files: ReadonlyArray<string>, machine: Machine) {
  if (policy.roots.length === 0) return
  const { path } = machine
  const roots = yield* Effect.forEach(policy.roots, (root) => real(path.resolve(root), machine))
  for (const file of files) {
    const place = yield* real(path.resolve(file), machine)
    if (!Roots.contain(roots, place, path.sep)) return yield* Roots.refusal(policy.roots, file)
  }
})

const ifSet = (text: string | undefined) => (text === undefined || text === "" ? [] : [text])

/** Checks a launch and removes forbidden environment variables. */
export const checkLaunch = Effect.fnUntraced(function* (policy: Policy, launch: LaunchRequest, machine: Machine) {
  const { adapter, commands, existing, options, program, sourceMap = [], stderr, stdin, stdout } = launch
  // A simulator app counts as launched, although the debugger attaches to it.
  if (existing === undefined || (existing.kind === "process" && existing.release !== undefined)) {
    yield* permit(policy, "launch", `starting ${program}`)
  } else if (existing.kind !== "core") {
    const target = existing.kind === "process" ? `process ${existing.pid}` : existing.host
    yield* permit(policy, "attach", `taking hold of ${target}`)
  }
  const [command] = [commands?.init, commands?.preRun, commands?.stop].flatMap((lines) => lines ?? [])
  if (command !== undefined) yield* permit(policy, "raw", `the debugger command '${command}'`)
  const [option] = Object.keys(options ?? {})
  // Adapter options may contain debugger commands.
  if (option !== undefined) yield* permit(policy, "raw", `the adapter's option ${option}`)
  yield* checkFiles(
    policy,
    [
      program,
      stdin,
      stdout,
      stderr,
      existing?.kind === "core" ? existing.file : undefined,
      adapter?.includes(machine.path.sep) === true ? adapter : undefined,
      ...sourceMap.map(([, to]) => to)
    ].flatMap(ifSet),
    machine
  )
  if (policy.deniedEnv.length === 0) return launch
  const env = Object.fromEntries(Object.entries(launch.env).filter(([name]) => !policy.deniedEnv.includes(name)))
  return { ...launch, env }
})

/** Checks what `start` does before the launch: its build command and its files. */
export const checkStart = Effect.fnUntraced(function* (
  policy: Policy,
  payload: Partial<
    Pick<
      Operations.Payload<"start">,
      "build" | "runner" | "launch_json" | "env_file" | "arg_file" | "env" | "directory" | "program"
    >
  >,
  machine: Machine
) {
  const { build, env = [], program, runner } = payload
  const runs = build ?? runner
  if (runs !== undefined) {
    yield* permit(policy, "launch", `running ${runs}`)
    if (policy.roots.length > 0) {
      yield* refusal("roots", `running ${runs}, whose programs may lie anywhere,`)
    }
  }
  if (payload.launch_json === undefined && program !== undefined) yield* permit(policy, "launch", `starting ${program}`)
  const name = env.map((text) => text.replace(/=.*$/s, "")).find((one) => policy.deniedEnv.includes(one))
  if (name !== undefined) yield* refusal("env-deny", `the variable ${name}`)
  const files = [payload.launch_json, payload.env_file, payload.arg_file]
    .flatMap(ifSet)
    .map((file) => machine.path.resolve(payload.directory ?? ".", file))
  yield* checkFiles(policy, files, machine)
})

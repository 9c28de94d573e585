/**
 * What a session may not do, however it is asked: rules from the caller's configuration and from the call that began it,
 * the stricter of the two.
 *
 * A rule is about an effect and not about a command. Running code of the program is forbidden to `eval` and just so to
 * conditions, messages of logpoints and expressions of stops, unless these only read; the debugger's own command line is
 * forbidden to `raw` and just so to commands at stops, at the start and in options of the adapter.
 */
import { Errors, Settings, type Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import type { LaunchRequest } from "../ports/Backend.ts"
import * as Expression from "./Expression.ts"
import * as LogMessage from "./LogMessage.ts"
import type { Place } from "./BreakpointPlace.ts"

/** An effect that can be forbidden. */
export type Effects = "eval" | "set" | "memory-write" | "raw" | "restart" | "attach" | "launch"

/** What is forbidden, each effect with the rule that says so. */
export interface Policy {
  readonly rules: ReadonlyMap<Effects, string>
  /** Directories in which files have to lie; empty when they may lie anywhere. */
  readonly roots: ReadonlyArray<string>
  /** Variables that no program gets. */
  readonly withoutEnv: ReadonlyArray<string>
  /** The rules in words, for `status`. */
  readonly words: ReadonlyArray<string>
}

/** What makes a policy. */
export interface Asked {
  readonly read_only?: boolean | undefined
  readonly deny?: Operations.Payload<"start">["deny"] | undefined
  readonly settings?: Settings.Values | undefined
}

const readOnly: ReadonlyArray<Effects> = ["eval", "set", "memory-write", "raw", "restart"]

const configurable: ReadonlyArray<Effects> = ["eval", "raw", "attach", "launch"]

/** The policy of a call, with what its caller has configured. */
export const of = ({ deny = [], read_only, settings }: Asked): Policy => {
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
  const withoutEnv = Settings.list(settings, "policy.env-deny")
  const words = [
    ...new Set(rules.values()),
    ...(roots.length === 0 ? [] : [`roots ${roots.join(" ")}`]),
    ...(withoutEnv.length === 0 ? [] : [`env-deny ${withoutEnv.join(" ")}`])
  ]
  return { rules, roots, withoutEnv, words }
}

/** Nothing is forbidden. */
export const none: Policy = of({})

const refusal = (rule: string, what: string) => new Errors.Policy({ rule, what })

/** Refuses an effect that is forbidden; `what` is what would have it. */
export const permit = ({ rules }: Policy, effect: Effects, what: string): Effect.Effect<void, Errors.Policy> => {
  const rule = rules.get(effect)
  return rule === undefined ? Effect.void : Effect.fail(refusal(rule, what))
}

/** What a breakpoint may do beside stopping. */
export interface Acting {
  readonly cmd?: ReadonlyArray<string> | null | undefined
  readonly eval?: ReadonlyArray<string> | null | undefined
  readonly condition?: string | null | undefined
  readonly log?: string | null | undefined
  readonly place?: Place
}

/** Refuses expressions that might change the program, where that is forbidden. */
export const reads = (policy: Policy, expressions: ReadonlyArray<string>): Effect.Effect<void, Errors.Policy> => {
  const acts = policy.rules.has("eval") ? expressions.find((text) => !Expression.onlyReads(text)) : undefined
  return acts === undefined ? Effect.void : permit(policy, "eval", `evaluating ${acts}, which may change the program,`)
}

/** Refuses a breakpoint whose condition, message, expressions, commands or place have an effect that is forbidden. */
export const acting = (policy: Policy, asked: Acting): Effect.Effect<void, Errors.Policy> => {
  const { cmd, condition, eval: expressions, log, place } = asked
  const [command] = cmd ?? []
  const written = typeof log === "string" ? LogMessage.parts(log).filter((_, index) => index % 2 === 1) : []
  const address = place?.kind === "special" && place.at.kind === "address" ? [place.at.expression] : []
  const all = [...(typeof condition === "string" ? [condition] : []), ...written, ...(expressions ?? []), ...address]
  return Effect.andThen(
    command === undefined ? Effect.void : permit(policy, "raw", `the debugger command '${command}' at a stop`),
    reads(policy, all)
  )
}

/** What looking at paths needs. */
export interface Machine {
  readonly fs: FileSystem.FileSystem
  readonly path: Path.Path
}

/** Where a path leads, symbolic links resolved as far as there is something. */
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

/** Refuses a file outside of the roots. Paths are absolute. */
export const inside = Effect.fnUntraced(function* (policy: Policy, files: ReadonlyArray<string>, machine: Machine) {
  if (policy.roots.length === 0) return
  const { path } = machine
  const roots = yield* Effect.forEach(policy.roots, (root) => real(path.resolve(root), machine))
  for (const file of files) {
    const place = yield* real(path.resolve(file), machine)
    const lies = roots.some(
      (root) => place === root || place.startsWith(root.endsWith(path.sep) ? root : `${root}${path.sep}`)
    )
    if (!lies) return yield* refusal("roots", `${file}, which is outside of ${policy.roots.join(", ")},`)
  }
})

const given = (text: string | undefined) => (text === undefined || text === "" ? [] : [text])

/** The launch as the policy has it, or why there may be none. */
export const beginning = Effect.fnUntraced(function* (policy: Policy, launch: LaunchRequest, machine: Machine) {
  const { adapter, commands, existing, options, program, sourceMap = [], stderr, stdin, stdout } = launch
  // An app of a simulator is launched by another, and its process is then taken hold of.
  if (existing === undefined || (existing.kind === "process" && existing.release !== undefined)) {
    yield* permit(policy, "launch", `starting ${program}`)
  } else if (existing.kind !== "core") {
    const target = existing.kind === "process" ? `process ${existing.pid}` : existing.host
    yield* permit(policy, "attach", `taking hold of ${target}`)
  }
  const [command] = [commands?.init, commands?.preRun, commands?.stop].flatMap((lines) => lines ?? [])
  if (command !== undefined) yield* permit(policy, "raw", `the debugger command '${command}'`)
  const [option] = Object.keys(options ?? {})
  // An adapter's options can hold commands of its debugger in any of its own words.
  if (option !== undefined) yield* permit(policy, "raw", `the adapter's option ${option}`)
  yield* inside(
    policy,
    [
      program,
      stdin,
      stdout,
      stderr,
      existing?.kind === "core" ? existing.file : undefined,
      adapter?.includes(machine.path.sep) === true ? adapter : undefined,
      ...sourceMap.map(([, to]) => to)
    ].flatMap(given),
    machine
  )
  if (policy.withoutEnv.length === 0) return launch
  const env = Object.fromEntries(Object.entries(launch.env).filter(([name]) => !policy.withoutEnv.includes(name)))
  return { ...launch, env }
})

/** Refuses what a call of `start` does before there is a program: a command that builds it, files it names. */
export const before = Effect.fnUntraced(function* (
  policy: Policy,
  asked: Partial<
    Pick<
      Operations.Payload<"start">,
      "build" | "runner" | "launch_json" | "env_file" | "arg_file" | "env" | "directory" | "program"
    >
  >,
  machine: Machine
) {
  const { build, env = [], program, runner } = asked
  const runs = build ?? runner
  if (runs !== undefined) {
    yield* permit(policy, "launch", `running ${runs}`)
    if (policy.roots.length > 0) {
      yield* refusal("roots", `running ${runs}, whose programs may lie anywhere,`)
    }
  }
  if (asked.launch_json === undefined && program !== undefined) yield* permit(policy, "launch", `starting ${program}`)
  const name = env.map((text) => text.replace(/=.*$/s, "")).find((one) => policy.withoutEnv.includes(one))
  if (name !== undefined) yield* refusal("env-deny", `the variable ${name}`)
  const files = [asked.launch_json, asked.env_file, asked.arg_file]
    .flatMap(given)
    .map((file) => machine.path.resolve(asked.directory ?? ".", file))
  yield* inside(policy, files, machine)
})

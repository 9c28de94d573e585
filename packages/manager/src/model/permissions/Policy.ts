/**
 * Effects that a session must not have, by the caller's configuration and by the call that started it. The stricter of
 * the two applies.
 *
 * A rule forbids an effect (`Effects`), whichever operation, field or file it comes from. An expression that only reads
 * is allowed by every rule; what only reads depends on the debugger of the session. A debugger command can evaluate and write, so
 * `no-eval`, `no-set` and `no-memory-write` forbid it too.
 */
import { Effects, Errors, Expression, Roots, Settings, type Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import type { Connection, LaunchRequest } from "../../ports/Backend.ts"
import type { Place } from "../BreakpointPlace.ts"
import * as SourceRoots from "../sources/SourceRoots.ts"

/** What a rule can forbid. */
export type Subject = "eval" | "set" | "memory-write" | "raw" | "restart" | "attach" | "launch"

/** Forbidden effects, each with its rule. */
export interface Policy {
  readonly rules: ReadonlyMap<Subject, string>
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

const readOnly: ReadonlyArray<Subject> = ["eval", "set", "memory-write", "raw", "restart"]

const configurable: ReadonlyArray<Subject> = ["eval", "raw", "attach", "launch"]

/** Returns the policy of a call with its configuration. */
export const of = ({ deny = [], read_only, settings }: Sources): Policy => {
  const rules = new Map<Subject, string>()
  const isOn = (key: string) => Settings.text(settings, key) === "true"
  const forbid = (effect: Subject, rule: string) => {
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
export const permit = ({ rules }: Policy, effect: Subject, what: string): Effect.Effect<void, Errors.Policy> => {
  const rule = rules.get(effect)
  return rule === undefined ? Effect.void : Effect.fail(refusal(rule, what))
}

/** The rules that forbid an effect of a call. Launching, attaching and restarting are checked where they happen. */
const forbidding: { readonly [effect in Effects.Name]?: ReadonlyArray<Subject> } = {
  eval: ["eval", "set", "memory-write"],
  "write-memory": ["set", "memory-write"],
  raw: ["raw", "eval", "set", "memory-write"]
}

/** Returns the rule that forbids to run code of the program; undefined if none does. */
export const forbidsCode = ({ rules }: Policy): string | undefined =>
  forbidding.eval?.map((one) => rules.get(one)).find((rule) => rule !== undefined)

/** What a debugger says of expressions that only read by their text. */
export type Reader = Pick<Connection, "propertiesRunCode">

/** True for an expression that runs no code of the program under this debugger. */
const onlyReads = ({ reads, value = "" }: Effects.Use, { propertiesRunCode = false }: Reader): boolean =>
  reads === true && (!propertiesRunCode || Expression.onlyComparesIdentity(value))

const described = ({ effect, field, reads, source, value }: Effects.Use): string => {
  const from = source === undefined ? "" : `, ${source},`
  if (value === undefined)
    return effect === "eval" ? "evaluating expressions" : effect === "raw" ? "debugger commands" : "writing"
  if (effect === "eval")
    return `evaluating ${value}, which may ${reads === true ? "run code of" : "change"} the program,`
  if (effect === "raw") return `${field ?? "a debugger command"} '${value}'${from}`
  return `${field ?? "this"}${from}`
}

/** Fails if one of these effects is forbidden. `reader` is the debugger of the session, if it has one. */
export const check = (
  { rules }: Policy,
  uses: ReadonlyArray<Effects.Use>,
  reader: Reader = {}
): Effect.Effect<void, Errors.Policy> => {
  for (const use of uses) {
    const rule = onlyReads(use, reader) ? undefined : forbidding[use.effect]?.map((one) => rules.get(one)).find(Boolean)
    if (rule !== undefined) return Effect.fail(refusal(rule, described(use)))
  }
  return Effect.void
}

/** Parts of a breakpoint that can have an effect. */
type BreakpointParts = Omit<Effects.BreakpointParts, "address"> & { readonly place?: Place }

/** Fails for a breakpoint whose condition, message, expressions, commands or address have a forbidden effect. */
export const checkBreakpoint = (policy: Policy, { place, ...parts }: BreakpointParts, reader?: Reader) =>
  check(
    policy,
    Effects.ofBreakpoint(
      place?.kind === "special" && place.at.kind === "address" ? { ...parts, address: place.at.expression } : parts
    ),
    reader
  )

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

/**
 * Fails for a file whose bytes must not reach the program, where every client of the session could read them: one of keys,
 * credentials or environments, one of the system, or one outside of the roots. The path is absolute.
 */
export const checkProgramInput = Effect.fnUntraced(function* (policy: Policy, file: string, machine: Machine) {
  yield* checkFiles(policy, [file], machine)
  const refusal = SourceRoots.refusal({ ...SourceRoots.none, directories: ["/"] }, yield* real(file, machine))
  if (refusal !== undefined) {
    return yield* new Errors.Usage({
      problem: `${file} was not read: ${refusal.detail}`,
      near: [],
      remedies: [{ note: "to let the program read its content, copy it to a file of another name" }]
    })
  }
})

const ifSet = (text: string | undefined) => (text === undefined || text === "" ? [] : [text])

/** Returns the file of a redirected stream. The null device holds nothing that a rule could protect. */
const streamFile = (file: string | undefined) => (file === "/dev/null" ? undefined : file)

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
  yield* check(policy, [
    ...Effects.ofValue("raw", "init_cmd", commands?.init),
    ...Effects.ofValue("raw", "pre_run_cmd", commands?.preRun),
    ...Effects.ofValue("raw", "stop_cmd", commands?.stop),
    // Adapter options may contain debugger commands.
    ...Effects.ofValue("raw", "adapter_opt", Object.keys(options ?? {}))
  ])
  yield* checkFiles(
    policy,
    [
      program,
      streamFile(stdin),
      streamFile(stdout),
      streamFile(stderr),
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

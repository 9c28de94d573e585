/**
 * What a step of a scenario does: a command line, a shell's line, or a question that is put as a command line.
 */
import type { CommandLine } from "@sigtrap/host/DaemonProtocol"
import { Effect, Predicate, Result, Stream } from "effect"
import { spawn } from "node:child_process"
import * as Cli from "../Cli.ts"
import * as Scenario from "./Scenario.ts"

/** What came of a step. */
export interface Ran {
  readonly exit: number
  /** What the expectation is compared with, whole. */
  readonly value: unknown
  /** The part that a plain expectation means. */
  readonly main: unknown
  /** Size of the answer. */
  readonly bytes: number
  readonly text: string
}

/** Where steps are carried out. */
export interface World {
  readonly work: string
  readonly directory: string
  readonly environment: { readonly [name: string]: string }
}

/** Runs one command line as it would be typed. */
export const cli = Effect.fnUntraced(function* (world: World, argv: ReadonlyArray<string>) {
  const line: CommandLine = {
    argv,
    directory: world.directory,
    environment: world.environment,
    terminal: { stdout: false, stderr: false, columns: 80, color: false }
  }
  const pieces = yield* Stream.runCollect(Cli.exec(line))
  const text = (tag: "Stdout" | "Stderr") => pieces.map((piece) => (piece._tag === tag ? piece.text : "")).join("")
  const last = pieces.at(-1)
  return { stdout: text("Stdout"), stderr: text("Stderr"), exit: last?._tag === "Exit" ? last.code : 1 }
})

/** One command, its answer as a document. Options go before `--`, behind which everything is the program's. */
export const document = Effect.fnUntraced(function* (world: World, argv: ReadonlyArray<string>) {
  const end = argv.indexOf("--")
  const place = end === -1 ? argv.length : end
  const { exit, stderr, stdout } = yield* cli(world, [
    ...argv.slice(0, place),
    "--json",
    "--budget",
    "0",
    ...argv.slice(place)
  ])
  const read: unknown = Result.getOrElse(
    Result.try((): unknown => JSON.parse(stdout)),
    () => ({ text: stdout + stderr })
  )
  const doc = Predicate.isReadonlyObject(read) ? read : {}
  return { exit, doc, bytes: Buffer.byteLength(stdout), text: stdout + stderr }
})

const shell = (command: string, world: World) =>
  Effect.callback<Ran>((done) => {
    const child = spawn("/bin/sh", ["-c", command], {
      cwd: world.directory,
      env: world.environment,
      stdio: ["ignore", "pipe", "pipe"]
    })
    let stdout = ""
    let stderr = ""
    child.stdout.setEncoding("utf8").on("data", (text) => (stdout += String(text)))
    child.stderr.setEncoding("utf8").on("data", (text) => (stderr += String(text)))
    child.on("error", (error) => (stderr += String(error)))
    // Not when its streams end: a process that it leaves in the background may hold them for ever.
    child.on("exit", (code) => {
      const exit = code ?? 1
      const value = { exit, stdout, stderr }
      done(Effect.succeed({ exit, value, main: stdout, bytes: stdout.length, text: stdout + stderr }))
    })
    return Effect.sync(() => child.kill("SIGKILL"))
  })

const asText = (step: Scenario.Step): boolean => {
  const { expect } = step
  const byText = Predicate.isReadonlyObject(expect) && Object.hasOwn(expect, "text")
  return byText || (step.budget_bytes !== undefined && expect === undefined)
}

/** A list, empty for what is none. */
export const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** A field of what may be an object. */
export const part = (value: unknown, key: string): unknown =>
  Predicate.isReadonlyObject(value) ? value[key] : undefined

/** Carries out one step. It never fails: what goes wrong is its exit code and text. */
export const carryOut = Effect.fnUntraced(function* (step: Scenario.Step, world: World) {
  const ask = Effect.fnUntraced(function* (
    argv: ReadonlyArray<string>,
    main: (data: unknown, doc: unknown) => unknown,
    more: (data: unknown) => object = () => ({})
  ) {
    const { bytes, doc, exit, text } = yield* document(world, argv)
    const data = doc["data"]
    const fields = Predicate.isReadonlyObject(data) ? data : {}
    const code = part(doc["error"], "code")
    const value = { ...fields, ...doc, exit, ...(code === undefined ? {} : { code }), ...more(data) }
    const ran: Ran = { exit, value, main: main(data, doc), bytes, text }
    return ran
  })

  if (step.shell !== undefined) return yield* shell(step.shell, world)
  if (step.command !== undefined) {
    const argv = Scenario.words(step.command)
    if (!asText(step)) return yield* ask(argv, (_, doc) => doc)
    const { exit, stderr, stdout } = yield* cli(world, argv)
    const text = stdout + stderr
    const ran: Ran = { exit, value: { exit, text, stdout, stderr }, main: text, bytes: Buffer.byteLength(text), text }
    return ran
  }
  if (step.evaluate !== undefined) {
    const value = (data: unknown) => list(part(data, "values"))[0]
    return yield* ask(
      ["print", step.evaluate],
      (data) => part(value(data), "value"),
      (data) => ({ ...Object(value(data)) })
    )
  }
  if (step.await !== undefined) {
    const timeout = typeof step.await === "string" ? undefined : step.await?.timeout
    const argv = ["wait", ...(timeout === undefined ? [] : ["--timeout", timeout])]
    const ran = yield* ask(argv, (data) => part(data, "event"))
    if (typeof step.await !== "string" || ran.main === step.await) return ran
    return { ...ran, exit: 1, text: `expected ${step.await}, but it ${String(ran.main)}\n${ran.text}` }
  }
  if (step.inspect_locals !== undefined) {
    const asked = step.inspect_locals
    const names = Array.isArray(asked) ? asked : (part(asked, "names") ?? [])
    const frame = part(asked, "frame")
    const argv = ["locals", ...list(names).map(String), ...(frame === undefined ? [] : ["--frame", String(frame)])]
    return yield* ask(argv, (data) =>
      Object.fromEntries(
        list(part(data, "variables")).map((variable) => [String(part(variable, "name")), part(variable, "value")])
      )
    )
  }
  if (step.inspect_stack !== undefined) {
    const thread = part(step.inspect_stack, "thread")
    const argv = ["backtrace", ...(thread === undefined ? [] : ["--thread", String(thread)])]
    const functions = (data: unknown) => list(part(data, "frames")).map((frame) => part(frame, "function"))
    return yield* ask(argv, functions, (data) => ({ functions: functions(data) }))
  }
  if (step.inspect_threads !== undefined) {
    return yield* ask(["threads"], (data) => list(part(data, "threads")).length)
  }
  if (step.check_output !== undefined) {
    const asked = step.check_output
    const channel = typeof asked === "string" ? asked : part(asked, "channel")
    return yield* ask(["output", ...(channel === undefined ? [] : ["--channel", String(channel)])], (data) =>
      part(data, "text")
    )
  }
  if (step.check_breakpoints !== undefined) {
    const all = (data: unknown) =>
      list(part(data, "breakpoints")).map((breakpoint) => {
        const place = list(part(breakpoint, "locations"))[0]
        return {
          id: part(breakpoint, "id"),
          line: part(place, "line"),
          hits: part(breakpoint, "hit_count"),
          resolved: part(breakpoint, "resolved")
        }
      })
    return yield* ask(
      ["breakpoint", "list"],
      (data) => all(data).length,
      (data) => ({ count: all(data).length, breakpoints: all(data) })
    )
  }
  const ran = yield* ask(["status"], (data) => part(data, "state"))
  if (typeof step.check_state !== "string" || step.check_state === ran.main) return ran
  return { ...ran, exit: 1, text: `expected ${step.check_state}, but it is ${String(ran.main)}` }
})

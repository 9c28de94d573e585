/**
 * A call with a side effect in every field that ends in an evaluator, as a caller that may only read, and as one that may also
 * run and stop the program: nothing is executed, neither at once nor later.
 */
import { assert, layer } from "@effect/vitest"
import { Caller, Effects, Operation, Operations, Payload } from "@sigtrap/protocol"
import { Effect, FileSystem } from "effect"
import { existsSync } from "node:fs"
import { debugging, platform, Programs } from "../support/fixturePrograms.ts"

/** Values for the required fields of operations that act on a stopped program, and for those that a canary needs beside it. */
const required: { readonly [tag: string]: object } = {
  "breakpoint.edit": { id: 1 },
  logpoint: { at: "main", message: "x" },
  watch: { expression: "n" },
  catch: { filter: "throw" },
  set: { target: "n", value: "1" },
  "memory.write": { address: "&n", values: ["1"] },
  until: { at: "main" },
  "breakpoint.lines": { at: "app.c" }
}

/** Fields that belong to a location beside them. */
const beside: { readonly [field: string]: object } = {
  condition: { at: "main" },
  log: { at: "main" },
  cmd: { at: "main" },
  eval: { at: "main" },
  file: { line: 3 }
}

/** Texts that evaluate `code` in a field of this rule. */
const canaries = (rule: Effects.OfField, code: string): ReadonlyArray<string> => {
  switch (rule) {
    case "location":
    case "address":
      return [`main if ${code}`, `*${code}`, `* ${code} hits 2`, `0x10 if ${code}`]
    case "logpoint":
      return [`main if ${code} :: x`, `main :: {${code}}`]
    case "message":
      return [`{${code}}`, `a {n} {{${code}}}`]
    case "watched":
      return [`n if ${code}`, code]
    case "raw":
      return [`expression ${code}`]
    case "read":
    case "operand":
    case "eval":
      return [code, `n + ${code}`, `&n + ${code}`, `*${code}`, `((${code}))`]
    default:
      return []
  }
}

const started = new Set(["start", "attach", "core", "connect", "sim.debug", "sim.attach", "restart"])

/** Every operation and field whose text can be evaluated. */
const fields = Operations.all.flatMap((operation) =>
  started.has(operation._tag)
    ? []
    : Object.entries(Operation.meta(operation).effects).map(([field, rule]) => ({ operation, field, rule }))
)

const allowances = [Effects.ofTiers(["observe"]), Effects.ofTiers(["observe", "control"])].map(
  (effects): Caller.Allowance => ({ effects, destructive: false, uses: [] })
)

layer(platform, { excludeTestServices: true, timeout: "120 seconds" })("the effects of fields", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`a call in an evaluated field runs nothing without its tier (${backend})`, () =>
      debugging(({ call, callAny, start, temporary }) =>
        Effect.gen(function* () {
          const { line } = yield* Programs
          yield* start("app", { backend, break: [`app.c:${line("app.c", "bug")}`] })
          const canary = `${temporary}/canary`
          const code = `(int)creat("${canary}", 384)`
          // The canary works: the owner may evaluate it.
          yield* call("eval", { expression: code })
          assert.isTrue(existsSync(canary))
          yield* (yield* FileSystem.FileSystem).remove(canary)
          let refused = 0
          for (const allowance of allowances) {
            const caller: Caller.Caller = { actor: { kind: "mcp", name: "canary" }, allowance }
            for (const { field, operation, rule } of fields) {
              for (const text of canaries(rule, code)) {
                const isList = Payload.published(operation).properties[field]?.["type"] === "array"
                const more = operation._tag === "break" ? beside[field] : {}
                const input = { ...required[operation._tag], ...more, [field]: isList ? [text] : text }
                const result = yield* Effect.exit(
                  Effect.provideService(callAny(operation, input), Caller.Current, caller)
                )
                if (result._tag === "Failure") refused += 1
                assert.isFalse(existsSync(canary), `${operation._tag}.${field}: ${text}`)
              }
            }
          }
          assert.isAbove(refused, 100)
          // No breakpoint is left that evaluates later.
          const { breakpoints } = (yield* call("breakpoint.list", {})).data
          assert.notInclude(JSON.stringify(breakpoints), "creat")
          yield* call("continue", {})
          assert.isFalse(existsSync(canary))
        })
      )
    )
  }

  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(
      `the expressions of a breakpoint are evaluated whichever client looks at its stop first (${backend})`,
      () =>
        debugging(({ call, start }) =>
          Effect.gen(function* () {
            const { line } = yield* Programs
            yield* start("operators", { backend, break: ["main"] })
            yield* call("break", {
              at: `operators.cpp:${line("operators.cpp", "counted")}`,
              eval: ["(int)abs(-7)", "c == 3"]
            })
            const caller: Caller.Caller = {
              actor: { kind: "mcp", name: "observer" },
              allowance: { effects: Effects.ofTiers(["observe", "control"]), destructive: false, uses: [] }
            }
            const { data } = yield* Effect.provideService(call("continue", {}), Caller.Current, caller)
            assert.deepStrictEqual(
              data.evaluations?.map(({ value }) => value),
              ["7", "true"]
            )
          })
        )
    )
  }

  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`overloaded operators run for a caller with the tier evaluate only (${backend})`, () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          const { line } = yield* Programs
          yield* start("operators", { backend, break: [`operators.cpp:${line("operators.cpp", "counted")}`] })
          const caller: Caller.Caller = {
            actor: { kind: "mcp", name: "reader" },
            allowance: { effects: Effects.ofTiers(["observe", "control"]), destructive: false, uses: [] }
          }
          const reading = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.provideService(work, Caller.Current, caller)
          const print = (expression: string, more: Partial<Operations.Payload<"print">> = {}) =>
            call("print", { expressions: [expression], ...more })
          const ran = Effect.map(print("ran"), ({ data }) => data.values[0]?.value)
          const refused = <A, E extends { readonly message: string }, R>(work: Effect.Effect<A, E, R>) =>
            Effect.map(Effect.flip(reading(work)), ({ message }) => assert.include(message, "tier evaluate"))
          yield* Effect.forEach(
            ["c + 1", "c == 3", "c[1]", "*c", "c->n", "!c", "c && true", "(bool)c", "list[c[0]]"],
            (text) => refused(print(text)),
            { discard: true }
          )
          yield* refused(print("c + 1", { format: "hex" }))
          yield* refused(print("c + 1", { raw: true }))
          // A class is shown by its members; its operator [] is not called.
          assert.strictEqual((yield* reading(print("c", { array: 2 }))).data.values[0]?.children?.[0]?.name, "n")
          yield* refused(call("memory.read", { address: "c[1]" }))
          yield* refused(call("disassemble", { at: "*c[1]" }))
          yield* refused(call("watch", { expression: "c[1]" }))
          for (const [text, value] of [
            ["c.n", "3"],
            ["list[1] + 2", "4"],
            ["*&c.n", "3"],
            ["sizeof(c + 1)", "4"]
          ] as const) {
            assert.strictEqual((yield* reading(print(text))).data.values[0]?.value, value, text)
          }
          assert.strictEqual(yield* ran, "0")
          yield* print("c + 1")
          assert.strictEqual(yield* ran, "1")
        })
      )
    )
  }

  it.effect("commands of a launch.json and of a file of breakpoints need the tier admin, before anything runs", () =>
    debugging(({ call, start, temporary }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const { directory } = yield* Programs
        const canary = `${temporary}/canary`
        const shell = `platform shell touch ${canary}`
        const folder = yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-launch-" })
        const json = `${folder}/launch.json`
        const configuration = { name: "app", type: "lldb-dap", request: "launch", program: `${directory}/app` }
        const effects = Effects.ofTiers(["observe", "control", "evaluate"])
        const caller = (more: Partial<Caller.Allowance> = {}): Caller.Caller => ({
          actor: { kind: "mcp", name: "canary" },
          allowance: { effects: [...effects, "launch"], destructive: false, uses: [], ...more }
        })
        const as = <A, E, R>(work: Effect.Effect<A, E, R>, one: Caller.Caller) =>
          Effect.provideService(work, Caller.Current, one)
        const missing = <A, R>(work: Effect.Effect<A, { readonly _tag: string }, R>) =>
          Effect.map(Effect.flip(as(work, caller())), (error) => {
            assert.strictEqual(error._tag, "TierRequired", JSON.stringify(error))
            return JSON.parse(JSON.stringify(error)).missing
          })
        for (const [key, field] of [
          ["initCommands", "init_cmd"],
          ["preRunCommands", "pre_run_cmd"],
          ["stopCommands", "stop_cmd"],
          ["exitCommands", "adapter_opt"]
        ] as const) {
          const write = (command: string) =>
            fs.writeFileString(json, JSON.stringify({ configurations: [{ ...configuration, [key]: [command] }] }))
          yield* write(shell)
          const starting = call("start", { launch_json: json, directory, break: ["main"] })
          const [found] = yield* missing(starting)
          assert.deepInclude(found, { effect: "raw", tier: "admin", field })
          assert.include(found.source, json)
          // What was accepted is what runs: another command in the file needs another consent.
          const { tier: _, ...use } = found
          yield* write(`${shell}2`)
          const error = yield* Effect.flip(as(starting, caller({ uses: [use] })))
          assert.strictEqual(error._tag, "TierRequired")
        }
        yield* missing(start("app", { build: `touch ${canary}`, break: ["main"] }))
        yield* as(start("app", { break: ["main"] }), caller())
        const file = `${folder}/breakpoints.json`
        const entry = { at: "sum_scores", enabled: true, temporary: false, behaviour: { cmd: [shell] } }
        yield* fs.writeFileString(file, JSON.stringify({ sigtrap: 1, breakpoints: [entry] }))
        const [found] = yield* missing(call("breakpoint.load", { file }))
        assert.deepInclude(found, { effect: "raw", field: "cmd", source: `cmd of ${file}` })
        yield* call("continue", {})
        assert.isFalse(existsSync(canary))
        assert.isFalse(existsSync(`${canary}2`))
      })
    )
  )

  it.effect("an actor ends, restarts and replaces the session that it began, and no other", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const effects: ReadonlyArray<Effects.Name> = [...Effects.ofTiers(["observe", "control"]), "launch"]
        const as = (name: string) => {
          const caller: Caller.Caller = {
            actor: { kind: "mcp", name, project: "/src" },
            allowance: { effects, destructive: false, uses: [] }
          }
          return <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.provideService(work, Caller.Current, caller)
        }
        const [own, other] = [as("one"), as("two")]
        const refused = <A, E extends { readonly _tag: string }, R>(work: Effect.Effect<A, E, R>) =>
          Effect.map(Effect.flip(other(work)), (error) => assert.strictEqual(error._tag, "TierRequired"))
        yield* own(start("app", { break: ["main"] }))
        const { began_by } = (yield* call("status", {})).data
        assert.deepStrictEqual(began_by, { kind: "mcp", name: "one", project: "/src" })
        yield* refused(call("stop", {}))
        yield* refused(call("stop", { all: true }))
        yield* refused(call("restart", {}))
        yield* refused(call("detach", {}))
        yield* refused(call("session.prune", { older: "0" }))
        yield* refused(start("app", { replace: true, break: ["main"] }))
        yield* own(call("restart", {}))
        yield* own(start("app", { replace: true, break: ["main"] }))
        yield* other(call("next", {}))
        yield* own(call("stop", {}))
      })
    )
  )
})

import { AuditFiles, AuditLine, AuditLog, AuditReader, Refusals } from "@sigtrap/host"
import { Caller, Errors, Operations, type Session } from "@sigtrap/protocol"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { directory } from "../../src/testing/Children.ts"

const answer = (session?: string) => ({
  ...(session === undefined ? {} : { session }),
  state: "stopped" as Session.SessionState
})

const agent: Caller.Actor = { kind: "mcp", name: "claude-code" }

/** Runs a call as an agent and records it. */
const call = (
  log: AuditLog.AuditLog["Service"],
  tag: Operations.Tag,
  payload: unknown,
  work: Effect.Effect<{ readonly session?: string }, Errors.SigtrapError> = Effect.succeed(answer("default"))
) =>
  AuditLog.around(log, Operations.byTag(tag), payload, work).pipe(
    Effect.provideService(Caller.Current, { actor: agent, allowance: Caller.everything }),
    Effect.exit
  )

const linesIn = (folder: string) =>
  AuditFiles.list(folder).flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n").slice(0, -1))

const entries = (folder: string) => AuditReader.newest(folder, 1000, () => true)

/** A log in a new directory, in a scope of its own. */
const within = <A, E, R>(
  folder: string,
  use: (log: AuditLog.AuditLog["Service"]) => Effect.Effect<A, E, R>,
  limits?: AuditFiles.Limits
) => Effect.scoped(Effect.flatMap(AuditLog.make(folder, limits), use))

describe("the audit log", () => {
  it.effect("has who did what with which effects, and whether it was accepted, refused or failed", () =>
    Effect.gen(function* () {
      const folder = `${yield* directory}/audit`
      yield* within(folder, (log) =>
        Effect.gen(function* () {
          yield* call(log, "next", { session: "default", request_id: "r1" })
          yield* call(
            log,
            "raw",
            { command: "version" },
            Effect.fail(
              new Errors.TierRequired({ operation: "raw", missing: [{ effect: "raw", tier: "admin" }], session: "web" })
            )
          )
          yield* call(log, "break", { at: "app.c:3", condition: "n > 2" }, Effect.fail(new Errors.NoSession({})))
          yield* call(log, "next", {}, Effect.interrupt)
          yield* call(log, "next", {}, Effect.die("a bug"))
          log.refused({
            actor: { kind: "http" },
            operation: "POST /v1/raw",
            code: "ACCESS_DENIED",
            rule: "token",
            times: 3
          })
          assert.isFalse(existsSync(folder))
          yield* TestClock.adjust("100 millis")
          yield* log.flush
          const [next, raw, set, interrupted, defect, http, ...others] = entries(folder)
          assert.lengthOf(others, 0)
          const common = { actor: agent, time: "1970-01-01T00:00:00.000Z" }
          assert.deepInclude(next, { ...common, operation: "next", tier: "control", ok: true, request_id: "r1" })
          assert.deepInclude(next, { session: "default", effects: ["control"] })
          assert.deepInclude(raw, { ...common, operation: "raw", tier: "admin", ok: false, refused: true })
          assert.deepInclude(raw, { code: "TIER_REQUIRED", session: "web", args: { command: "version" } })
          assert.deepInclude(set, { operation: "break", tier: "evaluate", ok: false, code: "NO_SESSION" })
          assert.notProperty(set, "refused")
          assert.deepInclude(interrupted, { ok: false, code: "INTERRUPTED" })
          assert.deepInclude(defect, { ok: false, code: "INTERNAL" })
          assert.deepInclude(http, { operation: "POST /v1/raw", refused: true, rule: "token", count: 3 })
          const [file = ""] = AuditFiles.list(folder)
          assert.strictEqual(file, "1970-01-01.jsonl")
          assert.strictEqual(statSync(join(folder, file)).mode & 0o777, 0o600)
          assert.strictEqual(statSync(folder).mode & 0o777, 0o700)
        })
      )
      assert.deepInclude(AuditReader.verify(folder), { records: 6, broken: undefined, lost: 0 })
    })
  )

  it.effect("has the effects that a call gets from files", () =>
    Effect.gen(function* () {
      const folder = `${yield* directory}/audit`
      const reads = Effect.andThen(
        Effect.flatMap(Caller.Witness, (witness) =>
          Effect.sync(() => witness([{ effect: "raw", source: "launch.json" }]))
        ),
        Effect.succeed(answer())
      )
      yield* within(folder, (log) => call(log, "breakpoint.load", { file: "/x" }, reads))
      assert.deepInclude(entries(folder)[0], { tier: "admin", ok: true })
    })
  )

  it.effect("masks secrets by name and by shape, cuts long arguments and leaves out the environment", () =>
    Effect.gen(function* () {
      const folder = `${yield* directory}/audit`
      const secrets = ["hunter2", `ghp_${"a1B2".repeat(9)}`]
      const [password = "", token = ""] = secrets
      yield* within(folder, (log) =>
        Effect.gen(function* () {
          yield* call(log, "start", {
            program: "/app",
            args: ["--token", password, `--password=${password}`, token, "x".repeat(5000)],
            env: [`API_KEY=${password}`],
            environment: { HOME: password },
            settings: { a: password }
          })
          yield* call(log, "set", { target: "user.password", value: `"${password}"` })
          yield* call(log, "eval", { expression: `strcmp(password, "${password}")` })
          yield* call(log, "input", { text: password })
          yield* call(log, "raw", { command: `expression url = "https://me:${password}@example.org"` })
          yield* call(log, "eval", { expression: `f("${"y".repeat(2_000_000)}")` })
          yield* call(log, "start", { program: "/app", args: Array.from({ length: 100_000 }, () => "z".repeat(150)) })
        })
      )
      const lines = linesIn(folder)
      for (const secret of secrets) assert.notInclude(lines.join("\n"), secret)
      assert.include(lines.join("\n"), "<masked: GitHub token>")
      assert.isBelow(Math.max(...lines.map((line) => line.length)), 2000)
      assert.lengthOf(lines, 8)
    })
  )

  it.effect("joins the reads of a batch, and says nothing of looks at the daemon", () =>
    Effect.gen(function* () {
      const folder = `${yield* directory}/audit`
      yield* within(folder, (log) =>
        Effect.gen(function* () {
          for (let times = 0; times < 3; times++) {
            yield* call(log, "locals", {})
            yield* call(log, "backtrace", {})
            yield* call(log, "status", {})
          }
        })
      )
      assert.deepStrictEqual(
        entries(folder).map(({ count, operation }) => [operation, count]),
        [
          ["locals", 3],
          ["backtrace", 3]
        ]
      )
    })
  )

  it.effect("has a call that still runs, unless it only reads", () =>
    Effect.gen(function* () {
      const folder = `${yield* directory}/audit`
      yield* within(folder, (log) =>
        Effect.gen(function* () {
          const end = yield* Deferred.make<void>()
          const waits = Effect.as(Deferred.await(end), answer("default"))
          const running = yield* Effect.forkChild(call(log, "continue", {}, waits))
          const reading = yield* Effect.forkChild(call(log, "wait", {}, waits))
          yield* Effect.yieldNow
          yield* log.flush
          assert.deepStrictEqual(
            entries(folder).map(({ ok, operation }) => [operation, ok]),
            [["continue", undefined]]
          )
          yield* Deferred.succeed(end, undefined)
          yield* Fiber.join(running)
          yield* Fiber.join(reading)
        })
      )
      assert.deepStrictEqual(
        entries(folder).map(({ ok, operation }) => [operation, ok]),
        [
          ["continue", true],
          ["wait", true]
        ]
      )
      assert.lengthOf(linesIn(folder), 4)
      assert.isUndefined(AuditReader.verify(folder).broken)
    })
  )

  it.effect("begins a file for each day and size, carries the chain over, and removes old files", () =>
    Effect.gen(function* () {
      const folder = `${yield* directory}/audit`
      const limits = { days: 2, fileBytes: 1000, bytes: 100_000 }
      for (let day = 0; day < 4; day++) {
        for (let batch = 0; batch < 3; batch++) {
          yield* within(folder, (log) => call(log, "next", { count: batch }), limits)
          yield* within(folder, (log) => call(log, "next", { count: batch }), limits)
        }
        yield* TestClock.adjust("1 day")
        assert.isUndefined(AuditReader.verify(folder).broken)
      }
      const files = AuditFiles.list(folder)
      assert.include(files, "1970-01-04.jsonl")
      assert.include(files, "1970-01-04.2.jsonl")
      assert.notInclude(files, "1970-01-01.jsonl")
      rmSync(join(folder, "1970-01-03.jsonl"))
      assert.include(AuditReader.verify(folder).broken?.file, "1970-01-03.2.jsonl")
    })
  )

  it.effect("loses records but no operation if it cannot be written, and counts them", () =>
    Effect.gen(function* () {
      const folder = `${yield* directory}/audit`
      writeFileSync(folder, "in the way")
      yield* within(folder, (log) =>
        Effect.gen(function* () {
          assert.strictEqual((yield* call(log, "next", {}))._tag, "Success")
          yield* call(log, "next", {})
          yield* log.flush
          rmSync(folder)
          yield* call(log, "step", {})
          yield* log.flush
        })
      )
      assert.deepStrictEqual(
        entries(folder).map(({ operation }) => operation),
        ["step"]
      )
      assert.deepInclude(AuditReader.verify(folder), { records: 1, lost: 2, broken: undefined })
    })
  )

  it.effect("continues after a daemon that was killed in the middle of a line", () =>
    Effect.gen(function* () {
      const folder = `${yield* directory}/audit`
      yield* within(folder, (log) => call(log, "next", {}))
      const [name = ""] = AuditFiles.list(folder)
      const file = join(folder, name)
      const whole = readFileSync(file)
      for (let size = 0; size <= whole.length; size++) {
        writeFileSync(file, whole.subarray(0, size))
        const before = AuditReader.verify(folder)
        assert.isUndefined(before.broken, `${size}`)
        yield* within(folder, (log) => call(log, "step", {}))
        const after = AuditReader.verify(folder)
        assert.isUndefined(after.broken, `${size}: ${readFileSync(file, "utf8")}`)
        assert.strictEqual(after.records, before.records + 1)
        assert.strictEqual(readFileSync(file).subarray(0, size).compare(whole.subarray(0, size)), 0)
      }
    })
  )
})

/** The files of `sample`, which are written once. */
const samples = new Map<string, string>()

/** A log of twelve records in some files. */
const sample = Effect.gen(function* () {
  const folder = `${yield* directory}/audit`
  if (samples.size > 0) {
    mkdirSync(folder, { mode: 0o700 })
    for (const [name, text] of samples) writeFileSync(join(folder, name), text)
    return folder
  }
  const limits = { days: 30, fileBytes: 2500, bytes: 100_000 }
  for (let count = 0; count < 12; count++) yield* within(folder, (log) => call(log, "next", { count }), limits)
  for (const name of AuditFiles.list(folder)) samples.set(name, readFileSync(join(folder, name), "utf8"))
  return folder
})

const random = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100_000 }))

describe("the chain", () => {
  it.effect.prop(
    "breaks at a line that was removed, changed, moved or added, and a log that was cut is a prefix",
    [random, random, random],
    ([which, where, what]) =>
      Effect.gen(function* () {
        const folder = yield* sample
        const names = AuditFiles.list(folder)
        const file = join(folder, names[which % names.length] ?? "")
        const isLast = which % names.length === names.length - 1
        const text = readFileSync(file, "utf8")
        const lines = text.split("\n").slice(0, -1)
        const at = where % lines.length
        const line = lines[at] ?? ""
        const whole = entries(folder)
        const kinds = ["remove", "change", "swap", "repeat", "cut", "flip"]
        const kind = kinds[what % kinds.length]
        if (kind === "remove") lines.splice(at, 1)
        else if (kind === "change") lines[at] = line.replace('"next"', '"step"').replace('"file":"1', '"file":"2')
        else if (kind === "swap")
          lines.splice(
            Math.max(0, at - 1),
            2,
            ...lines
              .slice(Math.max(0, at - 1))
              .slice(0, 2)
              .toReversed()
          )
        else if (kind === "repeat") lines.splice(at, 0, line)
        writeFileSync(file, `${lines.join("\n")}\n`)
        if (kind === "cut") truncateSync(file, where % Buffer.byteLength(text))
        if (kind === "flip") {
          const bytes = readFileSync(file)
          const index = where % bytes.length
          bytes[index] = (bytes[index] ?? 0) ^ 1
          writeFileSync(file, bytes)
        }
        const { broken } = AuditReader.verify(folder)
        const found = entries(folder)
        assert.isTrue(found.every((entry) => whole.some(({ seq }) => seq === entry.seq)))
        const isPrefix =
          isLast &&
          (kind === "cut" ||
            (kind === "remove" && at === lines.length) ||
            (kind === "flip" && where % Buffer.byteLength(text) === Buffer.byteLength(text) - 1))
        if (isPrefix) {
          assert.isUndefined(broken)
          assert.deepStrictEqual(found, whole.slice(0, found.length))
        } else {
          assert.isDefined(broken, `${kind} ${at} of ${lines.length}`)
          assert.include(broken?.file, folder)
        }
      }),
    { arbitrary: { runs: 150 } }
  )

  it.effect("breaks where an older file lost its last line break", () =>
    Effect.gen(function* () {
      const folder = yield* sample
      const [name = ""] = AuditFiles.list(folder)
      const file = join(folder, name)
      truncateSync(file, readFileSync(file).length - 1)
      assert.deepInclude(AuditReader.verify(folder).broken, { file, problem: "the line is incomplete" })
    })
  )

  it("reads no line that is not its own", () => {
    const { text } = AuditLine.encode({ seq: 1, time: "t", cut: 3 }, AuditLine.origin)
    assert.isDefined(AuditLine.parse(text))
    for (const other of ["", "{}", text.slice(1), text.replace("3", "4"), `${text} `, `${text}${text}`]) {
      assert.isUndefined(AuditLine.parse(other), other)
    }
  })

  it.effect("is read without a log, and is not written into a link", () =>
    Effect.gen(function* () {
      const folder = yield* directory
      assert.deepInclude(AuditReader.verify(`${folder}/none`), { records: 0, broken: undefined })
      assert.lengthOf(
        AuditReader.newest(`${folder}/none`, 5, () => true),
        0
      )
      mkdirSync(`${folder}/audit`, { mode: 0o700 })
      appendFileSync(`${folder}/audit/notes.txt`, "not a log")
      assert.deepInclude(AuditReader.verify(`${folder}/audit`), { records: 0, broken: undefined })
    })
  )
})

it.effect("a server reports its refusals together, and a flood of them in few reports", () =>
  Effect.gen(function* () {
    const sent: Array<{ readonly operation: string; readonly times: number }> = []
    const report = yield* Refusals.make((refusal) => Effect.sync(() => void sent.push(refusal)))
    const refusal = { actor: { kind: "http" as const }, code: "ACCESS_DENIED", rule: "token" }
    for (let times = 0; times < 1000; times++) yield* report({ ...refusal, operation: "POST /v1/raw" })
    for (let path = 0; path < 1000; path++) yield* report({ ...refusal, operation: `GET /${path}` })
    yield* TestClock.adjust("10 millis")
    assert.lengthOf(sent, 21)
    assert.deepInclude(sent[0], { operation: "POST /v1/raw", times: 1000 })
    assert.deepInclude(sent.at(-1), { operation: "other requests", times: 981 })
    yield* report({ ...refusal, operation: "GET /" })
    yield* TestClock.adjust("500 millis")
    assert.lengthOf(sent, 21)
    yield* TestClock.adjust("1 second")
    assert.lengthOf(sent, 22)
  })
)

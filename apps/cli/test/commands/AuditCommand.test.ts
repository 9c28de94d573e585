import { AuditLog, RuntimeDirectory } from "@sigtrap/host"
import { Caller, Errors, Operations } from "@sigtrap/protocol"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as LogCommand from "../../src/commands/LogCommand.ts"

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "sigtrap-local-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const logged = Effect.gen(function* () {
  const directory = yield* temporary
  const { audit } = yield* RuntimeDirectory.make(directory)
  yield* TestClock.setTime(new Date(2026, 10, 22, 10, 31, 9).getTime())
  yield* Effect.scoped(
    Effect.gen(function* () {
      const log = yield* AuditLog.make(audit)
      const run = (actor: Caller.Actor, tag: Operations.Tag, payload: unknown, error?: Errors.SigtrapError) =>
        AuditLog.around(
          log,
          Operations.byTag(tag),
          payload,
          error === undefined ? Effect.succeed({ session: "web" }) : Effect.fail(error)
        ).pipe(Effect.provideService(Caller.Current, { actor, allowance: Caller.everything }), Effect.exit)
      const agent = { kind: "mcp" as const, name: "claude-code" }
      yield* run(agent, "next", {})
      yield* TestClock.adjust("3 seconds")
      const refusal = new Errors.TierRequired({ operation: "raw", missing: [{ effect: "raw", tier: "admin" }] })
      yield* run(agent, "raw", { command: "version" }, refusal)
      yield* run({ kind: "cli" }, "eval", { expression: "n + 1" }, new Errors.NoSession({}))
    })
  )
  const place = { directory, environment: { HOME: directory }, runtimeDirectory: directory }
  const answer = (words: string) => LogCommand.log(["--audit", ...words.split(" ").filter(Boolean)], place)
  return {
    answer,
    audit,
    shown: (words: string) => Effect.map(answer(words), ({ text }) => text.trimEnd().split("\n"))
  }
})

it.effect("log --audit shows who did what, and filters by client, operation, session, refusal and time", () =>
  Effect.gen(function* () {
    const { answer, shown } = yield* logged
    const lines = [
      "10:31:09 #2 mcp:claude-code  control  next [web]               ok",
      "10:31:12 #3 mcp:claude-code  admin    raw command=version      refused TIER_REQUIRED",
      "10:31:12 #4 cli              evaluate eval expression='n + 1'  failed NO_SESSION"
    ]
    assert.deepStrictEqual(yield* shown(""), lines)
    assert.deepStrictEqual(yield* shown("-n 1"), lines.slice(2))
    assert.deepStrictEqual(yield* shown("--refused"), [lines[1]])
    assert.deepStrictEqual(yield* shown("--actor cli"), [lines[2]])
    for (const actor of ["mcp", "claude-code", "mcp:claude-code"]) {
      assert.deepStrictEqual(yield* shown(`--actor ${actor}`), lines.slice(0, 2))
    }
    assert.deepStrictEqual(yield* shown("--operation raw"), [lines[1]])
    assert.deepStrictEqual(yield* shown("--session web"), [lines[0]])
    for (const since of ["10:31:12", "2s", "2026-11-22T10:31:12"]) {
      assert.deepStrictEqual(yield* shown(`--since ${since}`), lines.slice(1), since)
    }
    assert.lengthOf(yield* shown("--since 2026-11-22"), 3)
    assert.deepStrictEqual(yield* shown("--since 2026-11-23"), [""])
    assert.deepNestedInclude((yield* answer("--json")).data, { "records[1].effects": ["raw", "raw"].slice(1) })
    for (const wrong of ["--since never", "-n x", "--follow"]) {
      assert.strictEqual((yield* Effect.flip(answer(wrong)))._tag, "Usage")
    }
    yield* TestClock.adjust("1 day")
    assert.include((yield* shown("-n 1"))[0], "2026-11-22 10:31:12 #4")
  })
)

it.effect("log --audit --verify names the first line that was changed, and fails", () =>
  Effect.gen(function* () {
    const { answer, audit, shown } = yield* logged
    assert.match((yield* shown("--verify"))[0] ?? "", /^3 records from 2026-11-2[12], chain intact$/)
    const [name = ""] = readdirSync(audit)
    const file = join(audit, name)
    writeFileSync(file, readFileSync(file, "utf8").replace('"refused":true,', ""))
    const { data, problem } = yield* answer("--verify")
    assert.deepInclude(problem, { code: "AUDIT_BROKEN", exit: 1 })
    assert.include(problem?.message, `${file}:3`)
    assert.deepInclude(data, { records: 1, intact: false })
  })
)

it.effect("log --audit shows a record as one line, whatever its arguments and names contain", () =>
  Effect.gen(function* () {
    const directory = yield* temporary
    const { audit } = yield* RuntimeDirectory.make(directory)
    const forged = "\n10:31:12 #9 cli admin raw\r\u001b[2J\u202e\u2028"
    yield* Effect.scoped(
      Effect.gen(function* () {
        const log = yield* AuditLog.make(audit)
        const refusal = new Errors.TierRequired({ operation: "raw", missing: [{ effect: "raw", tier: "admin" }] })
        yield* AuditLog.around(log, Operations.byTag("raw"), { command: forged }, Effect.fail(refusal)).pipe(
          Effect.provideService(Caller.Current, {
            actor: { kind: "mcp", name: forged },
            allowance: Caller.everything
          }),
          Effect.exit
        )
      })
    )
    const place = { directory, environment: { HOME: directory }, runtimeDirectory: directory }
    const { text } = yield* LogCommand.log(["--audit"], place)
    assert.lengthOf(text.trimEnd().split(/[\n\r\u2028]/u), 1, text)
    assert.notMatch(text, /[\u001b\u202e]/u)
  })
)

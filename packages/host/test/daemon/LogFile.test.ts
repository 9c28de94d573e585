import { DaemonLauncher, LogFile } from "@sigtrap/host"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, readdirSync, statSync } from "node:fs"
import { directory } from "../../src/testing/Children.ts"

it.effect("a record is one line, whatever it contains, in a private file", () =>
  Effect.gen(function* () {
    const path = `${yield* directory}/daemon.log`
    LogFile.append(path, "one\ntwo\u001b[31m\u0085\u2028ü")
    LogFile.append(path, "next")
    assert.deepStrictEqual(DaemonLauncher.tail(path, 10), ["one\\ntwo\\u001b[31m\\u0085\\u2028ü", "next"])
    assert.strictEqual(statSync(path).mode & 0o777, 0o600)
  })
)

it.effect("a record has no secrets", () =>
  Effect.gen(function* () {
    const path = `${yield* directory}/daemon.log`
    LogFile.append(path, `message="cannot open postgres://app:hunter2@db/x with ghp_${"a1B2".repeat(9)}"`)
    assert.deepStrictEqual(DaemonLauncher.tail(path, 10), [
      'message="cannot open postgres://app:<masked: password>@db/x with <masked: GitHub token>"'
    ])
  })
)

it.effect("five files of at most 5 MiB are kept", () =>
  Effect.gen(function* () {
    const folder = yield* directory
    const record = "x".repeat(2 * 1024 * 1024)
    for (let index = 0; index < 14; index++) LogFile.append(`${folder}/daemon.log`, record)
    const files = readdirSync(folder)
    assert.strictEqual(files.length, 5)
    for (const file of files) assert.isAtMost(statSync(`${folder}/${file}`).size, 5 * 1024 * 1024)
  })
)

it("a log that cannot be written is not a failure", () => {
  LogFile.append("/nowhere/at/all.log", "lost")
  assert.deepStrictEqual(DaemonLauncher.tail("/nowhere/at/all.log", 10), [])
})

it.runIf(existsSync("/dev/full"))("a full disk is named as the reason why a log says nothing", () => {
  assert.include(DaemonLauncher.logTail("/dev/full"), "its log /dev/full cannot be written: ENOSPC")
})

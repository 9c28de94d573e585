/** The encoder with a real LLDB, which must read the quoted text unchanged and run no second command. */
import { NodeServices } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { Arbitrary, Effect, FileSystem, Result, Schema, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { Command } from "../src/index.ts"
import * as RealLldb from "./RealLldb.ts"

/** Runs LLDB once with these lines as input; returns the lines of its output. */
const session = Effect.fnUntraced(function* (name: string, home: string, lines: ReadonlyArray<string>) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const input = new TextEncoder().encode(`${lines.join("\n")}\n`)
  const text = yield* spawner.string(
    ChildProcess.make(name, ["--no-lldbinit", "--no-use-colors"], {
      env: { HOME: home, TERM: "dumb" },
      extendEnv: true,
      stdin: Stream.succeed(input)
    })
  )
  return text.split("\n")
})

/** Parts of a text, with many that have a meaning for LLDB. */
const Part = Schema.Union([
  Schema.String.check(Schema.isMaxLength(8)),
  Schema.Literals(['"', "\\", "`", "`1+1`", "'", " ", "\t", "\n", "\r", ";", "$", "-o", '\\"', "\\`", "/", "quit", "#"])
])

const samples = (canary: string) =>
  Arbitrary.sampleEffect(Arbitrary.schema(Schema.Array(Part).check(Schema.isMaxLength(8))), { count: 300 }).pipe(
    Effect.map((texts) => [
      ...texts.map((parts) => parts.join("")).filter((text) => text.isWellFormed()),
      `"; platform shell touch ${canary}`,
      `\`platform shell touch ${canary}\``,
      `" -o "platform shell touch ${canary}`,
      `x\nplatform shell touch ${canary}`,
      "[4(T^!!]"
    ])
  )

it.layer(NodeServices.layer)("a real LLDB", (it) => {
  it.effect("reads every accepted argument unchanged, and runs nothing else", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const home = yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-lldb-" })
      const canary = `${home}/canary`
      const { major, name } = yield* RealLldb.find
      const accepted = (yield* samples(canary)).flatMap((text) =>
        Result.match(Command.command("breakpoint set -n", [text], major), {
          onFailure: () => [],
          onSuccess: (command) => [{ text, command }]
        })
      )
      assert(accepted.length > 100, `only ${accepted.length} texts were accepted`)
      const output = yield* session(
        name,
        home,
        accepted.flatMap(({ command }, index) => [command, `breakpoint list ${index + 1}`])
      )
      for (const [index, { command, text }] of accepted.entries()) {
        // LLDB searches for a name that looks like one of Objective-C in several ways, and lists it once for each.
        const words = [2, 3, 4].map(
          (count) => `names = {${Array.from({ length: count }, () => `'${text}'`).join(", ")}}`
        )
        const isRead = [`name = '${text}'`, ...words].some((name) =>
          output.includes(`${index + 1}: ${name}, locations = 0 (pending)`)
        )
        assert(isRead, `${command}: ${output.find((line) => line.startsWith(`${index + 1}: `))}`)
      }
      assert(!output.some((line) => line.startsWith(`${accepted.length + 1}: `)), "nothing else was set")
      assert(!(yield* fs.exists(canary)), "no second command ran")
    })
  )

  it.effect("reads every accepted path of a setting unchanged, and runs nothing else", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const home = yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-lldb-" })
      const canary = `${home}/canary`
      const { name } = yield* RealLldb.find
      const accepted = (yield* samples(canary)).flatMap((text) => {
        // LLDB normalizes paths, so this path is already normalized.
        const path = `/in/${text.replaceAll("/", "_")}x${/["' \t]$/.exec(text)?.[0] ?? ""}`
        return Result.match(Command.setPath("target.input-path", path), {
          onFailure: () => [],
          onSuccess: (command) => [{ path, command }]
        })
      })
      assert(accepted.length > 100, `only ${accepted.length} paths were accepted`)
      const output = yield* session(
        name,
        home,
        accepted.flatMap(({ command }) => [command, "settings show target.input-path"])
      )
      const shown = output.filter((line) => line.startsWith("target.input-path (file) = "))
      assert.deepStrictEqual(
        shown,
        accepted.map(({ path }) => `target.input-path (file) = "${path}"`)
      )
      assert(!(yield* fs.exists(canary)), "no second command ran")
    })
  )

  it.effect("takes every setting of a word", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const home = yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-lldb-" })
      const { name } = yield* RealLldb.find
      const settings = ["target.inherit-env", "target.auto-apply-fixits", "symbols.enable-external-lookup"]
      const commands = settings.flatMap((setting) =>
        Result.match(Command.set(setting, "false"), { onFailure: () => [], onSuccess: (command) => [command] })
      )
      const shows = settings.map((setting) => `settings show ${setting}`)
      const output = yield* session(name, home, [...commands, ...shows])
      for (const setting of settings) assert(output.includes(`${setting} (boolean) = false`), output.join("\n"))
    })
  )
})

/** The encoder with a real GDB of any version, which must read the names unchanged and run no second command. */
import { assert, it } from "@effect/vitest"
import { Arbitrary, Effect, FileSystem, Result, Schema } from "effect"
import { platform } from "../support.ts"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import * as Command from "../../src/console/gdb/Command.ts"

/** Parts of a name, with many that have a meaning for GDB. */
const Part = Schema.Union([
  Schema.String.check(Schema.isMaxLength(8)),
  Schema.Literals(['"', "\\", "`", "'", " ", "\t", "\n", "\r", ";", "$", "!", "-o", '\\"', "\\n", "/", "#", "| sh"])
])

const samples = (canary: string) =>
  Arbitrary.sampleEffect(Arbitrary.schema(Schema.Array(Part).check(Schema.isMaxLength(8))), { count: 200 }).pipe(
    Effect.map((texts) => [
      ...texts.map((parts) => parts.join("")).filter((text) => text.isWellFormed()),
      `; shell touch ${canary}`,
      `x\n!touch ${canary}`,
      `x\\\n!touch ${canary}`,
      `x\rshell touch ${canary}`
    ])
  )

it.layer(platform)("a real GDB", (it) => {
  it.effect("reads every accepted file name unchanged, and runs nothing else", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
      const folder = yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-gdb-" })
      const accepted = (yield* samples(`${folder}/canary`)).flatMap((text) => {
        // GDB removes a slash at the end, and takes a tilde at the start for a home.
        const name = `/${text}.`
        const command = Command.command("set substitute-path", [name, "/to"])
        return Result.isSuccess(command) ? [{ name, command: command.success }] : []
      })
      assert(accepted.length > 100, `only ${accepted.length} names were accepted`)
      yield* fs.writeFileString(
        `${folder}/commands`,
        accepted.flatMap(({ command }) => [command, "show substitute-path", "unset substitute-path\n"]).join("\n")
      )
      const output = yield* spawner
        .string(
          ChildProcess.make("gdb", ["-q", "-nx", "-batch", "-x", `${folder}/commands`], {
            env: { HOME: folder, LC_ALL: "C.UTF-8", TERM: "dumb" },
            extendEnv: true,
            stdin: "ignore"
          })
        )
        // A machine without GDB has nothing to compare with.
        .pipe(Effect.catchTag("PlatformError", () => Effect.succeed(undefined)))
      if (output === undefined) return
      const shown = output.split("\n").filter((line) => line.startsWith("  `"))
      assert.deepStrictEqual(
        shown,
        accepted.map(({ name }) => `  \`${name}' -> \`/to'.`)
      )
      assert.isFalse(yield* fs.exists(`${folder}/canary`))
    })
  )
})

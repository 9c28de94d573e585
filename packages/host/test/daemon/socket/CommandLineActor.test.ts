import { assert, describe, it } from "@effect/vitest"
import { Caller } from "@sigtrap/protocol"
import { Effect } from "effect"
import { child } from "../../../src/testing/Children.ts"
import * as CommandLineActor from "../../../src/daemon/socket/CommandLineActor.ts"

const device = (major: number, minor: number) => (major << 8) | (minor & 0xff) | ((minor & ~0xff) << 12)

describe("the actor of a command line", () => {
  it("is named by its terminal", () => {
    const names = [
      ["pts/3", device(136, 3), "linux"],
      ["pts/300", device(137, 44), "linux"],
      ["tty1", device(4, 1), "linux"],
      ["ttys003", (16 << 24) | 3, "darwin"]
    ] as const
    for (const [name, number, platform] of names) {
      assert.strictEqual(CommandLineActor.terminalName(number, platform), name)
    }
  })

  it.effect("is a person at a terminal", () =>
    Effect.gen(function* () {
      const actor = yield* CommandLineActor.of({ kind: "cli" }, { device: device(136, 3), parent: 1 })
      assert.strictEqual(Caller.role(actor), "person")
    })
  )

  it.effect("is else named by the program that runs it", () =>
    Effect.gen(function* () {
      const actor = yield* CommandLineActor.of({ kind: "cli" }, { parent: process.pid })
      assert.match(Caller.id(actor), new RegExp(`^cli:[^[]+\\[${process.pid}\\]$`))
      assert.strictEqual(Caller.role(actor), "agent")
    })
  )

  // Only Node sets the title of a process by `process.title`.
  it.effect.runIf(process.versions["bun"] === undefined && process.versions["deno"] === undefined)(
    "is the program that runs npx, whose processes differ from call to call",
    () =>
      Effect.gen(function* () {
        const npx = yield* child(process.execPath, [
          "-e",
          "process.title = 'npm exec sigtrap next'; console.log('ready'); setInterval(() => {}, 1000)"
        ])
        yield* Effect.callback<void>((resume) => void npx.stdout.once("data", () => resume(Effect.void)))
        assert(npx.pid !== undefined)
        const direct = yield* CommandLineActor.of({ kind: "cli" }, { parent: process.pid })
        const actor = yield* CommandLineActor.of({ kind: "cli" }, { parent: npx.pid })
        assert.strictEqual(Caller.id(actor), Caller.id(direct))
      })
  )

  it.effect("keeps the name that the client gave", () =>
    Effect.gen(function* () {
      const actor = yield* CommandLineActor.of({ kind: "cli", name: "review" }, { parent: process.pid })
      assert.strictEqual(Caller.id(actor), "cli:review")
    })
  )
})

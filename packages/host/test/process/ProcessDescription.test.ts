import { assert, describe, it } from "@effect/vitest"
import { Processes as Service } from "@sigtrap/manager"
import { NodeServices } from "@effect/platform-node"
import { Effect, Layer, Option } from "effect"
import { basename } from "node:path"
import { ProcessDescription, Processes } from "../../src/index.ts"

const platform = Processes.layer.pipe(Layer.provide(NodeServices.layer))

describe("a process of this machine", () => {
  it.effect("is described with its executable, command line and user", () =>
    Effect.gen(function* () {
      const processes = yield* Service.Processes
      assert.strictEqual(processes.self, process.pid)
      const own = yield* processes.describe(process.pid)
      assert(Option.isSome(own))
      assert.deepInclude(own.value, { pid: process.pid, parent: process.ppid, sameUser: true, stopped: false })
      const named = yield* processes.named(own.value.name)
      assert.include(
        named.map(({ pid }) => pid),
        process.pid
      )
      assert.strictEqual(own.value.name, basename(own.value.executable ?? ""))
      if (process.platform === "linux") {
        const { name, parent } = own.value
        assert.deepStrictEqual(Option.getOrThrow(ProcessDescription.program(process.pid)), { name, parent })
      }
    }).pipe(Effect.provide(platform))
  )

  it.effect("is not found if no process has its pid", () =>
    Effect.gen(function* () {
      const processes = yield* Service.Processes
      assert.isTrue(Option.isNone(yield* processes.describe(4_194_305)))
      assert.isTrue(Option.isNone(ProcessDescription.program(4_194_305)))
      assert.deepStrictEqual(yield* processes.named("no program is called that"), [])
    }).pipe(Effect.provide(platform))
  )
})

describe("a line of ps", () => {
  it("has a start time of five words and a command line up to its end", () => {
    const line = `  70    1  ${process.geteuid?.()} TX+  Sat Nov 21 04:36:06 2026 /srv/server --port 80`
    const found = ProcessDescription.parsePs(line)
    assert(Option.isSome(found))
    assert.deepStrictEqual(found.value, {
      pid: 70,
      started: "Sat Nov 21 04:36:06 2026",
      parent: 1,
      name: "server",
      executable: "/srv/server",
      command: ["/srv/server", "--port", "80"],
      sameUser: true,
      traced: true,
      stopped: true
    })
  })

  it("is skipped if the process is a zombie or the line has another form", () => {
    assert.isTrue(Option.isNone(ProcessDescription.parsePs("70 1 0 Z Sat Nov 21 04:36:06 2026 (server)")))
    assert.isTrue(Option.isNone(ProcessDescription.parsePs("")))
  })
})

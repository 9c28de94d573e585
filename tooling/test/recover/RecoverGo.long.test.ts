/** A Go program under Delve is recovered after a kill of the daemon: started again, or attached to again. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { readdirSync, readlinkSync } from "node:fs"
import { platform } from "../support/fixturePrograms.ts"
import { environment, fixture, marked } from "../support/fixtures.ts"
import * as Tools from "../support/tools.ts"
import { asked, counts, machine, record } from "./recoverTests.ts"

const compiler = "go"

const hasGo = ["dlv", compiler].every((name) => Tools.isPresent(name, environment()))

/** Returns the processes that run a program: Delve does not report the pid of a program that it starts. */
const processesOf = (program: string) =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/exe`) === program
      } catch {
        return false
      }
    })

const goSuite = layer(platform, { excludeTestServices: true, timeout: "120 seconds" })

const goTests: Parameters<typeof goSuite>[1] = (it) => {
  it.effect("starts again with its breakpoints and counts, under a new Delve", () =>
    Effect.gen(function* () {
      const { breakpoints, data, kill, records, temporary } = yield* machine
      const source = fixture("go/app.go")
      const program = `${temporary}/app`
      const built = spawnSync(compiler, ["build", "-gcflags=all=-N -l", "-o", program, source], { stdio: "inherit" })
      assert.strictEqual(built.status, 0, "go build")
      const body = marked("go/app.go", "bug")
      const started = yield* data("start", program, "--adapter", "delve", "--break", `${source}:${body} if i > 0`)
      assert.deepInclude(started, { event: "stopped", reason: "breakpoint" })
      yield* data("break", "main.main", "--name", "first")
      const before = yield* breakpoints
      assert.deepStrictEqual(counts(before), [1, 0])
      assert.lengthOf(processesOf(program), 1)
      const [old] = processesOf(program)
      yield* kill
      const recovered = yield* data("recover", "--yes")
      assert.deepStrictEqual(record(recovered["recovered"])["lost"], [])
      // The one of the killed daemon was ended; the new one is another process.
      assert.lengthOf(processesOf(program), 1)
      assert.notInclude(processesOf(program), old)
      assert.deepStrictEqual(asked(yield* breakpoints), asked(before))
      assert.deepStrictEqual(counts(yield* breakpoints), [1, 1])
      assert.deepInclude(yield* data("continue"), { reason: "breakpoint", breakpoints: [1] })
      assert.include(JSON.stringify(yield* data("print", "i")), '"value":"1"')
      assert.deepStrictEqual(counts(yield* breakpoints), [2, 1])
      yield* data("stop")
      assert.deepStrictEqual(records(), [])
    })
  )
}

if (hasGo) goSuite("after a kill of the daemon, a Go program", goTests)

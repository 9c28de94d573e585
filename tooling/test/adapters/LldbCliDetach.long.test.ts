/** The backend lldb-cli lets go of an attached process again and again: it runs on, untraced. */
import { assert, layer } from "@effect/vitest"
import { Effect, Scope } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { debugging, environment as outside, platform, Programs } from "../support/fixturePrograms.ts"
import { standing } from "../support/processes.ts"

/** The caller's environment without a choice of a backend. */
const { SIGTRAP_BACKEND: _, ...neutral } = outside

/** How often a process is let go; more by hand, `SIGTRAP_DETACHES=50`. */
const times = Number(process.env["SIGTRAP_DETACHES"] ?? 5)

layer(platform, { excludeTestServices: true, timeout: "300 seconds" })("a detached process", (it) => {
  it.effect(
    `runs on, ${times} times out of ${times}, from a stop at a breakpoint or while it runs`,
    () =>
      Effect.gen(function* () {
        const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
        const { directory } = yield* Programs
        const scope = yield* Effect.scope
        const pid = yield* spawner.spawn(ChildProcess.make(`${directory}/loop`)).pipe(
          Effect.map((handle) => Number(handle.pid)),
          Scope.provide(scope)
        )
        yield* debugging(({ call }) =>
          Effect.gen(function* () {
            for (let time = 0; time < times; time++) {
              yield* call("attach", {
                pid,
                backend: "lldb-cli",
                environment: neutral,
                break: ["loop.c:8"],
                session: `s${time}`
              })
              yield* call("wait", { session: `s${time}` })
              if (time % 2 === 1) {
                yield* call("breakpoint.remove", { all: true, session: `s${time}` })
                yield* call("continue", { wait: false, session: `s${time}` })
              }
              const let_go = yield* call("detach", { session: `s${time}` })
              assert.deepStrictEqual(let_go.data, { pid, alive: true, suspended: false, traced: false }, `time ${time}`)
              assert.deepStrictEqual(standing(pid), { state: "R", tracer: "0" }, `time ${time}`)
            }
          })
        )
      }).pipe(Effect.scoped),
    300_000
  )
})

// The code of the debuggers is loaded by the first call that needs it, once, and without anything of that call.
import { assert, describe, it } from "@effect/vitest"
import { Backend, Simulators } from "@sigtrap/manager"
import { Caller } from "@sigtrap/protocol"
import { Context, Effect, Exit } from "effect"
import * as DebuggerAccess from "../../src/debuggers/DebuggerAccess.ts"
import * as DebuggerServices from "../../src/debuggers/DebuggerServices.ts"

const waiting = { adapter: "lldb-dap", pid: 1 }

/** Services whose types of launch configurations name the caller that they were built for. */
const services = Effect.map(Caller.Current, ({ actor }): DebuggerServices.Services => ({
  backend: {
    editorTypes: () => Effect.succeed([{ types: [actor.kind], options: [] }]),
    launch: () => Effect.never
  },
  simulators: { of: () => Effect.never },
  prestarted: Effect.succeed(waiting)
}))

const standard = Effect.map(Caller.Current, ({ actor }) => actor.kind)

describe("the debuggers", () => {
  it.effect("are loaded by the first calls, once, without the caller of one", () =>
    Effect.gen(function* () {
      let loads = 0
      const access = DebuggerAccess.make(Context.empty(), async () => {
        loads += 1
        return services
      })
      const { editorTypes, runsSource } = Context.get(access, Backend.Backend)
      const prestarted = Context.get(access, DebuggerServices.Prestarted)
      assert.isUndefined(yield* prestarted)
      assert.strictEqual(loads, 0)
      const asked = (editorTypes?.() ?? Effect.die("absent")).pipe(
        Effect.provideService(Caller.Current, { actor: { kind: "mcp" }, allowance: Caller.everything })
      )
      const types = yield* Effect.all([asked, asked], { concurrency: 2 })
      assert.strictEqual(loads, 1)
      assert.deepStrictEqual(types[0], [{ types: [yield* standard], options: [] }])
      assert.notStrictEqual(yield* standard, "mcp")
      assert.isFalse(yield* runsSource?.("a.py", {}) ?? Effect.die("absent"))
      assert.strictEqual(yield* prestarted, waiting)
      assert.isFunction(Context.get(access, Backend.Backend).writes)
      assert.isFunction(Context.get(access, Simulators.SimulatorAccess).of)
    })
  )

  it.effect("are loaded again after they could not be loaded", () =>
    Effect.gen(function* () {
      let loads = 0
      const access = DebuggerAccess.make(Context.empty(), async () => {
        loads += 1
        if (loads === 1) throw new Error("no such file")
        return services
      })
      const types = Context.get(access, Backend.Backend).editorTypes?.() ?? Effect.die("absent")
      assert.isTrue(Exit.isFailure(yield* Effect.exit(types)))
      assert.lengthOf(yield* types, 1)
      assert.strictEqual(loads, 2)
    })
  )
})

// Every field of every operation, called with each tier missing: the call is refused before its handler runs.
import { assert, describe, it } from "@effect/vitest"
import { Caller, Effects, Errors, Operation, Operations } from "@sigtrap/protocol"
import { Effect } from "effect"
import * as Permission from "../../../src/model/permissions/Permission.ts"
import * as Policy from "../../../src/model/permissions/Policy.ts"

/** The tier that a field needs, by its name: written down here, apart from what the operations declare. */
const tierOfField: { readonly [field: string]: Effects.Tier } = {
  cmd: "admin",
  init_cmd: "admin",
  pre_run_cmd: "admin",
  stop_cmd: "admin",
  adapter_opt: "admin",
  build: "admin",
  command: "admin",
  runner: "admin",
  adapter: "admin",
  pid: "admin",
  condition: "evaluate",
  log: "evaluate",
  message: "evaluate",
  logpoint: "evaluate",
  eval: "evaluate",
  break: "evaluate",
  to: "evaluate",
  values: "write",
  hex: "write",
  stdout: "write",
  stderr: "write",
  persist: "write"
}

/** A text that every rule finds an effect in. */
const text = "main if f() :: {f()}"

const payloadOf = (field: string) => ({ [field]: field === "persist" ? true : text })

const rows = Operations.all.flatMap((operation) => {
  const { effects, tier } = Operation.meta(operation)
  return Object.keys(effects).map((field) => ({ operation, field, base: tier, extra: tierOfField[field] }))
})

/** Calls with these tiers and returns whether the handler ran. */
const runs = (operation: Operation.Any, payload: object, tiers: ReadonlyArray<Effects.Tier>) => {
  let ran = false
  const handler = Effect.sync(() => {
    ran = true
  })
  // The operations that read files permit the call in their handlers, with the same functions.
  const uses = Effects.ofCall(Operation.meta(operation), payload)
  const work = Operation.meta(operation).readsEffects
    ? Effect.andThen(Permission.permit(operation._tag, uses), handler)
    : Permission.permitted(operation, payload, handler)
  const allowance = { effects: Effects.ofTiers(tiers), destructive: true, uses: [] }
  return Effect.exit(Effect.provideService(work, Caller.Current, { actor: { kind: "mcp" }, allowance })).pipe(
    Effect.map((exit) => ({ ran, exit }))
  )
}

const credentials: ReadonlyArray<Effects.Tier> = ["observe", "control", "evaluate", "write", "admin"]

describe("a call", () => {
  it.effect("whose handler permits it tells no error to a caller without the tiers of its payload", () =>
    Effect.gen(function* () {
      const failing = Operations.all.filter((operation) => Operation.meta(operation).readsEffects)
      assert.isNotEmpty(failing)
      for (const operation of failing) {
        const work = Effect.fail(new Errors.SessionExists({ name: "api", remedies: [] }))
        const as = (tiers: ReadonlyArray<Effects.Tier>) =>
          Permission.permitted(operation, {}, work).pipe(
            Effect.provideService(Caller.Current, {
              actor: { kind: "mcp" },
              allowance: { effects: Effects.ofTiers(tiers), destructive: true, uses: [] }
            }),
            Effect.flip,
            Effect.map(({ _tag }) => _tag)
          )
        assert.strictEqual(yield* as(["observe"]), "TierRequired", operation._tag)
        assert.strictEqual(yield* as(credentials), "SessionExists", operation._tag)
      }
    })
  )

  it.effect("runs with its tiers and not without any one of them, for each field of each operation", () =>
    Effect.gen(function* () {
      for (const { base, extra, field, operation } of rows) {
        const payload = payloadOf(field)
        const where = `${operation._tag}.${field}`
        assert.isTrue((yield* runs(operation, payload, credentials)).ran, where)
        const needed = new Set(
          Effects.ofCall(Operation.meta(operation), payload).map(({ effect }) => Effects.tierOf(effect))
        )
        assert.isTrue(needed.has(base), where)
        if (extra !== undefined) assert.isTrue(needed.has(extra), `${where} needs ${extra}`)
        for (const tier of credentials) {
          const { exit, ran } = yield* runs(
            operation,
            payload,
            credentials.filter((one) => one !== tier)
          )
          assert.strictEqual(ran, !needed.has(tier), `${where} without ${tier}`)
          if (ran || exit._tag === "Success") continue
          const [reason] = exit.cause.reasons
          const error = reason?._tag === "Fail" ? reason.error : undefined
          if (!(error instanceof Errors.TierRequired)) return assert.fail(where)
          for (const { tier: named } of error.missing) assert.strictEqual(named, tier, where)
        }
      }
    })
  )

  it.effect("is refused by each policy that forbids its effect, for each field of each operation", () =>
    Effect.gen(function* () {
      const denied = (deny: "eval" | "set" | "memory-write" | "raw", uses: ReadonlyArray<Effects.Use>) =>
        Effect.map(Effect.exit(Policy.check(Policy.of({ deny: [deny] }), uses)), ({ _tag }) => _tag === "Failure")
      for (const { field, operation } of rows) {
        const uses = Effects.ofCall(Operation.meta(operation), payloadOf(field))
        const has = (effect: Effects.Name) => uses.some((use) => use.effect === effect)
        const where = `${operation._tag}.${field}`
        assert.strictEqual(yield* denied("raw", uses), has("raw"), where)
        assert.strictEqual(
          yield* denied("eval", uses),
          has("raw") || uses.some((use) => use.effect === "eval" && use.reads !== true),
          where
        )
        for (const rule of ["set", "memory-write"] as const) {
          if (has("raw") || has("write-memory")) assert.isTrue(yield* denied(rule, uses), `${where} under ${rule}`)
        }
      }
      // A base effect is forbidden without any field.
      assert.isTrue(yield* denied("eval", [{ effect: "eval" }]))
      assert.isTrue(yield* denied("eval", [{ effect: "raw" }]))
      assert.isFalse(yield* denied("eval", [{ effect: "eval", value: "n", reads: true }]))
    })
  )
})

it.effect("a policy that only reads forbids five effects, each by its name", () =>
  Effect.gen(function* () {
    const policy = Policy.of({ read_only: true })
    for (const effect of ["eval", "set", "memory-write", "raw", "restart"] as const) {
      const refusal = yield* Effect.flip(Policy.permit(policy, effect, effect))
      assert.strictEqual(refusal.rule, "read-only", effect)
    }
    yield* Policy.permit(policy, "attach", "attach")
  })
)

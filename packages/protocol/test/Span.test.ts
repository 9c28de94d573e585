// Spans of calls that run often are made only for a tracer that the caller has set.
import { assert, it } from "@effect/vitest"
import { Effect, Tracer } from "effect"
import { Span } from "@sigtrap/protocol"

it.effect("a span is made for a tracer that is set, and is the parent of those inside", () =>
  Effect.gen(function* () {
    const made: Array<string> = []
    const tracer = Tracer.make({
      span: (options) => {
        made.push(options.parent._tag === "Some" ? `${options.name} in a span` : options.name)
        return new Tracer.NativeSpan(options)
      }
    })
    const work = Span.within("Outer.run")(Span.within("Inner.run")(Effect.succeed(7)))
    assert.strictEqual(yield* Effect.provideService(work, Tracer.Tracer, tracer), 7)
    assert.deepStrictEqual(made, ["Outer.run", "Inner.run in a span"])
  })
)

it.effect("no span is made without a tracer", () =>
  Effect.gen(function* () {
    const found = yield* Effect.option(Span.within("Outer.run")(Effect.currentSpan))
    assert.strictEqual(found._tag, "None")
    assert.deepStrictEqual(yield* Effect.flip(Span.within("Outer.run")(Effect.fail("refused"))), "refused")
  })
)

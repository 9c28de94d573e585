import { assert, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as Collector from "../../src/tracing/Collector.ts"
import { PostFailed } from "../../src/tracing/Post.ts"
import type { SpanDocument } from "../../src/tracing/SpanDocument.ts"

const address = { traces: "http://127.0.0.1:1/v1/traces", metrics: "http://127.0.0.1:1/v1/metrics" }

const span = (name: string): SpanDocument => ({
  traceId: "0".repeat(32),
  spanId: "1".repeat(16),
  name,
  kind: 1,
  startTimeUnixNano: "1",
  endTimeUnixNano: "2",
  attributes: [],
  status: { code: 1 }
})

/** A collector whose requests are recorded; `answer` decides each. */
const recorded = Effect.fnUntraced(function* (
  answer: (url: string) => Effect.Effect<void, PostFailed>,
  scope: Scope.Scope
) {
  const sent: Array<{ readonly url: string; readonly text: string; readonly spans: number }> = []
  const collector = yield* Collector.make(address, "1.2.3", (url, document) =>
    Effect.suspend(() => {
      const text = JSON.stringify(document)
      sent.push({ url, text, spans: text.split('"spanId"').length - 1 })
      return answer(url)
    })
  ).pipe(Scope.provide(scope))
  return { collector, sent }
})

const scoped = <A, E>(test: (scope: Scope.Closeable) => Effect.Effect<A, E>) =>
  Effect.acquireUseRelease(Scope.make(), test, (scope) => Scope.close(scope, Exit.void))

it.effect("spans that end together are sent together, with the durations of the calls", () =>
  scoped((scope) =>
    Effect.gen(function* () {
      const { collector, sent } = yield* recorded(() => Effect.void, scope)
      collector.offer(span("a"))
      collector.offer(span("b"))
      collector.called("next", "OK", 3)
      assert.deepStrictEqual(sent, [])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(
        sent.map(({ spans, url }) => [url, spans]),
        [
          [address.traces, 2],
          [address.metrics, 0]
        ]
      )
      assert.include(sent[1]?.text ?? "", '"bucketCounts":["0","1","0","0","0","0","0","0","0","0"]')
      assert.notInclude(sent[0]?.text ?? "", "dropped")
    })
  )
)

it.effect(
  "a collector that never answers holds nothing: spans are bounded, and those that do not fit are counted",
  () =>
    scoped((scope) =>
      Effect.gen(function* () {
        let isStuck = true
        const { collector, sent } = yield* recorded(() => (isStuck ? Effect.never : Effect.void), scope)
        for (let count = 0; count < 10_000; count++) collector.offer(span("a"))
        yield* TestClock.adjust("10 minutes")
        // One request at a time.
        assert.strictEqual(sent.length, 1)
        isStuck = false
        const rest = yield* Effect.forkChild(collector.flush, { startImmediately: true })
        yield* Effect.yieldNow
        yield* Fiber.interrupt(rest)
        assert.strictEqual(sent.length, 1)
      })
    )
)

it.effect("after a failure there is a pause, and the next request says how many spans were dropped", () =>
  scoped((scope) =>
    Effect.gen(function* () {
      let fails = true
      const { collector, sent } = yield* recorded(() => (fails ? Effect.fail(new PostFailed({})) : Effect.void), scope)
      collector.offer(span("a"))
      yield* TestClock.adjust("1 second")
      assert.strictEqual(sent.length, 1)
      for (let count = 0; count < Collector.maxWaiting + 7; count++) collector.offer(span("b"))
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(sent.length, 1)
      fails = false
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(
        sent.slice(1).map(({ spans }) => spans),
        [512, 512, 512, 512]
      )
      // The first span, and the seven that did not fit.
      assert.include(sent[1]?.text ?? "", '{"key":"sigtrap.dropped_spans","value":{"intValue":8}}')
      assert.notInclude(sent[2]?.text ?? "", "dropped")
    })
  )
)

it.effect("a collector of traces alone gets no more metrics", () =>
  scoped((scope) =>
    Effect.gen(function* () {
      const { collector, sent } = yield* recorded(
        (url) => (url === address.metrics ? Effect.fail(new PostFailed({ status: 404 })) : Effect.void),
        scope
      )
      for (const name of ["a", "b", "c"]) {
        collector.offer(span(name))
        collector.called("next", "OK", 1)
        yield* TestClock.adjust("1 second")
      }
      assert.deepStrictEqual(
        sent.map(({ url }) => url),
        [address.traces, address.metrics, address.traces, address.traces]
      )
    })
  )
)

it.effect("the end sends what waits, for half a second at most", () =>
  Effect.gen(function* () {
    const first = yield* Scope.make()
    const { collector, sent } = yield* recorded(() => Effect.void, first)
    collector.offer(span("last"))
    yield* Scope.close(first, Exit.void)
    assert.strictEqual(sent.length, 1)

    const second = yield* Scope.make()
    const stuck = yield* recorded(() => Effect.never, second)
    stuck.collector.offer(span("last"))
    const closing = yield* Effect.forkChild(Scope.close(second, Exit.void), { startImmediately: true })
    yield* TestClock.adjust("499 millis")
    assert.isUndefined(closing.pollUnsafe())
    yield* TestClock.adjust("1 millis")
    yield* Fiber.join(closing)
  })
)

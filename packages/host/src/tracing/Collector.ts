/**
 * Sends spans and durations to one collector, in batches. A call only appends to a bounded list: a collector that is slow or
 * gone delays nothing and fails nothing. What does not fit or is not accepted is dropped and counted; the next batch has the
 * count.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { Address } from "./CollectorAddress.ts"
import { Durations } from "./Durations.ts"
import * as Post from "./Post.ts"
import type { SpanDocument } from "./SpanDocument.ts"

/** Spans that wait; further ones are dropped. */
export const maxWaiting = 2048

/** Spans of one request. */
const maxBatch = 512

/** Time in which the spans of one batch come together. */
const BATCH = "250 millis"

/** Time without requests after a failed one, in milliseconds. It doubles up to the second. */
const PAUSES = [5000, 60_000] as const

/** Timeout for the last spans at the end. */
const LAST = "500 millis"

/** Sends a document; a parameter for tests. */
export type Send = (url: string, document: object) => Effect.Effect<void, Post.PostFailed>

/** Sends spans and durations to an OpenTelemetry collector, in batches. */
export interface Collector {
  /** Adds a span to the next batch. */
  readonly offer: (span: SpanDocument) => void
  /** Adds the duration of a call, in milliseconds. `code` is "OK" or the code of its error. */
  readonly called: (operation: string, code: string, millis: number) => void
  /** Sends what waits. Stops at the first request that fails. */
  readonly flush: Effect.Effect<void>
}

const text = (key: string, stringValue: string) => ({ key, value: { stringValue } })

/**
 * Makes a collector; `version` is that of sigtrap. At the end of the scope the last spans are sent within half a second. Fiber: one that
 * sends (ends with the scope).
 */
export const make = Effect.fnUntraced(function* (
  address: Address,
  version: string,
  send: Send = Post.post
): Effect.fn.Return<Collector, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  const one = yield* Semaphore.make(1)
  const waiting = yield* Latch.make(false)
  const durations = new Durations(clock.currentTimeNanosUnsafe())
  let spans: Array<SpanDocument> = []
  let dropped = 0
  let hasMetrics = address.metrics !== undefined

  const resource = () => ({
    attributes: [
      text("service.name", "sigtrap"),
      text("service.version", version),
      ...(dropped === 0 ? [] : [{ key: "sigtrap.dropped_spans", value: { intValue: dropped } }])
    ]
  })
  const scope = { name: "sigtrap", version }

  const sendSpans = Effect.suspend(() => {
    const batch = spans.slice(0, maxBatch)
    spans = spans.slice(maxBatch)
    if (spans.length === 0) waiting.closeUnsafe()
    if (batch.length === 0) return Effect.void
    const told = dropped
    return send(address.traces, {
      resourceSpans: [{ resource: resource(), scopeSpans: [{ scope, spans: batch }] }]
    }).pipe(
      Effect.tap(() => Effect.sync(() => (dropped -= told))),
      Effect.tapError(() => Effect.sync(() => (dropped += batch.length)))
    )
  })

  const sendMetrics = Effect.suspend(() => {
    const metric = durations.take(clock.currentTimeNanosUnsafe())
    if (address.metrics === undefined || !hasMetrics || metric === undefined) return Effect.void
    return send(address.metrics, {
      resourceMetrics: [{ resource: resource(), scopeMetrics: [{ scope, metrics: [metric] }] }]
    }).pipe(
      // A collector of traces alone has no such path.
      Effect.catchIf(
        ({ status }) => status === 404 || status === 405,
        () => Effect.sync(() => void (hasMetrics = false))
      )
    )
  })

  const sendOne = one.withPermit(Effect.andThen(sendSpans, sendMetrics))
  const flush = Effect.ignore(
    Effect.andThen(sendOne, Effect.whileLoop({ while: () => spans.length > 0, body: () => sendOne, step: () => {} }))
  )

  yield* Effect.addFinalizer(() => Effect.interruptible(Effect.timeoutOption(flush, LAST)))
  let pause: number = PAUSES[0]
  yield* Effect.forkScoped(
    Effect.gen(function* () {
      while (true) {
        yield* waiting.await
        yield* Effect.sleep(BATCH)
        const accepted = yield* Effect.match(sendOne, { onFailure: () => false, onSuccess: () => true })
        if (!accepted) yield* Effect.sleep(pause)
        pause = accepted ? PAUSES[0] : Math.min(PAUSES[1], pause * 2)
      }
    })
  )

  return {
    offer: (span) => {
      if (spans.length < maxWaiting) spans.push(span)
      else dropped += 1
      waiting.openUnsafe()
    },
    called: (operation, code, millis) => {
      if (hasMetrics) durations.add(operation, code, millis)
    },
    flush
  }
})

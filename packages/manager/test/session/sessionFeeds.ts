/** The stream of an observer over sessions of a fake debugger, for tests. */
import { type Client, Feed } from "@sigtrap/protocol"
import { Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { SessionFeed } from "../../src/index.ts"
import { FakeBackend } from "../../src/testing/index.ts"
import { manager } from "../support.ts"

/** Runs a test with sessions of a fake debugger and the stream over them. */
export const observing = <A, E>(test: Effect.Effect<A, E, Client.Client | Feed.Feed>, fake = FakeBackend.make()) =>
  Effect.provide(test, SessionFeed.layer("1.2.3").pipe(Layer.provideMerge(manager(fake))))

/** Collects the lines of a stream, and moves the clock so that gathered events are sent. */
export const collect = Effect.fnUntraced(function* (request: Feed.Request) {
  const lines: Array<Feed.Line> = []
  const feed = yield* Feed.Feed
  const fiber = yield* Effect.forkChild(
    Stream.runForEach(feed.lines(request), (line) => Effect.sync(() => lines.push(line))),
    { startImmediately: true }
  )
  const settle = Effect.andThen(
    Effect.repeat(Effect.yieldNow, { times: 50 }),
    Effect.andThen(TestClock.adjust("60 millis"), Effect.repeat(Effect.yieldNow, { times: 50 }))
  )
  return { lines, settle, end: Fiber.interrupt(fiber) }
})

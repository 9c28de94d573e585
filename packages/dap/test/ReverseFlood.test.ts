import { assert, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import * as Client from "../src/Client.ts"
import * as Errors from "../src/Errors.ts"
import * as Framing from "../src/Framing.ts"
import * as Requests from "../src/Requests.ts"

it.effect(
  "an adapter that floods with reverse requests and reads no answers is given up, and gets no more answers",
  () =>
    Effect.gen(function* () {
      const requests = Array.from({ length: 1000 }, (_, seq) =>
        Framing.encode({ seq: seq + 1, type: "request", command: "runInTerminal", arguments: {} })
      )
      let answers = 0
      const client = yield* Client.make({
        transport: {
          incoming: Stream.concat(Stream.fromIterable(requests).pipe(Stream.rechunk(1)), Stream.never),
          send: () =>
            Effect.suspend(() => {
              answers += 1
              return answers > 3
                ? Effect.fail(new Errors.TransportError({ reason: "full", detail: "It does not read its input." }))
                : Effect.void
            })
        },
        onEvent: () => {}
      })
      for (let turn = 0; turn < 50; turn++) yield* Effect.yieldNow
      const failure = yield* Effect.flip(client.request(Requests.Threads))
      assert.strictEqual(failure._tag, "ConnectionClosed")
      assert.include(failure.message, "does not read")
      assert.isBelow(answers, 1000)
    })
)

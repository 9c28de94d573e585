/**
 * `back`: goes to an earlier stop by running the program again.
 */
import { Errors, Hint, type Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { PastStop } from "../../session/stops/PastStops.ts"
import * as PastStops from "../inspection/PastStops.ts"
import * as ReexecutionCall from "./ReexecutionCall.ts"
import * as Replay from "./Replay.ts"
import * as Rerun from "./Rerun.ts"

type Payload = Operations.Payload<"back">

/** Runs to a stop, and compares it with the earlier one. */
const toStop = Effect.fnUntraced(function* (call: ReexecutionCall.Call, target: PastStop) {
  const plan = yield* ReexecutionCall.planTo(call, target)
  const expected = yield* ReexecutionCall.expectedAt(call, target)
  const rerun = yield* ReexecutionCall.run(call)
  yield* Replay.reach(rerun, { plan, places: call.places })
  yield* ReexecutionCall.compare(rerun, target, expected)
  return { rerun, anchor: target }
})

/** Runs to a hit of a breakpoint that did not stop the program. Another run to the newest stop proves that runs are the same. */
const toHit = Effect.fnUntraced(function* (call: ReexecutionCall.Call, id: number, hit: number) {
  const { history, session } = call
  const breakpoint = yield* session.breakpoints.find(id)
  const place = call.places.get(id)
  if (hit > breakpoint.hit_count || place === undefined || hit === 0) {
    return yield* new Errors.InvalidState({
      problem: `breakpoint ${id} was hit ${breakpoint.hit_count} times, so it has no hit ${hit}`
    })
  }
  if (place.kind === "watch" || !history.unchanged.has(id)) {
    return yield* new Errors.InvalidState({
      problem: `breakpoint ${id} was set or changed after the program started, so its hits cannot be counted again`
    })
  }
  const anchor = history.stops.at(-1)
  if (anchor === undefined) return yield* new Errors.StopNotFound({ stop: 1, oldest: 0, newest: 0 })
  const plan = yield* ReexecutionCall.planTo(call, anchor)
  const expected = yield* ReexecutionCall.expectedAt(call, anchor)
  const [, rerun] = yield* Effect.all(
    [
      Effect.gen(function* () {
        const checked = yield* ReexecutionCall.run(call)
        yield* Replay.reach(checked, { plan, places: call.places })
        yield* ReexecutionCall.compare(checked, anchor, expected)
      }),
      Effect.gen(function* () {
        const rerun = yield* ReexecutionCall.run(call)
        yield* Replay.setAgain(rerun, { place, model: { ...breakpoint, enabled: true, hits_wanted: String(hit) } })
        const moment = `hit ${hit} of breakpoint ${id}`
        for (;;) {
          const { stopped } = yield* Rerun.resume(rerun, "continue", moment)
          if (stopped.breakpoints.includes(id)) break
        }
        yield* rerun.session.breakpoints.change([id], { hits: breakpoint.hits_wanted ?? null })
        return rerun
      })
    ],
    { concurrency: 2 }
  )
  return { rerun, anchor }
})

/** Returns the stop that a payload names; undefined if it names a hit that did not stop the program. */
const targetOf = Effect.fnUntraced(function* (call: ReexecutionCall.Call, payload: Payload) {
  const { history, session } = call
  if (payload.to_hit !== undefined) {
    const [id = 0, hit = 0] = payload.to_hit.split(":").map(Number)
    const stop = history.stops.find(({ hits, stopped }) => stopped.breakpoints.includes(id) && hits.get(id) === hit)
    return stop ?? { id, hit }
  }
  return yield* ReexecutionCall.stopOf(call, PastStops.numberOf(session, payload.to_stop ?? -payload.count))
})

/** Goes back. The new run is published as a session. */
export const back = Effect.fn("Back.back")(function* (payload: Payload, services: ReexecutionCall.Services) {
  if (payload.to_hit !== undefined && payload.to_stop !== undefined) {
    return yield* new Errors.Usage({
      problem: "name a stop or a hit, not both",
      near: [],
      remedies: [Hint.help("back")]
    })
  }
  const call = yield* ReexecutionCall.begin("back", payload, services)
  return yield* Effect.gen(function* () {
    const target = yield* targetOf(call, payload)
    return yield* Effect.scoped(
      Effect.flatMap("id" in target ? toHit(call, target.id, target.hit) : toStop(call, target), ({ anchor, rerun }) =>
        ReexecutionCall.publish(call, rerun, anchor, payload)
      )
    ).pipe(ReexecutionCall.attempted(payload))
  }).pipe(
    Effect.mapError((error) =>
      Errors.locate(error, { session: call.session.name, state: call.session.log.snapshot.state })
    )
  )
})

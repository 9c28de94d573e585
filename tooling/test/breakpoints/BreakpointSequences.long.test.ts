/** Random edits of breakpoints in a loop: stops, hit counts and messages are those of a model, on both LLDB backends. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { debugging, platform } from "../support/fixturePrograms.ts"
import { lineOf, Model, type Options, source } from "./breakpointModel.ts"
import { build, starting } from "../support/builtPrograms.ts"

/** Returns random numbers from 0 to below 1 (mulberry32). */
const randomNumbers = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
}

const edits = 25

/** The places of breakpoints, with their lines. The last two are at one address. */
const places = ["first", "second", "third", "inner"]
  .map((mark) => ({ at: `loop.c:${lineOf(mark)}`, line: lineOf(mark) }))
  .concat({ at: "work", line: lineOf("inner") })

/** Counts that the manager evaluates. LLDB counts the others itself and reports the count when it is reached. */
const counts = ["%", "<", "<=", ">", ">="]

const conditionOf = ({ every, rest }: Options) => (every === undefined ? {} : { condition: `n % ${every} == ${rest}` })

layer(platform, { excludeTestServices: true, timeout: "300 seconds" })("random edits of breakpoints", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    for (let seed = 1; seed <= 12; seed++) {
      const test = debugging((client) =>
        Effect.gen(function* () {
          const { call } = client
          const built = yield* build("loop.c", source, "gcc", ["-O0"])
          yield* starting(client, built, backend, { break: ["main"] })
          const random = randomNumbers(seed)
          const below = (end: number) => Math.floor(random() * end)
          const isSo = (share: number) => random() < share
          const model = new Model()
          let last = 1

          const add = Effect.fnUntraced(function* () {
            const place = places[below(places.length)] ?? { at: "work", line: lineOf("inner") }
            if (used.has(place.at)) return
            const every = 2 + below(3)
            const options: Options = {
              ...(isSo(0.4) ? { every, rest: below(every) } : {}),
              ...(isSo(0.3) ? { hits: `${counts[below(counts.length)]}${1 + below(4)}` } : {}),
              ...(isSo(0.25) ? { log: `m${last}` } : isSo(0.2) ? { temporary: true } : {}),
              ...(isSo(0.2) ? { max: 1 + below(3) } : {})
            }
            const { every: _, log, rest: __, ...others } = options
            const message = log === undefined ? {} : { log: `${log} {n}` }
            const { data } = yield* call("break", { at: place.at, ...conditionOf(options), ...others, ...message })
            assert.strictEqual(data.id, ++last)
            const max = log === undefined ? options : { max: 1000, ...options }
            model.all.set(data.id, { line: place.line, options: max, enabled: true, count: 0 })
            used.set(place.at, data.id)
          })

          const edit = Effect.fnUntraced(function* (number: number) {
            const one = model.all.get(number)
            if (one === undefined) return
            const every = 2 + below(3)
            const { every: _, hits, log, max, rest: __, ...kept } = one.options
            const hasLog = log === undefined && one.options.temporary !== true
            const condition: Options = isSo(0.5) ? { every, rest: below(every) } : {}
            one.options = {
              ...kept,
              ...condition,
              ...(hasLog
                ? { log: `e${last}`, max: max ?? 1000 }
                : log === undefined && max !== undefined
                  ? { max }
                  : {})
            }
            yield* call("breakpoint.edit", {
              id: number,
              ...(condition.every === undefined ? { no_condition: true } : conditionOf(condition)),
              ...(hits === undefined ? {} : { no_hits: true }),
              ...(hasLog ? { log: `e${last} {n}` } : log === undefined ? {} : { no_log: true })
            })
          })

          const turn = Effect.fnUntraced(function* (number: number) {
            const one = model.all.get(number)
            const enabled = isSo(0.5)
            if (one !== undefined && isSo(0.7)) {
              one.enabled = enabled
              yield* call(enabled ? "breakpoint.enable" : "breakpoint.disable", { ids: [number] })
            } else {
              model.all.delete(number)
              yield* call("breakpoint.remove", { ids: [number] })
            }
          })

          const used = new Map<string, number>()
          for (let count = 0; count < edits; count++) {
            for (const [at, number] of used) if (!model.all.has(number)) used.delete(at)
            const numbers = [...model.all.keys()]
            const number = numbers[below(numbers.length)]
            const kind = random()
            if (kind < 0.25 || number === undefined) yield* add()
            else if (kind < 0.45) yield* edit(number)
            else if (kind < 0.55) yield* turn(number)
            else {
              const expected = model.proceed()
              const { data } = yield* call("continue", {})
              const line = data.event === "stopped" ? data.location?.line : undefined
              const found = line === undefined ? undefined : { line, breakpoints: data.breakpoints ?? [] }
              assert.deepStrictEqual(found, expected, `edit ${count}`)
              if (expected === undefined) break
            }
            const { breakpoints } = (yield* call("breakpoint.list", {})).data
            assert.deepStrictEqual(
              breakpoints.slice(1).map((one) => [one.id, one.enabled, one.hit_count]),
              [...model.all].map(([id, one]) => [id, one.enabled, one.count]),
              `edit ${count}`
            )
          }
          const { text } = (yield* call("output", { channel: ["log"] })).data
          assert.deepStrictEqual(text.split("\n").slice(0, -1), model.messages)
        })
      )
      it.effect(`have the stops, counts and messages of the model, with ${backend} (${seed})`, () => test)
    }
  }
})

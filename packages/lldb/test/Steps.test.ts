// Long answers are parsed in steps: the result is the same, and other fibers run in between.
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { Frames, Modules } from "../src/index.ts"

const frame = (at: number) =>
  `    frame #${at}: \u001e1\u001f4242\u001f${at}\u001f0x0000555555555151\u001f/tmp/deep\u001fdeep(int)\u001f/tmp/deep.c\u001f12\u001f24\u001f0x00007fffffffe000\u001f`
const image = (at: number) => `[${String(at).padStart(3)}] 0x00007ffff7fc3000 /usr/lib/lib${at}.so`
const text = (line: (at: number) => string) => `${Array.from({ length: 5000 }, (_, at) => line(at)).join("\n")}\n`

/** Returns a result, and how often another fiber ran meanwhile. */
const beside = <A>(work: Effect.Effect<A>) =>
  Effect.gen(function* () {
    let turns = 0
    const other = yield* Effect.forkChild(
      Effect.forever(
        Effect.andThen(
          Effect.sync(() => void (turns += 1)),
          Effect.yieldNow
        )
      )
    )
    const result = yield* work
    yield* Fiber.interrupt(other)
    return { result, turns }
  })

it.effect("stacks and modules are parsed in steps", () =>
  Effect.gen(function* () {
    const frames = yield* beside(Frames.framesInSteps(text(frame)))
    assert.deepStrictEqual(frames.result, Frames.frames(text(frame)))
    assert.lengthOf(frames.result, 5000)
    assert.isAbove(frames.turns, 4)
    const modules = yield* beside(Modules.parseInSteps(text(image)))
    assert.deepStrictEqual(modules.result, Modules.parse(text(image)))
    assert.lengthOf(modules.result, 5000)
    assert.isAbove(modules.turns, 2)
    assert.deepStrictEqual(yield* Frames.framesInSteps(""), [])
  })
)

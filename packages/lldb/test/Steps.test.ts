// Long answers are parsed in steps: the result is the same, and other fibers run in between.
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { Frames, Modules, Symbols } from "../src/index.ts"

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

const thread = (at: number) =>
  `  thread #${at}: \u001e${at}\u001f${at + 4000}\u001fbreakpoint 1.1\u001f0x0000555555555151\u001f/tmp/deep\u001fdeep(int)\u001f/tmp/deep.c\u001f12\u001fworker`
// The name of a function and its line are in different lines, which a step can separate.
const found = (at: number) =>
  `       Function: id = {0x1}, name = "work${at}(int)", range = [0x1-0x2)\n${"#\n".repeat(at % 50)}      LineEntry: [0x1-0x2): /src/a.c:${at + 1}:3`
const name = (at: number) => `        Summary: app\`ns::work${at % 4000}(int) at a.c:${at}`
const type = (at: number) =>
  `id = {0x0${at}}, name = "T${at}", byte-size = 8, decl = a.c:1, compiler_type = "struct T${at} {\n    int a;\n    int b;\n}"`
const symbol = (at: number) => `[${at}]     ${at}     Resolver        0x0000000000001139 0x1 0x1 0x0 f${at % 100}@@V1`
const unit = (at: number) => `0x1:   CompileUnit{0x00000000}, language = "c11", file = '/src/${at % 100}.c'`

it.effect("threads, functions, types and symbols are parsed in steps", () =>
  Effect.gen(function* () {
    const isEqual = Effect.fnUntraced(function* <A>(
      line: (at: number) => string,
      whole: (output: string) => ReadonlyArray<A>,
      inSteps: (output: string) => Effect.Effect<ReadonlyArray<A>>
    ) {
      const { result, turns } = yield* beside(inSteps(text(line)))
      assert.deepStrictEqual(result, whole(text(line)))
      assert.isAbove(result.length, 99)
      assert.isAbove(turns, 4)
    })
    yield* isEqual(thread, Frames.threadList, Frames.threadListInSteps)
    yield* isEqual(found, Symbols.functions, Symbols.functionsInSteps)
    yield* isEqual(name, Symbols.functionNames, Symbols.functionNamesInSteps)
    yield* isEqual(type, Symbols.types, Symbols.typesInSteps)
    yield* isEqual(symbol, Symbols.resolvers, Symbols.resolversInSteps)
    yield* isEqual(unit, Symbols.dumpedFiles, Symbols.dumpedFilesInSteps)
  })
)

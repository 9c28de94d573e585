/** Tests of `diverge` with real programs whose place of divergence is known from their source, for each LLDB backend. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { compile, debugging, platform, Programs } from "../support/fixturePrograms.ts"

/** Two inputs, and what is found: marks of lines in the source. */
export interface Divergence {
  readonly name: string
  readonly good: string
  readonly bad: string
  /** The last common line, and the number of calls of its function. */
  readonly after: readonly [mark: string, calls: number]
  /** The lines where both went. */
  readonly ways: readonly [good: string, bad: string]
  readonly timeout?: string
}

/** The inputs that are tested with every change of the product. */
export const quickDivergences: ReadonlyArray<Divergence> = [
  { name: "a branch", good: "parse 1+2", bad: "parse 1+-2", after: ["minus", 2], ways: ["number", "sign"] }
]

/** All inputs. */
export const allDivergences: ReadonlyArray<Divergence> = [
  ...quickDivergences,
  { name: "a switch", good: "shape s", bad: "shape d", after: ["switch", 1], ways: ["square", "half"] },
  { name: "a recursion", good: "count 3", bad: "count 5", after: ["deepest", 4], ways: ["deepest", "deeper"] },
  { name: "a loop", good: "repeat 3", bad: "repeat 4", after: ["loop", 1], ways: ["after", "body"] },
  { name: "a crash", good: "crash good", bad: "crash bad", after: ["name", 1], ways: ["good", "null"] },
  {
    name: "a loop without an end",
    good: "spin 2",
    bad: "spin 5",
    after: ["spin", 1],
    ways: ["spun", "spinning"],
    timeout: "60s"
  },
  { name: "a branch without calls", good: "flag 3", bad: "flag 12", after: ["flag", 1], ways: ["flag", "found"] }
]

type Backend = "dap" | "lldb-cli"

/** Finds each divergence under one backend. */
export const divergenceTests = (backend: Backend, cases: ReadonlyArray<Divergence>): void => {
  layer(platform, { excludeTestServices: true, timeout: "180 seconds" })(`diverge under ${backend}`, (it) => {
    for (const { after, bad, good, name, timeout = "120s", ways } of cases) {
      const test = debugging(({ call, environment }) =>
        Effect.gen(function* () {
          const { directory, line } = yield* Programs
          const program = join(directory, "diverging")
          const mark = (of: string) => line("diverging.c", of)
          const { data } = yield* call("diverge", {
            good: `${program} ${good}`,
            bad: `${program} ${bad}`,
            backend,
            environment,
            timeout
          })
          const found = JSON.stringify(data)
          assert.strictEqual(data.divergence?.after.line, mark(after[0]), found)
          assert.strictEqual(data.divergence?.call, after[1], found)
          assert.isTrue(data.divergence?.narrowed, found)
          if (ways[0] !== after[0]) assert.strictEqual(data.divergence?.at.a.location?.line, mark(ways[0]), found)
          assert.strictEqual(data.divergence?.at.b.location?.line, mark(ways[1]), found)
          assert.deepStrictEqual(data.sessions, ["good", "bad"])
          for (const session of ["good", "bad"]) {
            const { data: context } = yield* call("context", { session })
            assert.strictEqual(context.location?.line, mark(after[0]), session)
          }
        })
      )
      it.effect(`finds ${name}`, () => test, 150_000)
    }
  })
}

/** Inputs in files and in the environment, and two runs whose paths are equal. */
export const otherTests = (backend: Backend): void => {
  const timeout = "120s"
  layer(platform, { excludeTestServices: true, timeout: "180 seconds" })(`diverge under ${backend}`, (it) => {
    it.effect("compares inputs and environments, and says what is equal", () =>
      debugging(({ call, environment, temporary }) =>
        Effect.gen(function* () {
          const { directory, line } = yield* Programs
          const program = join(directory, "diverging")
          const [good, bad] = [join(temporary, "good.txt"), join(temporary, "bad.txt")]
          writeFileSync(good, "7+1\n")
          writeFileSync(bad, "7+-1\n")
          const input = yield* call("diverge", {
            good: `${program} input`,
            good_input: good,
            bad_input: bad,
            backend,
            environment,
            keep: false,
            timeout
          })
          assert.strictEqual(input.data.divergence?.after.line, line("diverging.c", "minus"))
          assert.isUndefined(input.data.sessions)
          assert.isFalse(input.data.same_output)
          assert.deepStrictEqual((yield* call("sessions", {})).data.sessions, [])

          const formulas = yield* call("diverge", {
            good: `FORMULA=2 ${program} environment`,
            bad: `FORMULA=1 ${program} environment`,
            bad_env: ["FORMULA=3"],
            backend,
            environment,
            timeout
          })
          const { data } = formulas
          assert.isUndefined(data.divergence, JSON.stringify(data))
          // main, parse, number and two calls of is_digit.
          assert.strictEqual(data.entries, 5)
          assert.isAbove(data.lines, 10)
          assert.isFalse(data.same_output)
          assert.strictEqual(data.ends.a.exit_code, 0)
        })
      )
    )
  })
}

/** Reads the time, and takes another branch in every third run. */
const turning = `#include <stdio.h>
#include <time.h>
int main(int argc, char **argv)
{
  int runs = 0, way = argc;
  FILE *file = fopen(argv[1], "r+");
  if (fscanf(file, "%d", &runs) != 1 || time(0) == 1) return 2;
  rewind(file);
  fprintf(file, "%d", runs + 1);
  fclose(file);
  if (runs / 3 % 2)
    way = 1;
  else
    way = 2;
  return way < 0;
}
`

/** A program that does not repeat its path, one with threads, and two inputs that are the same. */
export const unclaimedTests = (backend: Backend): void => {
  const timeout = "120s"
  layer(platform, { excludeTestServices: true, timeout: "180 seconds" })(`diverge under ${backend}`, (it) => {
    it.effect("claims nothing of a program that does not repeat its path, and says where threads begin", () =>
      debugging(({ call, environment, temporary }) =>
        Effect.gen(function* () {
          const program = join((yield* Programs).directory, "diverging")
          const [first, second] = [join(temporary, "first.txt"), join(temporary, "second.txt")]
          writeFileSync(first, "0")
          writeFileSync(second, "1")
          const alternating = {
            good: `${program} alternate ${first}`,
            bad: `${program} alternate ${second}`,
            backend,
            environment,
            timeout
          }
          const differing = yield* Effect.flip(call("diverge", alternating))
          assert(differing._tag === "NotReproduced", differing.message)
          assert.include(differing.at, "function entry")
          const [source, clock] = [join(temporary, "turning.c"), join(temporary, "turning")]
          writeFileSync(source, turning)
          for (const file of [first, second]) writeFileSync(file, "1")
          yield* compile(source, clock)
          const runs = { good: `${clock} ${first}`, bad: `${clock} ${second}`, backend, environment, timeout }
          const reading = yield* Effect.flip(call("diverge", runs))
          assert.strictEqual(reading._tag, "NotReproduced", reading.message)
          assert.deepStrictEqual((yield* call("sessions", {})).data.sessions, [])
          const { data } = yield* call("diverge", {
            good: `${program} threads 3`,
            bad: `${program} threads 4`,
            backend,
            environment,
            timeout
          })
          assert.isUndefined(data.divergence)
          assert.match(data.left_out.join("; "), /a second thread runs/)
          const same = yield* Effect.flip(call("diverge", { good: program, backend, environment }))
          assert.strictEqual(same._tag, "Usage")
        })
      )
    )
  })
}

/**
 * Compares the backends dap and lldb-cli: the same operations on the same program must return the same answers, apart from
 * addresses, pids and texts of the debugger.
 *
 * Differences with a reason are in the table `differences`; each must occur, and docs/known-gaps.md must list it.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { readFileSync } from "node:fs"
import { differences, scenarios } from "./differentialScenarios.ts"
import { comparable, differing, type Scenario } from "./differentialQuestions.ts"
import { compile, debugging, platform, Programs } from "../support/fixturePrograms.ts"

/** The answers of one backend to one scenario. */
const answers = Effect.fnUntraced(function* (scenario: Scenario, backend: "dap" | "lldb-cli", program: string) {
  return yield* debugging((one) =>
    Effect.gen(function* () {
      const started = yield* one
        .start(program, { ...scenario.start, backend })
        .pipe(Effect.match({ onFailure: (failure) => ({ failure: { ...failure } }), onSuccess: (answer) => answer }))
      const rest = yield* Effect.forEach(scenario.steps, ({ ask }) => ask(one))
      return [started, ...rest].map((answer) => comparable(answer))
    })
  )
})

const built = Effect.fnUntraced(function* ({ name, program }: Scenario) {
  if (typeof program === "string") return program
  const fs = yield* FileSystem.FileSystem
  const { directory } = yield* Programs
  const file = `${name.replaceAll(/\W+/g, "_")}`
  yield* fs.writeFileString(`${directory}/${file}.${program.language}`, program.source)
  yield* compile(`${directory}/${file}.${program.language}`, `${directory}/${file}`)
  return file
})

/** The titles of the differences that docs/known-gaps.md lists. */
const told = (): ReadonlyArray<string> => {
  const text = readFileSync(new URL("../../../docs/known-gaps.md", import.meta.url), "utf8")
  const [, section = ""] = text.split("## Where the backends differ\n")
  return [...section.matchAll(/^\| (?!difference|-)(.*?) +\|/gm)].map(([, title = ""]) => title)
}

const occurred = new Set<string>()
let compared = 0

layer(platform, { excludeTestServices: true, timeout: "120 seconds" })("both backends answer the same", (it) => {
  for (const scenario of scenarios) {
    it.effect(scenario.name, () =>
      Effect.gen(function* () {
        const program = yield* built(scenario)
        const dap = yield* answers(scenario, "dap", program)
        const cli = yield* answers(scenario, "lldb-cli", program)
        const labels = ["start", ...scenario.steps.map(({ label }) => label)]
        const found = labels.flatMap((label, index) =>
          differing(dap[index], cli[index]).map((difference) => `${label} ${difference}`)
        )
        const unknown = found.filter((line) => {
          const known = differences.find(([, form]) => form.test(line))
          if (known !== undefined) occurred.add(known[0])
          return known === undefined
        })
        assert.deepStrictEqual(unknown, [])
        compared += 1
      })
    )
  }

  it.effect("but for the documented differences, all of which occur", ({ skip }) =>
    Effect.sync(() => {
      const titles = differences.map(([title]) => title)
      assert.deepStrictEqual(told(), titles)
      if (compared < scenarios.length) skip("not every scenario was compared")
      assert.deepStrictEqual(titles.toSorted(), [...occurred].toSorted())
    })
  )
})

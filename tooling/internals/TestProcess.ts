// Runs tests of the copy of the repository that contains this file, on request of `CopyTests`. One process runs the tests of
// many mutants, so that Vitest starts once and transforms each source once. Each run has a worker process of its own.
import { createVitest, type TestCase, type TestModule } from "vitest/node"
import type { Request, Results } from "./CopyTests.ts"

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")

const projectOf = (test: string) => /\.(process|live|matrix|long)\.test\.ts$/.exec(test)?.[1] ?? "unit"

const vitest = await createVitest("test", {
  watch: false,
  maxWorkers: 1,
  testTimeout: 60_000,
  hookTimeout: 60_000,
  reporters: [{}],
  onConsoleLog: () => false
})
await vitest.standalone()

const errorsOf = (task: TestCase | TestModule) => {
  const errors = "errors" in task ? task.errors() : (task.result().errors ?? [])
  return errors.map(({ message, stack }) => stack ?? message)
}

const run = async ({ changed, test, titles }: Request): Promise<Results> => {
  for (const file of changed) vitest.invalidateFile(file)
  if (titles.length === 0) vitest.resetGlobalTestNamePattern()
  else vitest.setGlobalTestNamePattern(new RegExp(titles.map(escaped).join("|")))
  const found = await vitest.globTestSpecifications([test])
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(
    found.filter(({ project }) => project.name === projectOf(test))
  )
  const tests = testModules.flatMap((file) => [...file.children.allTests()])
  const named = (state: string) => tests.filter((each) => each.result().state === state).map(({ fullName }) => fullName)
  const errors = [...testModules, ...tests].flatMap(errorsOf)
  return {
    passed: named("passed"),
    failed: named("failed"),
    output: [...errors, ...unhandledErrors.map(String)].join("\n").slice(0, 4000)
  }
}

process.on("message", (request: Request) => {
  void run(request).then(
    (results) => process.send?.(results),
    (error: unknown) => process.send?.({ passed: [], failed: [], output: String(error) } satisfies Results)
  )
})
process.on("disconnect", () => process.exit())
process.send?.("ready")

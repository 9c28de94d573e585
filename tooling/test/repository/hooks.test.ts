// Test files share the modules of their worker, so a module that several of them import is loaded once. What it does while it
// loads happens in one file only: a hook of Vitest would run at the end of that file, and later files would find what it removed.
import { assert, describe, it } from "@effect/vitest"
import { none, read, sources } from "./sources.ts"

/** Setup files, which Vitest loads again for each test file. */
const setupFiles = ["tooling/test/support/ownHome.ts"]

/** Programs that tests start as processes of their own. */
const isProgram = (path: string) => /\/test\/fixtures\//.test(path)

/** Hooks, and changes of what all files of a worker share, at the top level of a module. */
const atTopLevel = /^(?:(?:before|after)(?:All|Each)\(|process\.(?:on\w*|chdir|umask)\(|process\.env\b.*[^=!]=[^=])/

const violations = (path: string, text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .flatMap((line, index) =>
      atTopLevel.test(line) ? [`${path}:${index + 1} acts for one test file only: ${line}`] : []
    )

describe("modules that test files share", () => {
  it("register no hook and change nothing global while they load", () => {
    none(
      sources
        .filter((path) => /^(?:packages\/\w+|apps\/\w+|tooling)\/(?:test|src\/testing)\//.test(path))
        .filter((path) => !path.endsWith(".test.ts") && !setupFiles.includes(path) && !isProgram(path))
        .flatMap((path) => violations(path, read(path)))
    )
  })

  it("that do so are found", () => {
    for (const line of ["afterAll(() => {", "beforeEach(prepare)", "process.chdir(root)", 'process.env["A"] = "b"']) {
      assert.lengthOf(violations("a.ts", line), 1, line)
    }
    for (const line of ["  afterAll(() => {", 'const before = process.env["A"]', "export const afterAll = 1"]) {
      assert.lengthOf(violations("a.ts", line), 0, line)
    }
  })
})

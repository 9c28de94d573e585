// A file that a caller names is written in one place, `FileWriter`, which replaces none without permission. The exceptions write
// files that sigtrap itself named, or files whose content they change.
import { assert, describe, it } from "@effect/vitest"
import { none, read, sources } from "./sources.ts"

/** Modules that write in another way, with the reason. */
const exceptions: { readonly [path: string]: string } = {
  "packages/manager/src/model/FileWriter.ts": "the writer",
  "packages/manager/src/simulator/Defaults.ts": "the defaults of a project, which it edits",
  "packages/manager/src/session/OutputFiles.ts": "the output files of a simulator app, in a directory of its own",
  "packages/manager/src/operations/run/Bisect.ts": "the input of the next run, in a directory of its own",
  "packages/manager/src/operations/simulator/Simulator.ts": "opens the stream of an app to append to it",
  "packages/manager/src/launch/runners/JavaScriptFailures.ts": "what a test runner loads, in a directory of its own",
  "packages/manager/src/launch/runners/Python.ts": "the plugin of a test runner, in a directory of its own",
  "packages/backends/src/adapters/LaunchOptions.ts": "the stream of a program, which a shell would replace too",
  "packages/scenario/src/Runner.ts": "a scenario, whose expectations --update changes",
  "packages/scenario/src/SessionStart.ts": "the input of a scenario, in a directory of its own",
  "apps/cli/src/repl/History.ts": "the history of the prompt",
  "apps/cli/src/commands/SkillCommand.ts": "the skill of an agent, at its known place",
  "packages/backends/src/adapters/JsDebug.ts": "what Node loads, in the cache of the user",
  "apps/mcp/src/install/InstallCommand.ts": "the settings of an MCP client, which it edits",
  "apps/cli/src/answers.ts": "the file of answers of the build",
  "apps/mcp/src/answers.ts": "the file of answers of the build"
}

const writes =
  /\b(?:writeFileString|writeFileSync|writeFile|createWriteStream)\b|\b(?:fs|files)\.open\([^)]*flag: "[aw]/

const violations = (path: string, text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .flatMap((line, index) =>
      writes.test(line) && !/^\s*(?:\*|\/\/|\/\*)/.test(line)
        ? [`${path}:${index + 1} writes a file; use FileWriter, or give a reason in this test`]
        : []
    )

// The files of the host are those of the daemon and of the configuration, none of which a call names.
const product = sources.filter((path) => /^(?:packages|apps)\/(?!host\/)[^/]+\/src\//.test(path))

describe("files that a caller names", () => {
  it("are written by the writer, except where the reason is listed", () => {
    none(product.filter((path) => !(path in exceptions)).flatMap((path) => violations(path, read(path))))
  })

  it("are written in another way by every listed module", () => {
    const idle = Object.keys(exceptions).filter(
      (path) =>
        !product.includes(path) || (violations(path, read(path)).length === 0 && !path.endsWith("FileWriter.ts"))
    )
    assert.deepStrictEqual(idle, [])
  })
})

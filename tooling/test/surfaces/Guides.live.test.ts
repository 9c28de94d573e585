// Types every command in the console blocks of the guides and compares its output with what the guide shows. A guide whose
// tools do not run on this machine is left out, and the end of the run names the tools.
import { assert, describe, it } from "@effect/vitest"
import { Adapters, ClientLayers } from "@sigtrap/host"
import { ShellWords } from "@sigtrap/protocol"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as ScenarioRunner from "sigtrap/commands/ScenarioRunner"
import * as Tools from "../support/tools.ts"

const guides = fileURLToPath(new URL("../../../docs/guide/", import.meta.url))
const fixtures = fileURLToPath(new URL("../../fixtures/", import.meta.url))

const environment = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
)

interface Typed {
  readonly line: string
  readonly shown: ReadonlyArray<string>
}

/** The commands of a guide's console blocks, each with what is shown of its answer. */
const commandsOf = (text: string): ReadonlyArray<Typed> =>
  [...text.matchAll(/^```console\n(.*?)^```$/gms)].flatMap(([, block = ""]) =>
    block
      .split(/^\$ /m)
      .filter((part) => part !== "")
      .map((part) => {
        const [line = "", ...shown] = part.trimEnd().split("\n")
        return { line, shown }
      })
  )

/** Returns the tools that a guide needs and that do not run here. */
const missing = Effect.fnUntraced(function* (text: string) {
  const needs = /<!-- needs: (.*?) -->/.exec(text)?.[1]?.split(" ") ?? []
  const adapters = yield* Adapters.discover(environment)
  return needs.filter((name) => {
    const found = adapters.filter((one) => one.name === name)
    if (found.length === 0) return !Tools.isPresent(name, environment)
    // A debugger may be present and too old.
    return !Tools.recorded(
      `${name} as an adapter`,
      found.some((one) => one.path !== undefined && one.problem === undefined)
    )
  })
})

/** A line as it is shown, as a pattern: `…` is anything, and blanks are blanks. */
const pattern = (shown: string): RegExp =>
  new RegExp(
    shown
      .trim()
      .split("…")
      .map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&").replaceAll(/\s+/g, "\\s+"))
      .join(".*"),
    "u"
  )

const folder = Effect.acquireRelease(
  Effect.sync(() => {
    const directory = realpathSync(mkdtempSync(join(tmpdir(), "sigtrap-guide-")))
    for (const language of readdirSync(fixtures)) {
      if (!language.includes(".")) cpSync(join(fixtures, language), directory, { recursive: true })
    }
    return directory
  }),
  (directory) =>
    Effect.sync(() => {
      // What a guide puts into the background and did not come to end.
      for (const name of readdirSync(directory).filter((each) => each.endsWith(".pid"))) {
        typed(`kill -9 $(cat ${name})`, directory)
      }
      rmSync(directory, { recursive: true, force: true })
    })
)

describe("the guide", () => {
  // Those of simulators and of the MCP server show nothing that is typed here.
  const names = readdirSync(guides).filter((name) => commandsOf(readFileSync(join(guides, name), "utf8")).length > 0)
  it.live.each(names)("%s can be typed along", (name) =>
    Effect.gen(function* () {
      const text = readFileSync(join(guides, name), "utf8")
      const absent = yield* missing(text)
      if (absent.length > 0) return yield* Effect.logWarning(`${name} needs ${absent.join(", ")}`)
      const directory = yield* folder
      const run = (argv: ReadonlyArray<string>) =>
        ScenarioRunner.runLine({
          argv,
          directory,
          environment: { ...environment, SIGTRAP_CONFIG: join(directory, "no-config") }
        })
      const commands = commandsOf(text)
      assert.isAbove(commands.length, 3)
      for (const { line, shown } of commands) {
        const told = line.startsWith("sigtrap ")
          ? yield* run(ShellWords.split(line.replaceAll("$PWD", directory)).slice(1))
          : typed(line, directory)
        const answer = told.stdout + told.stderr
        assert.strictEqual(told.exit, 0, `${name}: ${line}\n${answer}`)
        for (const each of shown) assert.match(answer, pattern(each), `${name}: ${line}`)
      }
      const left = yield* run(["sessions", "--json"])
      assert.notMatch(left.stdout, /"state":"(?:running|stopped)"/, `${name} leaves a session`)
    }).pipe(Effect.provide(ClientLayers.layerIsolated))
  )
})

/** A line for the shell. What it leaves in the background does not hold it up. */
const typed = (line: string, cwd: string) => {
  const command = line.replace(/ & /, " > /dev/null 2>&1 & ")
  const { status, stderr, stdout } = spawnSync("/bin/sh", ["-c", command], { cwd, encoding: "utf8" })
  return { stdout, stderr, exit: status ?? 1 }
}

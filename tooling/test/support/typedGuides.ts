/** Types the console blocks of one guide in a folder with the fixtures, if its tools run on this machine. */
import { ClientLayers } from "@sigtrap/host"
import * as Adapters from "@sigtrap/host/Adapters"
import { Effect } from "effect"
import { cpSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { commandsOf, typeAlong, typed } from "./guides.ts"
import * as Tools from "./tools.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))
const fixtures = fileURLToPath(new URL("../../fixtures/", import.meta.url))

const environment = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
)

/** Returns the tools that a guide needs and that do not run here. */
const missing = Effect.fnUntraced(function* (text: string) {
  const needs = /<!-- needs: (.*?) -->/.exec(text)?.[1]?.split(" ") ?? []
  const adapters = yield* Adapters.discover(environment)
  return needs.filter((name) => {
    if (name === "watchpoints") return !Tools.hasWatchpoints()
    const found = adapters.filter((one) => one.name === name)
    if (found.length === 0) return !Tools.isPresent(name, environment)
    // A debugger may be present and too old.
    return !Tools.recorded(
      `${name} as an adapter`,
      found.some((one) => one.path !== undefined && one.problem === undefined)
    )
  })
})

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

/** Guides that start many debuggers, or slow ones: the long tests type them. */
export const slow = [
  "docs/guide/crash.md",
  "docs/guide/flaky-test.md",
  "docs/guide/hang.md",
  "docs/guide/go.md",
  "docs/guide/python.md",
  "docs/guide/two-inputs.md",
  "docs/guide/who-wrote-this.md"
]

/**
 * Returns the guides that show commands. That of simulators is typed by IosGuide.long.test.ts, that of the HTTP server by
 * HttpGuide.long.test.ts.
 */
export const names = (): ReadonlyArray<string> =>
  [
    "README.md",
    "apps/cli/README.md",
    "docs/troubleshooting.md",
    ...readdirSync(join(root, "docs/guide")).map((name) => `docs/guide/${name}`)
  ]
    .filter((path) => path !== "docs/guide/ios.md" && path !== "docs/guide/http.md")
    .filter((path) => commandsOf(readFileSync(join(root, path), "utf8")).length > 0)

/** Types a guide and compares each output with what the guide shows; warns if one of its tools does not run here. */
export const typeGuide = (name: string) =>
  Effect.gen(function* () {
    const text = readFileSync(join(root, name), "utf8")
    const absent = yield* missing(text)
    if (absent.length > 0) return yield* Effect.logWarning(`${name} needs ${absent.join(", ")}`)
    const directory = yield* folder
    yield* typeAlong(name, text, directory, environment)
  }).pipe(Effect.provide(ClientLayers.layerIsolated))

// Types every command in the console blocks of the guides and compares its output with what the guide shows. A guide whose
// tools do not run on this machine is left out, and the end of the run names the tools.
import { describe, it } from "@effect/vitest"
import { Adapters, ClientLayers } from "@sigtrap/host"
import { Effect } from "effect"
import { cpSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { commandsOf, typeAlong, typed } from "../support/guides.ts"
import * as Tools from "../support/tools.ts"

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

describe("the guide", () => {
  // That of the MCP server shows nothing that is typed; IosGuide.long.test.ts types that of simulators, HttpGuide.long.test.ts
  // that of the HTTP server.
  const paths = [
    "README.md",
    "docs/troubleshooting.md",
    ...readdirSync(join(root, "docs/guide")).map((name) => `docs/guide/${name}`)
  ]
  const names = paths
    .filter((path) => path !== "docs/guide/ios.md" && path !== "docs/guide/http.md")
    .filter((path) => commandsOf(readFileSync(join(root, path), "utf8")).length > 0)
  it.live.each(names)("%s can be typed along", (name) =>
    Effect.gen(function* () {
      const text = readFileSync(join(root, name), "utf8")
      const absent = yield* missing(text)
      if (absent.length > 0) return yield* Effect.logWarning(`${name} needs ${absent.join(", ")}`)
      const directory = yield* folder
      yield* typeAlong(name, text, directory, environment)
    }).pipe(Effect.provide(ClientLayers.layerIsolated))
  )
})

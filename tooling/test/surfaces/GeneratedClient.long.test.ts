/**
 * A TypeScript client that a generator of others makes from the OpenAPI document: it passes the type checker, and a program
 * that uses it runs the session of the README over HTTP.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Pack from "../../release/Pack.ts"
import { builtSigtrap } from "../support/builtSigtrap.ts"
import { platform } from "../support/fixturePrograms.ts"

const own = join(import.meta.dirname, "../../generated-client")

/** Installs the generator, unless this version of it is installed; returns its folder. */
const install = (): string => {
  const folder = join(Pack.root, "node_modules/.cache/generated-client")
  const isInstalled = ["package.json", "bun.lock"].every(
    (name) =>
      existsSync(join(folder, name)) &&
      readFileSync(join(folder, name), "utf8") === readFileSync(join(own, name), "utf8")
  )
  if (isInstalled && existsSync(join(folder, "node_modules/openapi-typescript"))) return folder
  rmSync(folder, { recursive: true, force: true })
  cpSync(own, folder, { recursive: true })
  const bun = join(Pack.root, "node_modules/.bin/bun")
  Pack.run(bun, ["install", "--frozen-lockfile", "--ignore-scripts", "--linker", "hoisted"], folder)
  return folder
}

/** The session of the README, with the generated types. */
const program = `
import createClient from "openapi-fetch"
import type { paths } from "./api.js"

const { PROGRAM = "", TOKEN = "", URL: baseUrl = "" } = process.env
const client = createClient<paths>({ baseUrl, headers: { Authorization: \`Bearer \${TOKEN}\` } })
const session = "generated"

const started = await client.POST("/v1/start", { body: { session, program: PROGRAM, break: ["app.c:14"], args: ["one", "two"] } })
console.log(started.data?.state, started.data?.data.location?.function, started.data?.data.location?.line)
const next = await client.POST("/v1/next", { body: { session, at_stop: 1 } })
console.log(next.data?.stop, next.data?.data.ran?.[0]?.line)
const printed = await client.POST("/v1/print", { body: { session, expressions: ["total", "items[i].score", "(int)items[i].score"] } })
for (const { name, value } of printed.data?.data.values ?? []) console.log(name, "=", value)
const stale = await client.POST("/v1/next", { body: { session, at_stop: 1 } })
console.log(stale.response.status, stale.error?.error.code)
await client.POST("/v1/breakpoint/remove", { body: { session, ids: [1] } })
const ended = await client.POST("/v1/continue", { body: { session } })
console.log(ended.data?.data.event, ended.data?.data.exit_code)
const stopped = await client.POST("/v1/stop", { body: { names: [session] } })
console.log(stopped.data?.ok)
const table = await client.GET("/v1/operations")
console.log(table.data?.operations.find(({ tag }) => tag === "next")?.tier)
`

/** What the program prints. */
const printed = `stopped sum_scores 14
2 14
total = 10
items[i].score = 10.5
(int)items[i].score = 10
409 STALE_STOP
exited 3
true
control
`

layer(platform, { excludeTestServices: true, timeout: "600 seconds" })("the OpenAPI document", (it) => {
  it.effect(
    "makes a client in TypeScript that runs the session of the README",
    () =>
      Effect.gen(function* () {
        const { directory, serve } = yield* builtSigtrap
        const { token, url } = yield* serve
        const folder = install()
        const headers = { authorization: `Bearer ${token}` }
        const document = yield* Effect.promise(async () => (await fetch(`${url}/openapi.json`, { headers })).text())
        const options = { strict: true, module: "nodenext", target: "es2023", types: ["node"] }
        const files = {
          "openapi.json": document,
          "main.ts": program,
          "tsconfig.json": JSON.stringify({ compilerOptions: options, files: ["main.ts"] })
        }
        for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
        const run = (script: string, ...args: ReadonlyArray<string>) =>
          Pack.run(process.execPath, [join("node_modules", script), ...args], folder)
        run("openapi-typescript/bin/cli.js", "openapi.json", "--output", "api.d.ts")
        run("typescript/bin/tsc", "--project", ".")
        const environment = { ...process.env, PROGRAM: join(directory, "app"), TOKEN: token, URL: url }
        assert.strictEqual(Pack.run(process.execPath, ["main.js"], folder, environment), printed)
      }).pipe(Effect.scoped),
    600_000
  )
})

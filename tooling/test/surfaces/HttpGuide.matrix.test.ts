// Types the guide of the HTTP server with the built command, a shell and curl.
import { assert, describe, it } from "@effect/vitest"
import { directory } from "@sigtrap/host/testing"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { copyFileSync, mkdirSync, readFileSync, symlinkSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Guides from "../support/guides.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))

/** Returns a port that is free now. */
const freePort = Effect.promise(
  () =>
    new Promise<number>((resolve) => {
      const server = createServer().listen(0, "127.0.0.1", () => {
        const address = server.address()
        server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
      })
    })
)

describe("the guide of the HTTP server", () => {
  it.live(
    "works as it is written",
    () =>
      Effect.gen(function* () {
        const folder = yield* directory
        const bin = join(folder, "bin")
        mkdirSync(bin)
        symlinkSync(join(root, "apps/cli/dist/sigtrap.js"), join(bin, "sigtrap"))
        copyFileSync(join(root, "tooling/fixtures/c/app.c"), join(folder, "app.c"))
        const env = {
          ...process.env,
          PATH: `${bin}:${process.env["PATH"] ?? ""}`,
          SIGTRAP_RUNTIME_DIR: join(folder, "run")
        }
        const shell = (line: string) => spawnSync("/bin/sh", ["-c", line], { cwd: folder, encoding: "utf8", env })
        yield* Effect.addFinalizer(() => Effect.sync(() => shell("sigtrap daemon stop --force")))
        const text = readFileSync(join(root, "docs/guide/http.md"), "utf8").replaceAll("4711", String(yield* freePort))
        for (const { line, shown } of Guides.commandsOf(text)) {
          const { stderr, stdout } = shell(line)
          for (const each of shown) assert.match(stdout + stderr, Guides.pattern(each), line)
        }
      }),
    60_000
  )
})

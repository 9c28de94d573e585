/**
 * The page in a real Chromium: the built command starts the server and makes the address, playwright-core drives the browser.
 */
import { directory } from "@sigtrap/host/testing"
import { Effect, type Scope } from "effect"
import { execFileSync, spawnSync } from "node:child_process"
import { copyFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core"
import { flags } from "../support/programs.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))

/** The browser that the tests open. */
export const program = "/usr/bin/chromium"

/** What Chromium needs on a machine without a screen and without a network. */
const args = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync"
]

/** The built command. */
export const command = join(root, "apps/cli/dist/sigtrap.js")

/** A folder with a program and the command, whose daemon ends with the scope. */
export const machine = Effect.gen(function* () {
  const folder = yield* directory
  const environment = { SIGTRAP_RUNTIME_DIR: join(folder, "run") }
  const env = { ...process.env, ...environment }
  /** Runs a command line; returns its output, with the errors. */
  const sigtrap = (...words: ReadonlyArray<string>): string => {
    const { stderr, stdout } = spawnSync(process.execPath, [command, ...words], {
      cwd: folder,
      encoding: "utf8",
      env
    })
    return stdout + stderr
  }
  yield* Effect.addFinalizer(() => Effect.sync(() => sigtrap("daemon", "stop", "--force")))
  const compile = (name: string) => {
    copyFileSync(join(root, `tooling/fixtures/c/${name}.c`), join(folder, `${name}.c`))
    execFileSync("cc", [...flags, `${name}.c`, "-o", name], { cwd: folder })
  }
  return { folder, environment, sigtrap, compile }
})

/** A browser that ends with the scope, with further arguments. */
export const browserWith = (...more: ReadonlyArray<string>): Effect.Effect<Browser, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() => chromium.launch({ executablePath: program, args: [...args, ...more] })),
    (opened) => Effect.promise(() => opened.close())
  )

/** A browser that ends with the scope. */
export const browser = browserWith()

/** What a page did that it must not do. */
export interface Watched {
  readonly page: Page
  /** Messages of the browser about the page: errors, and what its policy refused. */
  readonly messages: Array<string>
  /** Requests to another server. */
  readonly foreign: Array<string>
}

/** Opens a page at an address. */
export const open = (opened: Browser, url: string, options: BrowserContextOptions = {}) =>
  Effect.promise(async (): Promise<Watched> => {
    const context = await opened.newContext({ viewport: { width: 1280, height: 800 }, ...options })
    const page = await context.newPage()
    const { origin } = new URL(url)
    const watched: Watched = { page, messages: [], foreign: [] }
    page.on("pageerror", (error) => watched.messages.push(error.message))
    page.on("console", (message) => {
      // An answer that is an error, such as of a read at a stop that the program has left or that the debugger cannot do, is shown by the
      // page itself.
      const answer = /^Failed to load resource: the server responded with a status of (?:4|501|502)/.test(
        message.text()
      )
      if (message.type() === "error" && !answer) watched.messages.push(message.text())
    })
    page.on("request", (request) => {
      if (new URL(request.url()).origin !== origin) watched.foreign.push(request.url())
    })
    await page.goto(url)
    return watched
  })

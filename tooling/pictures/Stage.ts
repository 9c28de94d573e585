/**
 * A folder with programs, a daemon of its own, and a browser that opens the page in a size and a theme.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core"

const parentOf = (pid: string): string => execFileSync("ps", ["-o", "ppid=", "-p", pid], { encoding: "utf8" }).trim()

const root = fileURLToPath(new URL("../..", import.meta.url))

/** Where the programs of the pictures come from. */
const sources = [
  "tooling/fixtures/c/app.c",
  "tooling/fixtures/c/crash.c",
  "tooling/fixtures/c/flood.c",
  "tooling/fixtures/c/loop.c",
  "tooling/fixtures/c/threads.c",
  "tooling/pictures/collatz.c",
  "tooling/pictures/numbers.c"
]

/** A size of the page. */
export interface Format {
  readonly width: number
  readonly height: number
}

/** Everything that a picture needs. */
export interface Stage {
  readonly folder: string
  /** Runs a command line as a person; returns its output with the errors. */
  readonly person: (...words: ReadonlyArray<string>) => string
  /** Runs a command line as an agent. */
  readonly agent: (...words: ReadonlyArray<string>) => string
  /** Starts a command line of an agent, and does not wait for it. */
  readonly agentBegins: (...words: ReadonlyArray<string>) => void
  /** Opens the page of a session; of all sessions without a name. */
  readonly open: (format: Format, session?: string, more?: BrowserContextOptions, allow?: string) => Promise<Page>
  /** Closes the pages that are open. */
  readonly closePages: () => Promise<void>
  /** Kills the debugger of a program: the process that started the server which started the program. */
  readonly endDebugger: (pid: string) => void
  /** Stops the debugger of a program, so that it does not answer. */
  readonly holdDebugger: (pid: string) => void
  /** Ends the daemon, and so all sessions. */
  readonly endDaemon: () => void
  readonly close: () => Promise<void>
}

/** Makes the stage. */
export const make = async (): Promise<Stage> => {
  const folder = mkdtempSync(join(tmpdir(), "sigtrap-pictures-"))
  mkdirSync(join(folder, "run"), { mode: 0o700 })
  for (const source of sources) {
    const file = source.slice(source.lastIndexOf("/") + 1)
    copyFileSync(join(root, source), join(folder, file))
    execFileSync("cc", ["-g", "-O0", "-pthread", file, "-o", file.replace(/\.c$/, "")], { cwd: folder })
  }
  // A program that was built on another machine.
  execFileSync("cc", ["-g", "-O0", `-fdebug-prefix-map=${folder}=/build`, "app.c", "-o", "elsewhere"], { cwd: folder })
  copyFileSync(join(root, "tooling/fixtures/python/app.py"), join(folder, "app.py"))
  const env = { ...process.env, SIGTRAP_RUNTIME_DIR: join(folder, "run") }
  const command = join(root, "apps/cli/dist/sigtrap.js")
  const run =
    (more: { readonly [name: string]: string }) =>
    (...words: ReadonlyArray<string>) => {
      const options = { cwd: folder, encoding: "utf8", env: { ...env, ...more }, timeout: 60_000 } as const
      const { stderr, stdout } = spawnSync(process.execPath, [command, ...words], options)
      return stdout + stderr
    }
  const person = run({})
  const asAgent = { SIGTRAP_AS: "claude" }
  const browser: Browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
    env: { ...process.env, FONTCONFIG_FILE: join(root, "tooling/pictures/fonts.conf") }
  })
  const pages: Array<Page> = []
  const endDaemon = () => void person("daemon", "stop", "--force")
  return {
    folder,
    person,
    agent: run(asAgent),
    agentBegins: (...words) => {
      spawn(process.execPath, [command, ...words], { cwd: folder, env: { ...env, ...asAgent }, stdio: "ignore" })
    },
    open: async ({ height, width }, session, more = {}, allow = "evaluate,write") => {
      const words = session === undefined ? [] : ["--session", session]
      const address = person("web", "--print", ...words, "--allow", allow).trim()
      const context = await browser.newContext({
        viewport: { width, height },
        reducedMotion: "reduce",
        ...more
      })
      const page = await context.newPage()
      page.setDefaultTimeout(15_000)
      await page.goto(address)
      pages.push(page)
      return page
    },
    closePages: async () => {
      for (const page of pages.splice(0)) await page.context().close()
    },
    endDebugger: (pid) => void process.kill(Number(parentOf(parentOf(pid))), "SIGKILL"),
    holdDebugger: (pid) => void process.kill(Number(parentOf(parentOf(pid))), "SIGSTOP"),
    endDaemon,
    close: async () => {
      endDaemon()
      await browser.close()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

// The prompt as a person uses it: the built command in a pseudo-terminal, with a real debugger. Each step waits for the text that
// it expects.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { copyFileSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { sigtrap } from "../../src/typing.ts"

const fixture = (name: string) => fileURLToPath(new URL(`../../fixtures/c/${name}`, import.meta.url))
const driver = fileURLToPath(new URL("../support/terminal.py", import.meta.url))

/** A program that runs until it is paused, and writes. */
const spin = [
  "#include <stdio.h>",
  "#include <unistd.h>",
  "int main(void) {",
  "  int ticks = 0;",
  "  for (;;) {",
  '    printf("tick %d\\n", ticks++);',
  "    fflush(stdout);",
  "    usleep(50000);",
  "  }",
  "}",
  ""
].join("\n")

/** Longest wait for a text, in milliseconds. */
const limit = 60_000

const place = Effect.acquireRelease(
  Effect.sync(() => {
    const directory = realpathSync(mkdtempSync(join(tmpdir(), "sigtrap-repl-")))
    copyFileSync(fixture("app.c"), join(directory, "app.c"))
    writeFileSync(join(directory, "spin.c"), spin)
    for (const name of ["app", "spin"]) spawnSync("cc", ["-g", "-O0", "-o", name, `${name}.c`], { cwd: directory })
    const run = join(directory, "run")
    const env = { ...process.env, HOME: directory, XDG_STATE_HOME: "", SIGTRAP_RUNTIME_DIR: run, NO_COLOR: "1" }
    return { directory, env: { ...env, TERM: "xterm" } }
  }),
  ({ directory, env }) =>
    Effect.sync(() => {
      spawnSync(process.execPath, [sigtrap, "daemon", "stop", "--force"], { env })
      rmSync(directory, { recursive: true, force: true })
    })
)

/** A terminal: what was typed in it, and what it showed. */
class Screen {
  readonly #child: ChildProcess
  #text = ""
  #seen = 0
  #changed: () => void = () => {}

  constructor(child: ChildProcess) {
    this.#child = child
    child.stdout?.on("data", (text) => {
      this.#text += String(text)
      this.#changed()
    })
    child.once("exit", () => this.#changed())
  }

  /** Waits for a text after the last one that was waited for. */
  readonly shows = (expected: RegExp) =>
    Effect.callback<string>((resume) => {
      const look = () => {
        const rest = this.#text.slice(this.#seen)
        const found = expected.exec(rest)
        if (found === null) return
        this.#seen += found.index + found[0].length
        this.#changed = () => {}
        resume(Effect.succeed(rest.slice(0, found.index + found[0].length)))
      }
      this.#changed = look
      look()
    }).pipe(
      Effect.timeoutOrElse({
        duration: limit,
        orElse: () => Effect.die(`no ${String(expected)} in ${JSON.stringify(this.#text.slice(this.#seen))}`)
      })
    )

  readonly type = (text: string) => Effect.sync(() => void this.#child.stdin?.write(text))

  /** Types a line and waits for a text of its answer, and then for the prompt. */
  readonly line = (text: string, expected: RegExp) =>
    Effect.gen({ self: this }, function* () {
      yield* this.type(`${text}\r`)
      const shown = yield* this.shows(expected)
      yield* this.prompt
      return shown
    })

  get prompt() {
    return this.shows(/\(sigtrap\) /)
  }

  readonly exit = Effect.callback<number | null>((resume) => {
    this.#child.once("close", (code) => resume(Effect.succeed(code)))
  })
}

const open = (directory: string, env: NodeJS.ProcessEnv, ...words: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() => spawn("python3", [driver, process.execPath, sigtrap, "repl", ...words], { cwd: directory, env })),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  ).pipe(Effect.map((child) => new Screen(child)))

describe("the prompt", () => {
  it.live(
    "runs, repeats and completes commands, pauses the program, and keeps the session and the history",
    () =>
      Effect.gen(function* () {
        const { directory, env } = yield* place
        writeFileSync(join(directory, "commands"), "start ./app -b app.c:14 # as in a batch\n")
        const screen = yield* open(directory, env, "-x", "commands")
        assert.include(yield* screen.shows(/stopped #1 breakpoint 1/), "> start ./app -b app.c:14")
        yield* screen.prompt
        // TAB: a local, a function, a file, a key of a setting, an option.
        for (const [begun, rest] of [
          ["print tot", "al "],
          ["break sum_sc", "ores "],
          ["break ap", "p\\.c:"],
          ["config set output.cont", "ext "],
          ["next --time", "out "],
          ["breakp", "oint"]
        ] as const) {
          yield* screen.type(begun)
          yield* screen.shows(new RegExp(begun.slice(-2)))
          yield* screen.type("\t")
          yield* screen.shows(new RegExp(rest))
          yield* screen.type("\u0015")
          yield* screen.prompt
        }
        yield* screen.line("print total; print n", /total = 0\s+n = 3/)
        yield* screen.line("n", /stopped #2 step/)
        yield* screen.line("", /stopped #3 /)
        yield* screen.line("!version", /lldb version/)
        yield* screen.line("nosuch", /unknown command 'nosuch'/)
        yield* screen.line("print 'n", /a quote is not closed/)
        yield* screen.line("set password 'hunter2'", /error: /)
        // Another client's stop is shown above what is typed.
        yield* screen.type("print to")
        yield* screen.shows(/print to/)
        const next = spawn(process.execPath, [sigtrap, "next"], { cwd: directory, env })
        yield* screen.shows(/stopped #4 [^]*\(sigtrap\) print to/)
        yield* Effect.callback<void>(
          (resume) => void (next.exitCode === null ? next.once("exit", () => resume(Effect.void)) : resume(Effect.void))
        )
        yield* screen.type("tal\r")
        yield* screen.shows(/total = \d+/)
        yield* screen.prompt
        // What the prompt did is done by its client.
        yield* screen.line("stops", /start {2}cli:/)
        // Ctrl-C pauses the program while a command waits for it, and when the prompt is there.
        yield* screen.line("start --replace ./spin --break main", /stopped #1 breakpoint/)
        yield* screen.type("c\r")
        yield* screen.shows(/tick/)
        yield* screen.type("\u0003")
        yield* screen.shows(/stopped #2 pause/)
        yield* screen.prompt
        yield* screen.line("c --no-wait", /running/)
        // Output is shown above what is typed.
        yield* screen.type("pri")
        yield* screen.shows(/tick[^]*\(sigtrap\) pri/)
        yield* screen.type("\u0015")
        yield* screen.type("\u0003")
        yield* screen.shows(/stopped #3 pause/)
        yield* screen.prompt
        // So it does when another client resumed the program.
        spawnSync(process.execPath, [sigtrap, "continue", "--no-wait"], { cwd: directory, env })
        yield* screen.type("\u0003")
        yield* screen.shows(/stopped #4 pause/)
        yield* screen.prompt
        yield* screen.type("\u0004")
        yield* screen.shows(/session default stays; sigtrap repl default returns to it/)
        assert.strictEqual(yield* screen.exit, 0)
        const file = join(directory, ".local/state/sigtrap/history")
        const history = readFileSync(file, "utf8").split("\n")
        assert.include(history, "print total; print n")
        assert.notInclude(readFileSync(file, "utf8"), "hunter2")
        assert.strictEqual(statSync(file).mode & 0o777, 0o600)
        // Without a terminal: lines without a prompt, and the exit code of the last one that failed.
        const piped = (input: string, ...words: ReadonlyArray<string>) => {
          const { status, stderr, stdout } = spawnSync(process.execPath, [sigtrap, "repl", ...words], {
            cwd: directory,
            env,
            input,
            encoding: "utf8"
          })
          return { status, stderr, stdout }
        }
        assert.deepStrictEqual(piped("print 1+1\nprint nosuch\nprint 2+2\n", "default"), {
          status: 6,
          stdout: "1+1 = 2\n2+2 = 4\n",
          stderr:
            "error: no variable 'nosuch' in this frame [VARIABLE_NOT_FOUND]\nhint: sigtrap locals --session default\n"
        })
        assert.deepInclude(piped("", "-x", "nosuch.txt"), { status: 2, stdout: "" })
        assert.deepInclude(piped("stop\n"), { status: 0, stderr: "" })
      }),
    240_000
  )
})

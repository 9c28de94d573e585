/** Checks fake-xcrun against the recorded behaviour of simctl: texts, exit codes, file layout, apps. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { readFileSync, readdirSync, writeFileSync } from "node:fs"
import { calls } from "../../fake-xcrun/src/Seed.ts"
import { read } from "../../fake-xcrun/src/World.ts"
import { debugging, platform, Programs } from "../support/fixturePrograms.ts"
import { isAlive, phone, pidIn, ready, simulated, toolPath, until } from "./fakeMachine.ts"

const app = "com.example.app"
const options = { excludeTestServices: true, timeout: "60 seconds" } as const

const rowsOf = (list: string, bundle: string) =>
  list.split("\n").filter((line) => /^(\d+|-)\t-?\d+\tUIKitApplication:/.test(line) && line.includes(`:${bundle}[`))

layer(platform, options)("failures", (it) => {
  const envelope = (domain: string, code: number, ...lines: ReadonlyArray<string>) =>
    `An error was encountered processing the command (domain=${domain}, code=${code}):\n${lines.join("\n")}\n`
  const state = (line: string) => envelope("com.apple.CoreSimulator.SimError", 405, line)

  it.effect("have the texts and exit statuses of the table", () =>
    simulated((machine) =>
      Effect.gen(function* () {
        const fails = (words: ReadonlyArray<string>, exit: number, stderr: string) =>
          Effect.map(machine.simctl(...words), (ended) =>
            assert.deepStrictEqual({ ...ended, stdout: "" }, { exit, stdout: "", stderr }, words.join(" "))
          )
        const lookup = state("Unable to lookup in current state: Shutdown")
        for (const command of ["launch", "terminate", "uninstall", "get_app_container"])
          yield* fails([command, phone, app], 149, lookup)
        yield* fails(["install", phone, "/nowhere.app"], 149, lookup)
        yield* fails(["listapps", phone], 149, lookup)
        yield* fails(["shutdown", phone], 149, state("Unable to shutdown device in current state: Shutdown"))
        yield* fails(["boot", "NOPE"], 148, "Invalid device or device pair: NOPE\n")
        yield* fails(["launch", "NOPE", app], 148, "Invalid device: NOPE\n")
        yield* fails(["boot", phone.toLowerCase()], 148, `Invalid device or device pair: ${phone.toLowerCase()}\n`)
        yield* fails(["terminate", "booted", app], 148, "No devices are booted.\n")
        yield* fails(["nonsense"], 1, "Unrecognized subcommand: nonsense\n")
        yield* fails(["constructor"], 1, "Unrecognized subcommand: constructor\n")
        yield* machine.ok("boot", phone)
        yield* machine.ok("bootstatus", phone)
        yield* fails(["boot", phone], 149, state("Unable to boot device in current state: Booted"))
        yield* fails(["erase", phone], 149, state("Unable to erase contents and settings in current state: Booted"))
        yield* fails(["clone", phone, "copy"], 149, state("Unable to clone device in current state: Booted"))
        const refused = "FBSOpenApplicationServiceErrorDomain"
        yield* fails(
          ["launch", phone, app],
          4,
          envelope(
            refused,
            4,
            `Simulator device failed to launch ${app}.`,
            `Underlying error (domain=${refused}, code=4):`,
            `\tThe request to open "${app}" failed.`
          )
        )
        yield* fails(
          ["install", phone, "/nowhere.app"],
          2,
          envelope("NSPOSIXErrorDomain", 2, "lstat of /nowhere.app failed: No such file or directory")
        )
        yield* fails(
          ["openurl", phone, "nosuchscheme://x"],
          115,
          envelope("LSApplicationWorkspaceErrorDomain", 115, "Simulator device failed to open nosuchscheme://x.")
        )
        const strange = yield* machine.simctl("launch", "--never-seen", phone, app)
        assert.strictEqual(strange.exit, 70)
        assert.strictEqual(calls(machine.root).at(-1)?.exit, 70)
      })
    )
  )

  const fixtures = process.env["SIGTRAP_SIMCTL_FIXTURES"]
  it.effect("equal the captures byte for byte, if captures exist", () =>
    simulated((machine) =>
      Effect.gen(function* () {
        if (fixtures === undefined) return yield* Effect.log("SIGTRAP_SIMCTL_FIXTURES names no folder: not compared")
        interface Entry {
          readonly id: string
          readonly command: string
          readonly exitCode: number
          readonly stdout: string
          readonly stderr: string
          readonly xcode: string
        }
        const { entries } = read<{ readonly entries: ReadonlyArray<Entry> }>(`${fixtures}/failures.json`, {
          entries: []
        })
        assert.isNotEmpty(entries)
        const seen: Array<string> = []
        const other = "B2F1C6E0-5D0A-4B54-9A43-0C8F3E1D7A01"
        yield* machine.ok("boot", phone)
        yield* machine.ok("bootstatus", phone)
        const compare = (entry: Entry, device: string, words: ReadonlyArray<string>) =>
          Effect.map(machine.tool("xcrun", words), (ended) => {
            seen.push(entry.id)
            const stderr = entry.stderr.replace(/SimDevice\.[0-9A-F-]{36}/, `SimDevice.${device}`)
            assert.deepStrictEqual(
              { exit: ended.exit, stderr: ended.stderr },
              { exit: entry.exitCode, stderr },
              entry.id
            )
          })
        for (const entry of entries) {
          const words = entry.command.replace(/<program>|<devicetype>|<runtime>/, "x").split(" ")
          const device = entry.id.includes("shutdown") ? other : phone
          const given = words.flatMap((word) =>
            word === "<udid>" ? [device] : word === "..." ? (words[1] === "listapps" ? [] : [app]) : [word]
          )
          if (
            /^(terminate-not-running|launch-not-installed|boot-already-booted|erase-booted|clone-booted)$/.test(
              entry.id
            )
          )
            yield* compare(entry, device, given)
          if (
            /^(invalid-device|boot-invalid-device|get-app-container-missing|spawn-bad-program|openurl-)/.test(entry.id)
          )
            yield* compare(entry, device, given)
          if (/-on-shutdown-device$|^install-missing-path$|^shutdown-already|^unknown-sub/.test(entry.id))
            yield* compare(entry, device, given)
          if (entry.id === "xcrun-find-missing") yield* compare(entry, device, given.slice(1))
        }
        assert.isAtLeast(seen.length, 20, seen.join(" "))
        for (const [id, major, words] of [
          ["terminate-not-running-xcode14", "14.3", ["terminate", phone, app]],
          ["boot-already-booted-xcode9", "9.4", ["boot", phone]],
          ["install-missing-path-older", "15.4", ["install", phone, "/path/to/nope.app"]]
        ] as const) {
          const world = read<object>(`${machine.root}/world.json`, {})
          writeFileSync(
            `${machine.root}/world.json`,
            JSON.stringify({
              ...world,
              xcode: { version: major, build: "1A1", developerDir: "/X.app/Contents/Developer" }
            })
          )
          const entry = entries.find((one) => one.id === id)
          const ended = yield* machine.simctl(...words)
          assert.deepStrictEqual([ended.exit, ended.stderr], [entry?.exitCode, entry?.stderr], id)
        }
      })
    )
  )

  it.effect("repeats a captured list as it was printed, if captures exist", () =>
    simulated((machine) =>
      Effect.gen(function* () {
        if (fixtures === undefined) return yield* Effect.log("SIGTRAP_SIMCTL_FIXTURES names no folder: not compared")
        const names = readdirSync(fixtures).filter((name) => /^list-.*\.json$/.test(name))
        let exact = 0
        for (const name of names) {
          const text = readFileSync(`${fixtures}/${name}`, "utf8")
          writeFileSync(`${machine.root}/world.json`, text)
          const words = name.startsWith("list-full") ? ["list", "-j"] : ["list", "devices", "-j"]
          const printed = yield* machine.ok(...words)
          assert.deepStrictEqual(JSON.parse(printed), JSON.parse(text), name)
          // Some were laid out anew by those who published them.
          if (!/^\{\n {2}"\w+" : /.test(text) || !text.includes("\\/")) continue
          assert.strictEqual(printed.trimEnd(), text.trimEnd(), name)
          exact++
        }
        assert.isAtLeast(exact, 3)
      })
    )
  )
})

layer(platform, options)("an app", (it) => {
  it.effect("waits before main for a debugger, in each way, and runs into a breakpoint on its first line", () =>
    Effect.forEach(
      ["wait", "execstop", "shellstop"] as const,
      (hold) =>
        simulated(
          (machine) =>
            debugging(({ call }) =>
              Effect.gen(function* () {
                const { line, source } = yield* Programs
                yield* ready(machine)
                const out = `${machine.folder}/out`
                const printed = yield* machine.ok(
                  "launch",
                  "-w",
                  `--stdout=${out}`,
                  `--stderr=${out}.err`,
                  phone,
                  app,
                  "one"
                )
                const pid = pidIn(printed)
                assert.strictEqual(readFileSync(out, "utf8"), "", "no part of the program has run")
                assert.lengthOf(rowsOf(yield* machine.ok("spawn", phone, "launchctl", "list"), app), 1)
                const first = `${source("sim_app.c")}:${line("sim_app.c", "main")}`
                // In the shell the app's image is not mapped yet, as on a Mac.
                const pending = hold === "shellstop"
                yield* call("attach", {
                  pid,
                  pause: hold !== "wait",
                  break: [first],
                  pending,
                  environment: machine.environment
                })
                const isMain = Effect.map(call("context", {}), ({ data }) => data.location?.function === "main")
                if (hold === "wait") yield* call("wait", {})
                // A process that a signal stopped has extra stops before its first line.
                else for (let stops = 0; stops < 4 && !(yield* isMain); stops++) yield* call("continue", {})
                assert.isTrue(yield* isMain, hold)
                assert.strictEqual(readFileSync(out, "utf8"), "", "main has not printed yet")
                yield* call("continue", { wait: false })
                yield* until(out, "argument one\n")
                yield* call("stop", {})
                assert.match(readFileSync(out, "utf8"), /^hello from iPhone 17, greeting \(none\)\n/)
                assert.strictEqual(readFileSync(`${out}.err`, "utf8"), "warning: (none)\n")
              })
            ),
          { hold }
        ),
      { discard: true }
    )
  )

  it.effect(
    "gets only the variables passed for it, keeps its pid while it runs, and gets a new pid at the next launch",
    () =>
      simulated((machine) =>
        Effect.gen(function* () {
          yield* ready(machine)
          const out = `${machine.folder}/out`
          const started = yield* machine.tool("xcrun", ["simctl", "launch", `--stdout=${out}`, phone, app], {
            SIMCTL_CHILD_GREETING: "good day",
            SECRET: "1"
          })
          const pid = pidIn(started.stdout)
          yield* until(out, "greeting good day")
          const environ = readFileSync(`/proc/${pid}/environ`, "utf8")
          assert.notInclude(environ, "SECRET")
          assert.deepStrictEqual(calls(machine.root).at(-1)?.env, { SIMCTL_CHILD_GREETING: "good day" })
          assert.strictEqual(pidIn(yield* machine.ok("launch", phone, app)), pid)
          const next = pidIn(yield* machine.ok("launch", "--terminate-running-process", phone, app))
          assert.notStrictEqual(next, pid)
          assert.isFalse(isAlive(pid))
          yield* machine.ok("terminate", phone, app)
          assert.isFalse(isAlive(next))
          assert.strictEqual((yield* machine.simctl("terminate", phone, app)).exit, 3)
          assert.lengthOf(rowsOf(yield* machine.ok("spawn", phone, "launchctl", "list"), app), 0)
          const last = pidIn(yield* machine.ok("launch", phone, app))
          yield* machine.ok("shutdown", phone)
          assert.isFalse(isAlive(last), "a shutdown ends it")
        })
      )
  )

  it.effect("keeps an install waiting while it waits for its debugger", () =>
    simulated((machine) =>
      Effect.gen(function* () {
        yield* ready(machine)
        yield* machine.ok("launch", "-w", phone, app)
        const again = yield* Effect.forkChild(machine.simctl("install", phone, `${machine.folder}/apps/app.app`))
        const running = Effect.sync(() => readdirSync(`${machine.root}/running`).length)
        yield* Effect.repeat(running, { until: (count) => count === 1 })
        // Calls that come later are through while it waits.
        for (const _ of [1, 2, 3]) yield* machine.ok("list", "devices")
        assert.notStrictEqual(calls(machine.root).at(-1)?.argv[2], "install")
        yield* machine.ok("terminate", phone, app)
        assert.strictEqual((yield* Fiber.join(again)).exit, 0)
        const named = (name: string) => calls(machine.root).findLast(({ argv }) => argv[2] === name)
        const [install, terminate] = [named("install"), named("terminate")]
        const from = Date.parse(terminate?.time ?? "")
        assert.isAtLeast(
          Date.parse(install?.time ?? "") + (install?.ms ?? 0),
          from,
          "it ended after the app was terminated"
        )
        assert.isBelow(install?.seq ?? Infinity, terminate?.seq ?? 0)
      })
    )
  )

  it.effect("prints into the log, which is followed until it is killed", () =>
    simulated((machine) =>
      Effect.gen(function* () {
        yield* ready(machine)
        yield* machine.ok("launch", phone, app)
        const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
        const predicate = 'process == "app"'
        const words = ["simctl", "spawn", phone, "log", "stream", "--style", "ndjson", "--predicate", predicate]
        const lines = yield* Effect.scoped(
          Effect.gen(function* () {
            const handle = yield* spawner.spawn(
              ChildProcess.make(toolPath("xcrun"), words, { env: machine.environment, extendEnv: false })
            )
            return yield* handle.stdout.pipe(Stream.decodeText(), Stream.splitLines, Stream.take(3), Stream.runCollect)
          })
        )
        assert.strictEqual(lines[0], `Filtering the log data using "${predicate}"`)
        assert.match(lines[1] ?? "", /"eventMessage":"count=\d+"/)
      })
    )
  )
})

layer(platform, options)("many calls at once", (it) => {
  it.effect("get distinct numbers, are all recorded, and start an app once", () =>
    simulated((machine) =>
      Effect.gen(function* () {
        yield* ready(machine)
        const before = calls(machine.root).length
        const names = Array.from({ length: 8 }, (_, index) => `Phone ${index}`)
        const made = yield* Effect.forEach(names, (name) => machine.ok("create", name, "iPhone 17", "iOS 26.4"), {
          concurrency: 8
        })
        assert.lengthOf(new Set(made), 8)
        const list = yield* machine.ok("list", "devices", "-j")
        for (const name of names) assert.include(list, `"name" : "${name}"`)
        const numbers = calls(machine.root).map(({ seq }) => seq)
        assert.deepStrictEqual(
          numbers.toSorted((a, b) => a - b),
          numbers.map((_, index) => index + 1)
        )
        assert.lengthOf(numbers, before + 9)
      })
    )
  )
})

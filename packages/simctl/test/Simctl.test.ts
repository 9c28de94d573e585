// Calls of a scripted simctl: arguments, classification of answers, and timeouts.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Queue, Simctl } from "../src/index.ts"
import { script, type Answer, type Script } from "./support.ts"

const udid = "0A1B2C3D-0000-4000-8000-00000000000A"
const app = "com.example.notes"

const options = { xcrun: "/tools/xcrun", environment: { DEVELOPER_DIR: "/Xcode" } }

const on = <A, E, R>(machine: Script, use: (simctl: Simctl.Simctl) => Effect.Effect<A, E, R>, more = {}) =>
  Effect.flatMap(Simctl.Simctl, use).pipe(
    Effect.provide(Simctl.layer({ ...options, ...more })),
    Effect.provide(machine.layer)
  )

const refusal = (domain: string, code: number, text: string, exit = code & 255): Answer => ({
  exit,
  stderr: `An error was encountered processing the command (domain=${domain}, code=${code}):\n${text}\n`
})
const inState = (verb: string, state: string) =>
  refusal("com.apple.CoreSimulator.SimError", 405, `Unable to ${verb} in current state: ${state}`)
const denied = refusal("FBSOpenApplicationServiceErrorDomain", 1, "It was denied.")

const devices = (state: string) =>
  JSON.stringify({
    devices: { "com.apple.CoreSimulator.SimRuntime.iOS-26-4": [{ udid, name: "Phone", state, isAvailable: true }] }
  })

/** Returns the arguments of `simctl` in each call. */
const words = ({ calls }: Script) => calls.map(({ args }) => args.slice(1).join(" "))

describe("a call", () => {
  it.effect("passes the environment, the app's variables with their prefix, and every argument unchanged", () =>
    Effect.gen(function* () {
      const machine = script(() => ({ stdout: `noise\n${app}: 17\n${app}.widget: 18\n` }))
      const launch = { args: ["--flag", "a b", "$(x)"], env: { MODE: "1;2" }, waitForDebugger: true, stdout: "/o ut" }
      assert.strictEqual(yield* on(machine, (simctl) => simctl.launch(udid, app, launch)), 17)
      const [call] = machine.calls
      assert.strictEqual(call?.command, "/tools/xcrun")
      assert.deepStrictEqual(call?.args, [
        "simctl",
        "launch",
        "--wait-for-debugger",
        "--stdout=/o ut",
        udid,
        app,
        "--flag",
        "a b",
        "$(x)"
      ])
      assert.deepStrictEqual(call?.env, { DEVELOPER_DIR: "/Xcode", SIMCTL_CHILD_MODE: "1;2" })
    })
  )

  it.effect("names another device set before the subcommand", () =>
    Effect.gen(function* () {
      const machine = script(() => ({ stdout: devices("Shutdown") }))
      yield* on(machine, (simctl) => simctl.devices, { deviceSet: "/set" })
      assert.deepStrictEqual(machine.calls[0]?.args, ["simctl", "--set", "/set", "list", "-j"])
    })
  )

  it.effect("waits for the call before it", () =>
    Effect.gen(function* () {
      const machine = script(() => ({}))
      yield* on(machine, (simctl) =>
        Effect.all([simctl.erase(udid), simctl.delete(udid), simctl.openUrl(udid, "x:")], { concurrency: 3 })
      )
      assert.strictEqual(machine.calls.length, 3)
      assert.strictEqual(machine.running.most, 1)
    })
  )

  it.effect("that hangs is killed at its timeout and leaves the queue", () =>
    Effect.gen(function* () {
      let hung = true
      const machine = script(() => (hung ? { hangs: true } : { stdout: devices("Booted") }))
      yield* on(machine, (simctl) =>
        Effect.gen(function* () {
          const first = yield* Effect.forkChild(Effect.flip(simctl.list))
          yield* TestClock.adjust("15 seconds")
          const failure = yield* Fiber.join(first)
          assert.deepInclude(failure, { _tag: "TimedOut", millis: 15_000, command: "xcrun simctl list -j" })
          assert.strictEqual(machine.running.now, 0)
          hung = false
          assert.strictEqual((yield* simctl.devices)[0]?.state, "Booted")
        })
      )
    })
  )

  it.effect("that waits in the queue has its whole timeout when it starts", () =>
    Effect.gen(function* () {
      const machine = script(() => ({ hangs: true }))
      yield* on(machine, (simctl) =>
        Effect.gen(function* () {
          const first = yield* Effect.forkChild(Effect.flip(simctl.install(udid, "/App.app")), {
            startImmediately: true
          })
          const second = yield* Effect.forkChild(Effect.flip(simctl.list), { startImmediately: true })
          yield* TestClock.adjust("120 seconds")
          assert.deepInclude(yield* Fiber.join(first), { _tag: "TimedOut", millis: 120_000 })
          assert.strictEqual(machine.running.now, 1)
          yield* TestClock.adjust("15 seconds")
          assert.deepInclude(yield* Fiber.join(second), { _tag: "TimedOut", millis: 15_000 })
        })
      )
    })
  )

  it.effect("with a timeout of the caller times out in the queue, and names the running call", () =>
    Effect.gen(function* () {
      const machine = script(() => ({ hangs: true }))
      const queue = yield* Queue.make
      const long = yield* Effect.forkChild(
        on(machine, (simctl) => simctl.erase(udid), { queue }),
        {
          startImmediately: true
        }
      )
      const short = yield* Effect.forkChild(
        Effect.flip(on(machine, (simctl) => simctl.list, { queue, deadline: 1000 })),
        { startImmediately: true }
      )
      yield* TestClock.adjust("1 second")
      const failure = yield* Fiber.join(short)
      assert.deepInclude(failure, { _tag: "TimedOut", millis: 1000, blockedBy: `simctl erase ${udid}` })
      assert.strictEqual(machine.calls.length, 1)
      yield* Fiber.interrupt(long)
    })
  )

  it.effect("that is interrupted leaves no process", () =>
    Effect.gen(function* () {
      const machine = script(() => ({ hangs: true }))
      yield* on(machine, (simctl) =>
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(simctl.list, { startImmediately: true })
          yield* Effect.yieldNow
          assert.strictEqual(machine.running.now, 1)
          assert.isTrue(Exit.isFailure(yield* Effect.exit(Effect.andThen(Fiber.interrupt(fiber), Fiber.join(fiber)))))
          assert.strictEqual(machine.running.now, 0)
        })
      )
    })
  )

  it.effect("is retried once if the service was unavailable", () =>
    Effect.gen(function* () {
      const machine = script(() => ({ exit: 1, stderr: "Unable to locate device set\n" }))
      const failing = yield* Effect.forkChild(Effect.flip(on(machine, (simctl) => simctl.list)))
      yield* TestClock.adjust("10 seconds")
      assert.deepInclude(yield* Fiber.join(failing), { _tag: "ServiceUnavailable", sandboxed: false })
      assert.strictEqual(machine.calls.length, 2)
    })
  )

  it.effect("that dies by a signal has the exit status 128 + n", () =>
    Effect.gen(function* () {
      const machine = script(() => ({ signal: "SIGSEGV" }))
      assert.strictEqual((yield* Effect.flip(on(machine, (simctl) => simctl.list))).exit, 139)
    })
  )
})

describe("booting", () => {
  const status = (stdout: string) => (args: ReadonlyArray<string>) =>
    args.includes("bootstatus")
      ? { stdout }
      : args.includes("boot")
        ? inState("boot device", "Booted")
        : { stdout: devices("Shutdown") }
  const record = (status: string, terminal: string, text: string) =>
    `[2026-01-02 03:04:05 +0000] Status=${status}, isTerminal=${terminal}, Elapsed=00:01.\n\t${text}\n\n`

  it.effect("ends with the last record, also if another process booted the device", () =>
    Effect.gen(function* () {
      const text = record("1", "NO", "Waiting on BackBoard") + record("4294967295", "YES", "Finished")
      const machine = script(status(text))
      assert.deepStrictEqual(yield* on(machine, (simctl) => simctl.bootReady(udid)), { already: false })
      assert.deepStrictEqual(words(machine), ["list -j", `boot ${udid}`, `bootstatus ${udid}`])
    })
  )

  for (const [text, detail] of [
    [record("3", "YES", "Data Migration Failed"), "Data Migration Failed"],
    [record("1", "NO", "Waiting on BackBoard"), "still starting: Waiting on BackBoard"],
    ["", "still starting: "]
  ] as const) {
    it.effect(`has failed with exit status 0: ${detail}`, () =>
      Effect.gen(function* () {
        const failure = yield* Effect.flip(on(script(status(text)), (simctl) => simctl.bootReady(udid)))
        assert.deepInclude(failure, { _tag: "BootFailed", detail })
      })
    )
  }

  it.effect("starts when the device has finished shutting down", () =>
    Effect.gen(function* () {
      let looks = 0
      const machine = script((args) =>
        args.includes("list")
          ? { stdout: devices(++looks < 4 ? "Shutting Down" : "Shutdown") }
          : { stdout: "Device already booted, nothing to do." }
      )
      const booting = yield* Effect.forkChild(on(machine, (simctl) => simctl.bootReady(udid)))
      for (let step = 0; step < 10; step++) yield* TestClock.adjust("500 millis")
      yield* Fiber.join(booting)
      assert.isBelow(words(machine).lastIndexOf("list -j"), words(machine).indexOf(`boot ${udid}`))
    })
  )
})

describe("apps", () => {
  it.effect("are launched again if SpringBoard is busy, at most three times", () =>
    Effect.gen(function* () {
      const machine = script(() => denied)
      const failing = yield* Effect.forkChild(Effect.flip(on(machine, (simctl) => simctl.launch(udid, app, {}))))
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Fiber.join(failing))._tag, "LaunchDenied")
      assert.strictEqual(machine.calls.length, 4)
    })
  )

  it.effect("that were refused are looked up, because the refusal is the same for an app that is not installed", () =>
    Effect.gen(function* () {
      const missing = (there: boolean) => (args: ReadonlyArray<string>) =>
        args.includes("launch")
          ? refusal("FBSOpenApplicationServiceErrorDomain", 4, "The request to open failed.")
          : there
            ? { stdout: "/App.app" }
            : refusal("NSPOSIXErrorDomain", 2, "No such file or directory")
      const launch = (there: boolean) =>
        Effect.flip(on(script(missing(there)), (simctl) => simctl.launch(udid, app, {})))
      assert.strictEqual((yield* launch(true))._tag, "LaunchRefused")
      assert.strictEqual((yield* launch(false))._tag, "AppNotInstalled")
    })
  )

  it.effect("that do not run count as terminated, and devices that are shut down as shut down", () =>
    Effect.gen(function* () {
      const ended = script(() => refusal("NSPOSIXErrorDomain", 3, "found nothing to terminate"))
      assert.deepStrictEqual(yield* on(ended, (simctl) => simctl.terminate(udid, app)), { already: true })
      const off = script(() => inState("shutdown device", "Shutdown"))
      assert.deepStrictEqual(yield* on(off, (simctl) => simctl.shutdown(udid)), { already: true })
      const shut = script(() => inState("lookup", "Shutdown"))
      assert.deepInclude(yield* Effect.flip(on(shut, (simctl) => simctl.terminate(udid, app))), {
        _tag: "NotBooted",
        state: "Shutdown"
      })
    })
  )

  it.effect("have the pid of the process that runs from the device, not that of another process", () =>
    Effect.gen(function* () {
      const row = (pid: string, id: string) => `${pid}\t0\tUIKitApplication:${id}[1a2b][rb-legacy]\n`
      const list = `PID\tStatus\tLabel\n${row("30", `${app}.widget`)}${row("-", app)}${row("31", app)}${row("32", app)}`
      const process = (pid: number, path: string) => `${pid} Mon Jan  5 10:00:00 2026 ${path}\n`
      const machine = script((args, { command }) =>
        command === "/bin/ps"
          ? { stdout: process(31, "/usr/sbin/cupsd") + process(32, `/Devices/${udid}/data/Notes.app/Notes -x`) }
          : { stdout: args.includes("spawn") ? list : "{}" }
      )
      assert.deepStrictEqual(yield* on(machine, (simctl) => simctl.pids(udid, app)), [32])
    })
  )

  it.effect("and new devices are identified by the last line that is a UDID", () =>
    Effect.gen(function* () {
      const machine = script(() => ({ stdout: `No runtime specified, using 'iOS'\n${udid}\n` }))
      assert.strictEqual(yield* on(machine, (simctl) => simctl.create("Phone", "iPhone 17")), udid)
      const silent = script(() => ({ stdout: "" }))
      assert.strictEqual((yield* Effect.flip(on(silent, (simctl) => simctl.clone(udid, "x"))))._tag, "GarbageOutput")
    })
  )

  it.effect("an unknown value of the user interface is an error although the exit status is 0", () =>
    Effect.gen(function* () {
      const machine = script(() => ({ stderr: "Invalid argument 'blue'\n" }))
      const failure = yield* Effect.flip(on(machine, (simctl) => simctl.ui(udid, "appearance", "blue")))
      assert.strictEqual(failure._tag, "Other")
    })
  )

  it.effect("a log is streamed line by line, and its process ends with the stream", () =>
    Effect.gen(function* () {
      const machine = script(() => ({ stdout: "one\ntwo\nthree\n" }))
      const lines = yield* on(machine, (simctl) => Stream.runCollect(Stream.take(simctl.log(udid, {}), 2)))
      assert.deepStrictEqual(lines, ["one", "two"])
      assert.strictEqual(machine.running.now, 0)
    })
  )
})

/** The lldb-cli backend with a scripted driver: its commands, their order, and the events. */
import { assert, describe, it } from "@effect/vitest"
import { Lldb, type Notice, Variables } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import type { Event } from "@sigtrap/protocol"
import { Deferred, Effect, Exit, Result } from "effect"
import { platform } from "../support.ts"
import * as Backends from "../../src/Backends.ts"
import { BreakpointIds } from "../../src/console/BreakpointIds.ts"
import * as DapEvents from "../../src/dap/events/Events.ts"
import * as Console from "../../src/lldb-cli/Console.ts"
import * as Display from "../../src/console/lldb/values/Display.ts"
import * as Events from "../../src/lldb-cli/Events.ts"
import * as Targets from "../../src/lldb-cli/Targets.ts"
import * as Values from "../../src/lldb-cli/Values.ts"
import * as LldbDap from "../../src/adapters/LldbDap.ts"

type Reply = (command: string) => string

/** A driver whose answers a function returns; an answer that begins with `error:` is a failure. */
const scripted = (reply: Reply) => {
  const sent: Array<string> = []
  const lldb: Lldb.Lldb = {
    version: { major: 19, text: "19.1.7" },
    pid: 1,
    marker: "none",
    python: Effect.succeed(false),
    run: (command, { around = [] } = {}) =>
      Effect.suspend(() => {
        const [before, after] = around
        sent.push(...[before, command, after].filter((line) => line !== undefined))
        const output = reply(command)
        return output.startsWith("error:")
          ? Effect.fail(new Lldb.CommandFailed({ command, text: output, output: "" }))
          : Effect.succeed({ output, errors: "" })
      }),
    onNotice: () => () => undefined,
    interrupt: Effect.void,
    lost: Effect.never,
    stderrTail: () => "",
    closeInput: Effect.void
  }
  return {
    lldb,
    sent,
    console: Console.make(lldb, { during: (_, request) => request, heard: () => undefined }, 30_000)
  }
}

/** The frame with this number of the thread with that number. */
const frame = (thread: number, index: number) => thread * 2 ** 19 + index

describe("the console", () => {
  it.effect("selects thread and frame only when they change, and again after a stop", () =>
    Effect.gen(function* () {
      const { console, sent } = scripted(() => "")
      yield* console.text("a", frame(1, 0))
      yield* console.text("b", frame(1, 0))
      yield* console.text("c", frame(1, 2))
      console.forgetSelection()
      yield* console.text("d", frame(1, 2))
      const first = ["thread select 1", "frame select 0", "a", "b", "frame select 2", "c"]
      assert.deepStrictEqual(sent, [...first, "thread select 1", "frame select 2", "d"])
    })
  )

  it.effect("runs groups of commands without others between them", () =>
    Effect.gen(function* () {
      const { console, sent } = scripted(() => "")
      const asked = [
        console.surrounded(["a1", "a2", "a3"]),
        console.surrounded(["b1", "b2", "b3"], frame(2, 1)),
        console.text("c")
      ]
      yield* Effect.all(asked, { concurrency: "unbounded", discard: true })
      assert.strictEqual(sent.join(" "), "a1 a2 a3 thread select 2 frame select 1 b1 b2 b3 c")
    })
  )

  it.effect("does not treat a message about debug information as a failure of the command", () =>
    Effect.gen(function* () {
      const { console } = scripted((command) =>
        command === "p" ? "error: app 0x00002347: DW_TAG_member 'x' refers to type 0x0ee" : "error: invalid process"
      )
      assert.strictEqual(yield* console.command("p"), "")
      const failed = yield* Effect.flip(console.command("frame variable -- x"))
      assert.deepInclude(failed, { _tag: "AdapterError", command: "frame variable", detail: "invalid process" })
    })
  )
})

/** A translator and the events that it emitted. */
const heard = () => {
  const events: Array<Event.Event> = []
  const listener: Backend.Listener = {
    emit: (event) => void events.push(event),
    spawned: () => Effect.void,
    placed: () => undefined
  }
  const ids = new BreakpointIds()
  const translator = new DapEvents.Translator({
    listener,
    drain: () => undefined,
    quirks: () => LldbDap.quirks(19),
    ids,
    stopOnEntry: false,
    onTerminated: () => undefined
  })
  return { translator, listener, ids, events }
}

const thread = (index: number, tid: number, reason: string) =>
  `  \u001e${index}\u001f${tid}\u001f${reason}\u001f0x10\u001f/app\u001fmain\u001f/app.c\u001f3\u001f\u001f`

/** Processes notices up to a detach. */
const processed = (threads: ReadonlyArray<string>, notices: ReadonlyArray<Notice.Notice>, focus?: number) =>
  Effect.gen(function* () {
    const { console } = scripted((command) => (command === "thread list" ? threads.join("\n") : ""))
    const { events, ids, listener, translator } = heard()
    ids.set(7, 1, true)
    const over = yield* Deferred.make<void>()
    const worked = yield* Events.make({
      console,
      events: translator,
      listener,
      ids,
      reportsStops: () => true,
      unreportedStop: () => undefined,
      resolved: Effect.void,
      prologues: {
        isLibraryStop: () => false,
        loaded: Effect.succeed(true),
        completeStep: () => Effect.succeed(false),
        seen: (stack) => stack,
        addressOf: () => undefined,
        forget: () => undefined,
        corrected: (values) => values
      },
      stepEnds: { resuming: () => Effect.void, landed: () => undefined },
      beforeStop: () => undefined,
      stopped: () => undefined,
      detached: () => Deferred.doneUnsafe(over, Exit.void)
    })
    if (focus !== undefined) worked.resumed(focus)
    for (const notice of notices) worked.take(notice)
    worked.take({ kind: "detached", pid: 1 })
    yield* Deferred.await(over)
    return events
  }).pipe(Effect.scoped)

describe("notices", () => {
  const stopped: Notice.Notice = { kind: "stopped", pid: 1, thread: 1, tid: 10, reason: "breakpoint 1.1" }

  it.effect("of a stop report every thread that has a reason, the resumed thread first", () =>
    Effect.gen(function* () {
      const threads = [thread(1, 10, "breakpoint 1.1"), thread(2, 11, ""), thread(3, 12, "step over")]
      const events = yield* processed(threads, [stopped], 12)
      assert.deepStrictEqual(
        events.map((event) =>
          event._tag === "Stopped" ? [event.thread, event.reason, event.breakpoints, event.focus] : [event._tag]
        ),
        [
          [12, "step", [], true],
          [10, "breakpoint", [7], false]
        ]
      )
    })
  )

  it.effect("before the program's end keep their order, and a stop without a thread list is reported", () =>
    Effect.gen(function* () {
      const events = yield* processed([], [{ kind: "resumed", pid: 1 }, stopped, { kind: "exited", pid: 1, status: 3 }])
      assert.deepStrictEqual(
        events.map(({ _tag }) => _tag),
        ["Continued", "Stopped", "Exited"]
      )
      const ended = events.at(-1)
      assert(ended?._tag === "Exited" && ended.exit_code === 3)
    })
  )
})

describe("the commands of a launch", () => {
  const base = { program: "/bin/app", args: [], cwd: "/tmp", env: {}, stopOnEntry: false }
  const streams = {
    input: "/p/in",
    output: "/p/out",
    error: "/p/err",
    holders: Effect.succeed([]),
    drain: () => undefined,
    write: () => Effect.void,
    closeInput: Effect.void
  }
  const own = { PATH: "/bin", HOME: "/h" }
  const commandsOf = (launch: Backend.LaunchRequest) => Targets.commands(launch, own, streams, 19)

  it("never share LLDB's input with the program, and quote every argument", () => {
    const made = Result.getOrThrow(commandsOf({ ...base, args: ["-x", 'a "b"', ""], env: { A: "`1`" }, cwd: "/a b" }))
    assert.includeMembers(
      [...made.prepare],
      ['settings set -- target.input-path "/p/in"', "settings set target.inherit-env false", 'target create "/bin/app"']
    )
    assert.strictEqual(
      made.create,
      'process launch --stop-at-entry --working-dir "/a b" --environment "A=`1`" -- "-x" "a \\"b\\"" ""'
    )
  })

  it("let the program inherit variables with line breaks, and unset LLDB's own variables", () => {
    const made = Result.getOrThrow(commandsOf({ ...base, env: { PATH: "/x", ODD: "1\n2" } }))
    assert.deepStrictEqual(made.env, { ...own, ODD: "1\n2" })
    assert.notInclude(made.create, "ODD")
    assert.deepStrictEqual(made.prepare.slice(-2), [
      "settings set target.inherit-env true",
      'settings set target.unset-env-vars "HOME"'
    ])
  })

  it("are refused if an argument contained a second command", () => {
    for (const launch of [
      { ...base, args: ["a\nquit"] },
      { ...base, program: "/bin/a\rb" },
      { ...base, existing: { kind: "core", file: "/c\n" } as const },
      { ...base, existing: { kind: "remote", host: "h;quit", port: 1 } as const }
    ]) {
      const refused = commandsOf(launch)
      assert(Result.isFailure(refused))
      assert.strictEqual(refused.failure._tag, "existing" in launch ? "AttachFailed" : "LaunchFailed")
    }
  })

  it.effect("are for the requested backend", () =>
    Effect.gen(function* () {
      const env = { SIGTRAP_BACKEND: "lldb" }
      for (const [input, expected] of [
        [{}, "dap"],
        [{ backend: "lldb" }, "lldb-cli"],
        [{ env }, "lldb-cli"],
        [{ env, callerEnv: {} }, "dap"],
        [{ env, backend: "dap" }, "dap"],
        [{ env, program: "/app.py" }, "dap"],
        [{ adapter: "/opt/lldb-22" }, "lldb-cli"],
        [{ env, adapter: "debugpy" }, "dap"]
      ] as const) {
        assert.strictEqual(yield* Backends.choose({ ...base, ...input }), expected, JSON.stringify(input))
      }
      for (const input of [{ backend: "gdb" }, { env: { SIGTRAP_BACKEND: "toString" } }]) {
        const error = yield* Effect.flip(Backends.choose({ ...base, ...input }))
        assert.match(error.problem, /write dap or lldb-cli/)
      }
    }).pipe(Effect.provide(platform))
  )
})

describe("values", () => {
  it.effect("are opened in pages, and their handles are valid until the next stop", () =>
    Effect.gen(function* () {
      const { console, sent } = scripted((command) => {
        if (command.startsWith("sigtrap-")) return `error: '${command.split(" ")[0]}' is not a valid command.`
        const paths = /-- (.*)$/.exec(command)?.[1]?.split(" ") ?? []
        return paths
          .map((path) =>
            path === "arr" ? "0x10: (int[300]) arr = {\n0x10:   (int) [0] = 7\n}" : `0x10: (int) ${path} = 5`
          )
          .join("\n")
      })
      const values = Values.make(console)
      const arr = yield* values.evaluate("arr", frame(1, 0), "read")
      assert.deepInclude(arr, { name: "arr", type: "int[300]", value: "{7}" })
      sent.length = 0
      const page = yield* values.children(arr.handle, 299, 10)
      assert.deepStrictEqual(page, [{ name: "[299]", value: "5", type: "int", handle: 0, expression: "arr[299]" }])
      assert.deepStrictEqual(sent, [
        Variables.setLimit(16),
        "frame variable -T -L -D 2 -P 2 -- arr[299]",
        Variables.resetLimit
      ])
      values.forget()
      const stale = yield* Effect.flip(values.children(arr.handle, 0, 1))
      assert.strictEqual(stale._tag, "AdapterError")
    })
  )

  it("are formatted as adapters format them", () => {
    for (const [printed, expected] of [
      ["0x10: (int) i = 3", "3"],
      ["0x10: (p *) n = NULL", "0x0000000000000000"],
      ["0x10: (char) c = <read failed>", "<error: read failed>"],
      ["0x10: (p) s = {\n0x10:   (int) x = 1\n0x14:   (q) at ={...}\n}", "{x:1, at:{...}}"],
      ["0x10: (p *) s = 0x20 {\n0x20:   (int) x = 1\n}", "0x20 {x:1}"],
      ["0x10: (int *) i = 0x20 {\n0x20:   (int) *i = 1\n}", "0x20"],
      ["0x10: (char **) a = 0x20 {\n0x20:   (char *) *a = 0x30 {\n0x30:     (char) **a = '/'\n  }\n}", "0x20"],
      ["0x10: (char *) s = 0x20 \"a {\" {\n0x20:   (char) *s = 'a'\n}", '0x20 "a {"'],
      ["0x10: (empty) e = {}", "empty @ 0x10"]
    ] as const) {
      const [node] = Variables.trees(printed)
      assert(node !== undefined, printed)
      assert.strictEqual(Display.display(node), expected)
    }
  })
})

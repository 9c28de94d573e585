/** The facts of operations, as the lists that surfaces derive from them. */
import { assert, describe, it } from "@effect/vitest"
import { Effects, Operation, Operations, Payload, Settings } from "../src/index.ts"

type Test = (meta: Operation.Meta, tag: string) => boolean

const tags = (test: Test): string =>
  Operations.all
    .filter((operation) => test(Operation.meta(operation), operation._tag))
    .map(({ _tag }) => _tag)
    .join(" ")

describe("the operations, in reading order,", () => {
  const rows: ReadonlyArray<readonly [what: string, test: Test, expected: string]> = [
    [
      "that start a session",
      ({ execution }) => execution === "start",
      "start attach core connect back last-write sim.debug sim.attach"
    ],
    [
      "that resume the program",
      ({ execution }) => execution === "resume",
      "run continue next step finish until stepi nexti"
    ],
    [
      "that restart, pause or wait",
      ({ execution }) => /^(?:restart|pause|wait)$/.test(execution),
      "restart recover pause wait"
    ],
    [
      "that answer with a stop report",
      ({ resumes }) => resumes,
      "start attach core connect restart recover run continue next step finish until stepi nexti pause wait back last-write sim.debug sim.attach"
    ],
    [
      "of which an interrupted call lets the program run",
      ({ leavesStopped }) => !leavesStopped,
      "start attach core connect restart recover trace run continue next step finish until stepi nexti pause wait diverge back last-write bisect output events script sim.debug sim.attach"
    ],
    ["that set breakpoints", ({ setsBreakpoints }) => setsBreakpoints, "break logpoint watch catch breakpoint.load"],
    ["whose words are a command of the debugger", ({ verbatim }) => verbatim, "raw"],
    [
      "that take names of sessions",
      ({ completes }) => completes === "sessions",
      "recover stop session.use session.rename"
    ],
    [
      "that take numbers of breakpoints",
      ({ completes }) => completes === "breakpoints",
      "breakpoint.info breakpoint.remove breakpoint.enable breakpoint.disable breakpoint.toggle breakpoint.edit"
    ],
    ["that take names of files", ({ completes }) => completes === "files", "breakpoint.lines"],
    ["that take locations", ({ completes }) => completes === "locations", "break logpoint trace until source"],
    [
      "that take expressions",
      ({ completes }) => completes === "expressions",
      "watch history last-write locals globals vars print expand display eval set type complete"
    ],
    [
      "that are enough for most sessions",
      ({ frequency }) => frequency === "basic",
      "start stop break continue next step finish pause wait context backtrace locals print output"
    ],
    [
      "that a short list of tools has",
      ({ frequency }) => frequency === "basic" || frequency === "everyday",
      "start attach stop status break watch breakpoint.list breakpoint.remove run continue next step finish pause wait context explain source backtrace locals print eval set output script sim.debug"
    ],
    [
      "that answer by their name although no short list has them",
      ({ frequency }) => frequency === "common",
      "restart recover detach sessions catch until threads expand sim.attach"
    ],
    [
      "that a list of reading tools adds to the everyday ones",
      ({ frequency, tier }) => tier === "observe" && (frequency === "common" || frequency === "occasional"),
      "sessions exception threads expand memory.read registers"
    ],
    [
      "that destroy nothing although their tier needs consent",
      ({ destructive, tier }) => !destructive && (tier === "write" || tier === "admin"),
      "start attach core connect recover diverge back last-write bisect sim.debug sim.attach sim.boot sim.install sim.launch"
    ],
    ["that end or restart sessions", ({ endsSession }) => endsSession, "restart detach stop session.prune"],
    ["whose handler reads effects from a file", ({ readsEffects }) => readsEffects, "start breakpoint.load run script"],
    ["with the effect eval", ({ effect }) => effect === "eval", "eval"],
    ["with the effect write-memory", ({ effect }) => effect === "write-memory", "set memory.write"],
    ["with the effect write-file", ({ effect }) => effect === "write-file", "breakpoint.save sim.screenshot"],
    ["with the effect raw", ({ effect }) => effect === "raw", "raw"],
    [
      "with the effect launch",
      ({ effect }) => effect === "launch",
      "start attach core connect recover diverge back last-write bisect sim.debug sim.attach sim.boot sim.shutdown sim.install sim.launch sim.terminate sim.uninstall sim.openurl sim.push sim.privacy sim.location sim.appearance sim.status-bar sim.create sim.clone sim.erase sim.delete"
    ]
  ]
  for (const [what, test, expected] of rows) it(what, () => assert.strictEqual(tags(test), expected))
})

it("the families of operations whose tags have another first word", () => {
  const families: Record<string, string> = {}
  for (const operation of Operations.all) {
    const { family } = Operation.meta(operation)
    if (family !== operation._tag.split(".")[0]) {
      families[family] = [families[family], operation._tag].join(" ").trim()
    }
  }
  assert.deepStrictEqual(families, {
    step: "next finish until stepi nexti",
    frame: "up down thread",
    locals: "args globals",
    threads: "tasks",
    capabilities: "debuggers",
    stops: "history report diff diverge back last-write bisect",
    trace: "hits.list hits.diff hits.trend hits.export"
  })
})

const byTag = (fields: (meta: Operation.Meta) => ReadonlyArray<string> | undefined) =>
  Object.fromEntries(
    Operations.all.flatMap((operation) => {
      const found = fields(Operation.meta(operation)) ?? []
      return found.length === 0 ? [] : [[operation._tag, found.join(" ")]]
    })
  )

describe("the fields", () => {
  it("that a short list of tools shows", () => {
    assert.deepStrictEqual(
      byTag(({ everyday }) => everyday),
      {
        start: "program args break stdin session",
        attach: "pid name pause session",
        "sim.debug": "simulator app args break session",
        stop: "session",
        status: "session",
        break: "at pending session",
        "breakpoint.list": "session",
        "breakpoint.remove": "ids session",
        run: "program args break until_failure timeout",
        continue: "to session timeout",
        watch: "expression session",
        next: "count session",
        step: "count session",
        finish: "session",
        pause: "session",
        wait: "session timeout",
        context: "frame session",
        explain: "session",
        backtrace: "thread all_threads session",
        locals: "names frame session",
        print: "expressions session",
        eval: "expression session",
        script: "commands session",
        set: "target value session",
        source: "at session",
        output: "since tail session"
      }
    )
  })

  const withEffect = (wanted: string) =>
    byTag(({ effects }) => Object.keys(effects).filter((field) => effects[field] === wanted))

  it("that run debugger commands, adapter options and command lines", () => {
    assert.deepStrictEqual(withEffect("raw"), {
      start: "build adapter_opt init_cmd stop_cmd pre_run_cmd",
      attach: "adapter_opt init_cmd stop_cmd",
      core: "adapter_opt init_cmd stop_cmd",
      connect: "adapter_opt init_cmd stop_cmd",
      restart: "build",
      run: "build adapter_opt init_cmd stop_cmd",
      break: "cmd",
      "breakpoint.edit": "cmd",
      bisect: "adapter_opt init_cmd stop_cmd",
      diverge: "build adapter_opt init_cmd stop_cmd",
      raw: "command"
    })
  })

  it("that write files", () => {
    assert.deepStrictEqual(withEffect("write-file"), {
      start: "stdout stderr",
      run: "report junit",
      bisect: "out",
      report: "out",
      "hits.export": "file",
      "breakpoint.save": "file",
      "sim.launch": "stdout stderr",
      "sim.screenshot": "file",
      "defaults.set": "persist",
      "defaults.clear": "persist",
      "defaults.use": "persist"
    })
  })

  it("that add an effect to an operation of the tier observe", () => {
    assert.deepStrictEqual(
      byTag((meta) => (meta.tier === "observe" ? Effects.adding(meta) : [])),
      { "hits.export": "file", explain: "keep", report: "out", output: "clear" }
    )
  })

  it("have a declared effect, each of them", () => {
    for (const operation of Operations.all) {
      const fields = Object.keys(Payload.published(operation).properties)
      assert.sameMembers(Object.keys(Operation.meta(operation).effects), fields, operation._tag)
    }
  })

  it("that are named as facts of an operation exist in its payload", () => {
    for (const operation of Operations.all) {
      const { everyday } = Operation.meta(operation)
      const { properties } = Payload.published(operation)
      for (const field of everyday) assert.property(properties, field)
    }
  })

  it("are listed for the operations of short lists, and for no others", () => {
    for (const operation of Operations.all) {
      const { everyday, frequency } = Operation.meta(operation)
      assert.strictEqual(everyday.length > 0, frequency === "basic" || frequency === "everyday", operation._tag)
    }
  })
})

describe("a setting", () => {
  const bySetting: Record<string, Record<string, string>> = {}
  for (const operation of Operations.all) {
    for (const [field, setting] of Object.entries(Operation.meta(operation).settings)) {
      const fields = (bySetting[setting] ??= {})
      fields[field] = [fields[field], operation._tag].join(" ").trim()
    }
  }
  const reports =
    "start attach core connect restart recover run continue next step finish until stepi nexti pause wait back last-write sim.debug sim.attach"
  const values = "locals args globals vars print expand eval set"

  it("gives the default of these fields", () => {
    assert.deepStrictEqual(bySetting, {
      "defaults.stop_on_entry": { stop_on_entry: "start" },
      "session.idle": { ttl: "start attach core connect run diverge" },
      "timeouts.launch": { timeout: "start core connect restart recover" },
      "timeouts.attach": { timeout: "attach" },
      "timeouts.wait": {
        timeout: "continue next step finish until stepi nexti pause wait output events sim.debug sim.attach sim.log"
      },
      "timeouts.evaluate": { timeout: "eval" },
      "timeouts.request": { timeout: "explain raw" },
      "output.context": { context: reports },
      "output.lines": { lines: reports },
      "values.max_string": { max_string: values },
      "values.max_items": { max_items: "print" },
      "values.depth": { depth: "locals vars print expand" }
    })
  })

  it("that an operation names exists", () => {
    const keys = Settings.keys.map(({ key }) => key)
    for (const setting of Object.keys(bySetting)) assert.include(keys, setting)
  })
})

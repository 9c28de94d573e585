/** Probes of the kernel: its texts as they were recorded, and what is refused and removed in a simulated tracefs. */
import { assert, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as KernelProbes from "../../src/process/KernelProbes.ts"
import * as ProbeRecords from "../../src/process/ProbeRecords.ts"

const text = `# tracer: nop
#
#           TASK-PID       TGID    CPU#  |||||  TIMESTAMP  FUNCTION
#              | |           |       |   |||||     |         |
               t-21789   (  21789) [001] DBZff 11261.215073: p1: (0x55aa453021a5) v0=4294967295 v1=7
      a (b)-1: x-21805   (  21789) [000] DBZff 11261.215117: p1: (0x55aa453021a5) v0=1 v1=18446744073709551615
               t-21806   (  21806) [000] DBZff 11261.215129: p1: (0x55aa453021a5) v0=2 v1=0
               t-21807   (-------) [000] DBZff 11261.215130: p1: (0x55aa453021a5) v0=2 v1=0
               t-21789   (  21789) [000] DBZff 11261.215131: p2: (0x55aa453021a5) v0=2
`

it("records of the process are read, those of its children left out, and those without a process counted", () => {
  const { rows, unknown } = ProbeRecords.parse(text, 21_789, (id) => (id === 1 ? [4, 8] : undefined))
  assert.strictEqual(unknown, 2)
  assert.deepStrictEqual(
    rows.map(({ id, thread, values }) => [id, thread, ...values.map((bytes) => Buffer.from(bytes).toString("hex"))]),
    [
      [1, 21_789, "ffffffff", "0700000000000000"],
      [1, 21_805, "01000000", "ffffffffffffffff"]
    ]
  )
  assert.approximately(rows[0]?.time ?? 0, 11_261_215.073, 0.001)
})

it("statistics count the records without room", () => {
  const found = ProbeRecords.statistics(
    "entries: 20562\noverrun: 1\ncommit overrun: 2\nbytes: 822480\noldest event ts: 1.5\nnow ts: 11263.5\ndropped events: 4\nread events: 0\n"
  )
  assert.deepStrictEqual(found, { entries: 20_562, lost: 7, now: 11_263_500 })
})

it("an instruction is found in the file that is mapped there", () => {
  const maps = `55aa45301000-55aa45302000 r--p 00000000 fe:00 2203740                    /tmp/up/t
55aa45302000-55aa45303000 r-xp 00001000 fe:00 2203740                    /tmp/up/t
7f0000000000-7f0000001000 r-xp 00000000 00:00 0
`
  assert.deepStrictEqual(ProbeRecords.mappingOf(maps, 0x55aa453021a5n), {
    range: "55aa45302000-55aa45303000",
    offset: 0x11a5n
  })
  for (const address of [0x55aa45301000n, 0x55aa45303000n, 0x7f0000000000n]) {
    assert.isUndefined(ProbeRecords.mappingOf(maps, address))
  }
})

/** A machine whose tracefs has an event of another program, and events of two processes of which only pid 20 lives. */
const simulated = () => {
  const directory = mkdtempSync(join(tmpdir(), "sigtrap-tracefs-"))
  const [tracefs, proc] = [join(directory, "tracing"), join(directory, "proc")]
  mkdirSync(join(proc, "self/ns"), { recursive: true })
  symlinkSync("pid:[4026531836]", join(proc, "self/ns/pid"))
  for (const name of ["sigtrap_10_100_app_1", "sigtrap_20_200_app_1", "sigtrap_20_999_app_1", "others"]) {
    mkdirSync(join(tracefs, "instances", name), { recursive: true })
  }
  const events = [
    "p:others/sigtrap /bin/true:0x10",
    "p:sigtrap_10_100_app_1/p1 /bin/true:0x20 v0=+8(%bp):u32",
    "p:sigtrap_20_200_app_1/p1 /bin/true:0x30 v0=+8(%bp):u32",
    ""
  ].join("\n")
  writeFileSync(join(tracefs, "uprobe_events"), events)
  const machine: KernelProbes.Machine = {
    directories: [tracefs],
    proc,
    uid: 0,
    arch: "x64",
    self: 20,
    identify: (pid) => Effect.succeed(pid === 20 ? Option.some({ pid, started: "200" }) : Option.none())
  }
  return { directory, events, machine, tracefs }
}

const inSimulated = <A, E>(test: (simulation: ReturnType<typeof simulated>) => Effect.Effect<A, E>) =>
  Effect.acquireUseRelease(Effect.sync(simulated), test, ({ directory }) =>
    Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
  )

it.effect("what ended processes left is removed, nothing of others, and the file of events is only appended to", () =>
  inSimulated(({ events, machine, tracefs }) =>
    Effect.gen(function* () {
      yield* KernelProbes.removeLeftovers(machine)
      assert.sameMembers(readdirSync(join(tracefs, "instances")), ["others", "sigtrap_20_200_app_1"])
      assert.strictEqual(readFileSync(join(tracefs, "uprobe_events"), "utf8"), `${events}-:sigtrap_10_100_app_1/p1\n`)
    })
  )
)

it.effect("a user that is not root, another processor, a container and a missing tracefs are refused", () =>
  inSimulated(({ directory, events, machine, tracefs }) =>
    Effect.gen(function* () {
      const refused = (change: Partial<KernelProbes.Machine>) =>
        KernelProbes.service({ ...machine, ...change })
          .open({ pid: 20, session: "app", records: 10, values: 1 })
          .pipe(
            Effect.scoped,
            Effect.flip,
            Effect.map(({ reason }) => reason)
          )
      assert.strictEqual(yield* refused({ uid: 1000 }), "the kernel allows it to root only")
      assert.strictEqual(yield* refused({ arch: "arm64" }), "it needs a processor of x86-64")
      assert.include(
        yield* refused({ directories: [join(directory, "none")] }),
        "tracefs with uprobe_events is not mounted"
      )
      rmSync(join(machine.proc, "self/ns/pid"))
      symlinkSync("pid:[4026532198]", join(machine.proc, "self/ns/pid"))
      assert.strictEqual(yield* refused({}), "this process runs in a PID namespace of its own")
      yield* KernelProbes.removeLeftovers({ ...machine, uid: 1000 })
      assert.strictEqual(readFileSync(join(tracefs, "uprobe_events"), "utf8"), events)
    })
  )
)

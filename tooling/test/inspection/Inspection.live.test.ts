/** Inspects real programs under the real lldb-dap: threads, frames, memory, registers, instructions, types. */
import { assert, layer } from "@effect/vitest"
import { Hint } from "@sigtrap/protocol"
import { Effect } from "effect"
import { debugging, platform, Programs, type Debugging } from "../support/fixturePrograms.ts"

const bytesOf = (base64: string) => [...Buffer.from(base64, "base64")]

/** Starts `app` in `sum_scores` with `main` above it. */
const inApp = <A, E, R>(test: (debugging: Debugging) => Effect.Effect<A, E, R>) =>
  debugging((all) =>
    Effect.gen(function* () {
      const { line } = yield* Programs
      yield* all.start("app", { break: [`app.c:${line("app.c", "bug")}`] })
      return yield* test(all)
    })
  )

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("a stopped C program", (it) => {
  it.effect("inspects the selected frame until the program runs again", () =>
    inApp(({ call }) =>
      Effect.gen(function* () {
        const up = yield* call("up", {})
        assert.deepInclude(up.data.frame, { index: 1, function: "main" })
        assert.match(up.data.source?.lines.join("\n") ?? "", /mark: call/)
        const names = (yield* call("args", {})).data.variables.map(({ kind, name }) => [name, kind])
        assert.deepStrictEqual(names, [
          ["argc", "arg"],
          ["argv", "arg"]
        ])
        assert.strictEqual((yield* call("print", { expressions: ["argc"] })).data.values[0]?.value, "1")
        assert.strictEqual((yield* call("backtrace", {})).data.selected, 1)
        assert.strictEqual((yield* call("context", {})).data.location?.function, "main")

        assert.deepInclude((yield* call("up", { count: 50 })).data, { end: "outermost" })
        assert.strictEqual((yield* call("frame", {})).data.frame.index, 1)

        assert.strictEqual((yield* call("down", {})).data.frame.function, "sum_scores")
        const inner = (yield* call("args", {})).data.variables.map(({ name }) => name)
        assert.deepStrictEqual(inner, ["items", "n"])
        assert.strictEqual((yield* call("frame", { function: "main" })).data.frame.index, 1)

        yield* call("next", {})
        assert.deepInclude((yield* call("frame", {})).data.frame, { index: 0, function: "sum_scores" })
      })
    )
  )

  it.effect("shows values in other formats and as arrays, and opens them", () =>
    inApp(({ call }) =>
      Effect.gen(function* () {
        yield* call("set", { target: "total", value: "0x1f" })
        const formats = yield* Effect.forEach(["hex", "octal", "binary", "decimal"], (format) =>
          Effect.map(call("print", { expressions: ["total"], format }), ({ data }) => data.values[0]?.value)
        )
        assert.deepStrictEqual(formats, ["0x0000001f", "037", "0b00000000000000000000000000011111", "31"])
        const gdb = yield* call("print", { expressions: ["/x", "n + 13"] })
        assert.strictEqual(gdb.data.values[0]?.value, "0x00000010")
        const array = (yield* call("print", { expressions: ["items"], array: 3 })).data.values[0]
        assert.deepStrictEqual(
          array?.children?.map(({ name }) => name),
          ["[0]", "[1]", "[2]"]
        )
        assert.match(array?.children?.[2]?.value ?? "", /gamma/)
        // The characters of a string are not its members, but can be opened.
        const deep = (yield* call("expand", { target: "items[1]", depth: 2 })).data.children
        assert.isUndefined(deep.find(({ name }) => name === "name")?.children)
        assert.strictEqual((yield* call("expand", { target: "items[1].name" })).data.children[0]?.value, "98 'b'")
        const completions = (yield* call("complete", { text: "1 + items->s" })).data.completions
        assert.deepStrictEqual(
          completions.map(({ text }) => text),
          ["1 + items->score"]
        )
      })
    )
  )

  it.effect("changes a value and reports the previous one", () =>
    inApp(({ call }) =>
      Effect.gen(function* () {
        const set = yield* call("set", { target: "n", value: "2" })
        assert.strictEqual(set.data.old, "3")
        assert.deepInclude(set.data.new, { value: "2", type: "int" })
        assert.strictEqual((yield* call("locals", { names: ["n"] })).data.variables[0]?.value, "2")
        assert.strictEqual((yield* Effect.flip(call("set", { target: "nn", value: "1" })))._tag, "VariableNotFound")
        assert.strictEqual((yield* Effect.flip(call("set", { target: "n++", value: "1" })))._tag, "SideEffects")
        assert.strictEqual((yield* Effect.flip(call("changed", {})))._tag, "InvalidState")
        yield* call("next", {})
        const { data } = yield* call("changed", {})
        assert.deepInclude(data, { from: 1, to: 2, entered: false, output_bytes: 0 })
        assert.deepStrictEqual(
          data.vars.find(({ name }) => name === "total"),
          { name: "total", old: "0", new: "10" }
        )
        const changed = (yield* call("locals", { changed: true })).data.variables.map(({ name }) => name)
        assert.include(changed, "total")
        assert.notInclude(changed, "i")
      })
    )
  )

  it.effect("reads and writes memory, with gaps and guards", () =>
    inApp(({ call }) =>
      Effect.gen(function* () {
        const n = yield* call("memory.read", { address: "&n", count: 4 })
        assert.deepStrictEqual(bytesOf(n.data.data), [3, 0, 0, 0])
        const items = yield* call("memory.read", { address: "items", count: 9 })
        assert.deepStrictEqual(bytesOf(items.data.data), [1, 0, 0, 0, 97, 108, 112, 104, 97])
        const written = yield* call("memory.write", { address: "&n", hex: "01 02 00 00" })
        assert.deepStrictEqual(bytesOf(written.data.readback), [1, 2, 0, 0])
        assert.strictEqual((yield* call("print", { expressions: ["n"] })).data.values[0]?.value, "513")

        const code = yield* Effect.flip(call("memory.write", { address: "main", hex: "90" }))
        assert.match(code.message, /not writable/)
        const nothing = yield* Effect.flip(call("memory.read", { address: "0x10" }))
        assert.match(nothing.message, /no readable memory at 0x10/)
        assert.deepStrictEqual(nothing.hints, [Hint.call("registers", {}, "shows addresses of the program")])
        const value = yield* Effect.flip(call("memory.read", { address: "n" }))
        assert.deepStrictEqual(value.hints, [Hint.call("memory.read", { address: "&n" }, "reads the variable itself")])

        // The end of the stack's range: readable up to there and nothing behind it.
        const region = (yield* call("raw", { command: "memory region $rsp" })).data.output
        const end = BigInt(/-(0x[0-9a-f]+)\)/.exec(region)?.[1] ?? "0")
        const edge = yield* call("memory.read", { address: `0x${(end - 16n).toString(16)}`, count: 64 })
        assert.deepStrictEqual(edge.data.unreadable, [[16, 64]])
        const large = yield* call("memory.read", { address: `0x${(end - 100_000n).toString(16)}`, count: 100_000 })
        assert.strictEqual(bytesOf(large.data.data).length, 100_000)
        assert.deepStrictEqual(large.data.unreadable, [])
      })
    )
  )

  it.effect("reads registers and instructions", () =>
    inApp(({ call }) =>
      Effect.gen(function* () {
        const here = (yield* call("frame", {})).data.frame.address
        const around = yield* call("disassemble", {})
        const current = around.data.instructions.filter((instruction) => instruction.current === true)
        assert.deepStrictEqual(
          current.map(({ address }) => address),
          [here]
        )
        assert.isAtMost(around.data.instructions.length, 12)
        assert.strictEqual(around.data.function, "sum_scores")
        const main = yield* call("disassemble", { at: "main", count: 5, source: true })
        assert.strictEqual(main.data.instructions.length, 5)
        assert.deepInclude(main.data.instructions[0], { symbol: "main", offset: 0 })
        assert.isAbove(main.data.sources?.length ?? 0, 0)
        assert.strictEqual(main.truncated.length, 1)
        const from = yield* call("disassemble", { at: main.data.instructions[1]?.address ?? "", count: 2 })
        assert.deepStrictEqual(
          from.data.instructions.map(({ address, text }) => [address, text]),
          main.data.instructions.slice(1, 3).map(({ address, text }) => [address, text])
        )
        assert.strictEqual((yield* Effect.flip(call("disassemble", { at: "nosuch" })))._tag, "SymbolNotFound")

        const registers = yield* call("registers", {})
        const general = registers.data.groups[0]?.registers ?? []
        const pc = general.find(({ name }) => name === "rip" || name === "pc")
        assert.isTrue(pc !== undefined && BigInt(pc.value.split(" ")[0] ?? "0") === BigInt(here ?? "1"))
        const one = yield* call("registers", { names: [pc?.name ?? "", "nosuch"] })
        assert.deepStrictEqual(one.data.not_found, ["nosuch"])
        yield* call("next", {})
        const changed = (yield* call("registers", { changed: true })).data.groups[0]?.registers ?? []
        assert.include(
          changed.map(({ name }) => name),
          pc?.name
        )
      })
    )
  )

  it.effect("shows sources, types and modules", () =>
    inApp(({ call }) =>
      Effect.gen(function* () {
        const { directory, line, source } = yield* Programs
        const bug = line("app.c", "bug")
        const here = yield* call("source", { lines: 1 })
        assert.deepInclude(here.data, { file: source("app.c"), first: bug - 1, current: bug, origin: "disk" })
        assert.deepStrictEqual(
          here.data.breakpoints.map((one) => [one.id, one.line, one.state]),
          [[1, bug, "on"]]
        )
        const main = yield* call("source", { at: "main", lines: 0 })
        assert.strictEqual(main.data.lines.length, 1)
        const range = yield* call("source", { at: "app.c", range: "4-8" })
        assert.strictEqual(range.data.lines[0], "struct item {")
        assert.strictEqual((yield* Effect.flip(call("source", { at: "ap.c:1" })))._tag, "SourceNotFound")
        assert.deepStrictEqual((yield* call("files", {})).data.files, [source("app.c")])

        const type = yield* call("type", { name: "items[0]", layout: true })
        assert.strictEqual(type.data.size, 32)
        assert.deepStrictEqual(
          type.data.fields?.map(({ name, offset, size }) => [name, offset, size]),
          [
            ["id", 0, 4],
            ["name", 4, 16],
            ["score", 24, 8]
          ]
        )
        assert.strictEqual((yield* Effect.flip(call("type", { name: "nosuch" })))._tag, "SymbolNotFound")
        const itm = yield* Effect.flip(call("type", { name: "itm" }))
        assert.strictEqual(itm.message, "no symbol 'itm' found; nearest: item")
        const absent = yield* call("registers", { names: ["rxx"] })
        assert.deepStrictEqual(absent.data.not_found, ["rxx"])
        if (process.arch === "x64") assert.include(absent.warnings[0]?.message, "no register 'rxx'; nearest: rax")
        const modules = (yield* call("modules", { match: "app" })).data.modules
        assert.deepInclude(modules[0], { path: `${directory}/app`, symbols: "loaded" })
      })
    )
  )
})

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("a large C program", (it) => {
  it.effect("shows both ends of a deep stack with the adapter's frames", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* start("deep", { break: ["leaf"] })
        const first = yield* call("backtrace", {})
        assert.strictEqual(first.data.frames.length, 20)
        assert.deepStrictEqual(first.truncated[0]?.hints, [{ operation: "backtrace", input: { start: 20 } }])
        const last = yield* call("backtrace", { start: 2995, limit: 100 })
        assert.strictEqual(last.data.frames.at(-1)?.function, "main")
        assert.strictEqual(last.data.frames.at(-1)?.index, 3002)
        // The adapter answers for a frame it was never asked to list: its number means the same to both.
        const values = yield* Effect.forEach([1, 2, 1000, 3001], (frame) =>
          Effect.map(call("locals", { frame, names: ["n"] }), ({ data }) => data.variables[0]?.value)
        )
        assert.deepStrictEqual(values, ["0", "1", "999", "3000"])
      })
    )
  )

  it.effect("shows any page of an array of a million", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* start("deep", { break: ["leaf"] })
        const page = yield* call("expand", { target: "numbers", start: 999_990, count: 50 })
        assert.deepStrictEqual(
          page.data.children.map(({ value }) => value),
          Array.from({ length: 10 }, (_, i) => `${999_990 + i}`)
        )
        assert.strictEqual(page.data.total, 1_000_000)
        const globals = yield* call("globals", { names: ["numbers"] })
        assert.strictEqual(globals.data.variables[0]?.child_count, 1_000_000)
        const printed = yield* call("print", { expressions: ["numbers"], max_items: 3 })
        assert.deepInclude(printed.truncated[0], { shown: 3, total: 1_000_000 })
      })
    )
  )

  it.effect("shows and selects threads", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const { line } = yield* Programs
        yield* start("threads", { break: [`threads.c:${line("threads.c", "work")}`] })
        const { threads, total } = (yield* call("threads", {})).data
        assert.strictEqual(total, 4)
        const current = threads.find((thread) => thread.current)
        assert.strictEqual(current?.location?.function, "work")
        const main = threads[0]
        const chosen = yield* call("thread", { id: main?.id ?? 0 })
        assert.deepInclude(chosen.data.thread, { id: main?.id ?? 0, current: true })
        const stack = (yield* call("backtrace", { limit: 50 })).data
        assert.strictEqual(stack.thread.id, main?.id)
        assert.include(
          stack.frames.map((frame) => frame.function),
          "main"
        )
        // The short number names the same thread; there is no fifth one.
        assert.strictEqual((yield* call("thread", { id: 1 })).data.thread.id, main?.id)
        assert.strictEqual((yield* Effect.flip(call("thread", { id: 5 })))._tag, "ThreadNotFound")
        const all = (yield* call("backtrace", { all_threads: true })).data.threads ?? []
        assert.deepStrictEqual(
          all.map(({ thread }) => thread.id),
          threads.map(({ id }) => id)
        )
        const single = yield* Effect.forEach(all, ({ thread }) =>
          Effect.map(call("backtrace", { thread: thread.id }), ({ data }) => data.frames)
        )
        assert.deepStrictEqual(
          all.map(({ frames }) => frames),
          single
        )
        const matching = (yield* call("threads", { match: "work" })).data.threads
        assert.isAbove(matching.length, 0)
      })
    )
  )
})

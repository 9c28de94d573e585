import { RuntimeDirectory } from "@sigtrap/host"
import * as ProgramStreams from "@sigtrap/host/process/ProgramStreams"
import { ProgramStreams as Streams } from "@sigtrap/backends"
import { NodeServices } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { createHash, randomBytes } from "node:crypto"
import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs"
import { dirname, relative } from "node:path"
import { child, directory, ended } from "../../src/testing/Children.ts"

const layer = ProgramStreams.layer.pipe(Layer.provide(NodeServices.layer))
const open = (onBytes: Streams.OnBytes) => Effect.flatMap(Streams.ProgramStreams, (streams) => streams.open(onBytes))

/** Starts a shell whose streams are the pipes, as a debugger does. */
const program = (streams: Streams.Streams, text: string) =>
  child("sh", ["-c", `exec <"$0" >"$1" 2>"$2"; ${text}`, streams.input, streams.output, streams.error])

it.live("every byte arrives in order, however reading and draining alternate", () =>
  Effect.gen(function* () {
    const file = `${yield* directory}/random`
    const bytes = randomBytes(8_000_000)
    writeFileSync(file, bytes)
    const hash = createHash("sha256")
    let count = 0
    const streams = yield* open((channel, bytes) => {
      if (channel === "stdout") hash.update(bytes)
      count += bytes.length
    })
    let running = true
    const drainer = () => {
      if (!running) return
      if (count % 3 === 0) streams.drain()
      setImmediate(drainer)
    }
    drainer()
    const started = yield* program(streams, `cat ${file}`)
    assert.strictEqual(yield* ended(started), 0)
    running = false
    streams.drain()
    assert.strictEqual(count, bytes.length)
    assert.strictEqual(hash.digest("hex"), createHash("sha256").update(bytes).digest("hex"))
  }).pipe(Effect.scoped, Effect.provide(layer))
)

it.live.skipIf(process.platform !== "linux")("other processes that have a pipe open are found until they exit", () =>
  Effect.gen(function* () {
    const streams = yield* open(() => {})
    assert.deepStrictEqual(yield* streams.holders, [])
    // It keeps the input only.
    const started = yield* program(streams, "exec >&- 2>&-; read line")
    const found = yield* Effect.repeat(streams.holders, { until: (found) => found.length > 0 })
    assert.deepStrictEqual(
      found.map(({ pid }) => pid),
      [started.pid]
    )
    yield* streams.write(new TextEncoder().encode("end\n"))
    yield* ended(started)
    assert.deepStrictEqual(yield* streams.holders, [])
  }).pipe(Effect.scoped, Effect.provide(layer))
)

it.live("stdout and stderr are separate, and drain reads the rest of both after the exit of a program", () =>
  Effect.gen(function* () {
    const seen = { stdout: "", stderr: "" }
    const streams = yield* open((channel, bytes) => {
      seen[channel] += new TextDecoder().decode(bytes)
    })
    const started = yield* program(streams, "printf out; printf err >&2; printf more")
    yield* ended(started)
    streams.drain()
    assert.deepStrictEqual(seen, { stdout: "outmore", stderr: "err" })
  }).pipe(Effect.scoped, Effect.provide(layer))
)

/** Returns the size of the buffers and objects that are in use, after a collection if the runtime offers one. */
const liveBytes = () => {
  if (process.versions["bun"] !== undefined) Bun.gc(true)
  else globalThis.gc?.()
  const { external, heapUsed } = process.memoryUsage()
  return external + heapUsed
}

it.live("a flood is read continuously and not buffered", () =>
  Effect.gen(function* () {
    const size = 100_000_000
    let count = 0
    let deliveries = 0
    let peak = 0
    const streams = yield* open((_, bytes) => {
      count += bytes.length
      deliveries += 1
      // Live data only: the resident size has what the collector has not freed yet, and memory of other test files.
      if (deliveries % 256 === 0) peak = Math.max(peak, liveBytes())
    })
    const before = liveBytes()
    yield* ended(yield* program(streams, `head -c ${size} /dev/zero`))
    streams.drain()
    assert.strictEqual(count, size)
    assert.isBelow(Math.max(peak, liveBytes()) - before, 32 * 1024 * 1024)
  }).pipe(Effect.scoped, Effect.provide(layer))
)

it.live("input waits for a reader if the pipe is full, arrives complete, and ends", () =>
  Effect.gen(function* () {
    const bytes = randomBytes(500_000)
    const out: Array<Uint8Array> = []
    const streams = yield* open((_, bytes) => void out.push(bytes.slice()))
    const started = yield* child("sh", ["-c", `read go; exec cat <"$0" >"$1"`, streams.input, streams.output])
    const writing = yield* Effect.forkChild(streams.write(bytes), { startImmediately: true })
    yield* Effect.yieldNow
    assert.isUndefined(writing.pollUnsafe())
    started.stdin.write("go\n")
    yield* streams.write(new Uint8Array([1, 2, 3]))
    yield* streams.closeInput
    assert.strictEqual(yield* ended(started), 0)
    streams.drain()
    assert.isTrue(Buffer.concat(out).equals(Buffer.concat([bytes, Buffer.from([1, 2, 3])])))
    assert.strictEqual((yield* Effect.flip(streams.write(bytes)))._tag, "StreamsFailed")
  }).pipe(Effect.scoped, Effect.provide(layer))
)

it.live("input that was ended before the program opens it is still read to its end", () =>
  Effect.gen(function* () {
    let seen = ""
    const streams = yield* open((_, bytes) => {
      seen += new TextDecoder().decode(bytes)
    })
    yield* streams.write(new TextEncoder().encode("early"))
    yield* streams.closeInput
    assert.strictEqual(yield* ended(yield* program(streams, "cat")), 0)
    streams.drain()
    assert.strictEqual(seen, "early")
  }).pipe(Effect.scoped, Effect.provide(layer))
)

it.live("the pipes are private and removed with the scope, even while a write waits", () =>
  Effect.gen(function* () {
    const folder = yield* Effect.scoped(
      Effect.gen(function* () {
        const streams = yield* open(() => {})
        for (const path of [streams.input, streams.output, streams.error]) {
          assert.isTrue(statSync(path).isFIFO())
          assert.strictEqual(statSync(path).mode & 0o777, 0o600)
        }
        assert.strictEqual(statSync(dirname(streams.input)).mode & 0o777, 0o700)
        yield* Effect.forkChild(Effect.ignore(streams.write(new Uint8Array(1_000_000))), { startImmediately: true })
        return dirname(streams.input)
      })
    )
    assert.isFalse(existsSync(folder))
  }).pipe(Effect.provide(layer))
)

it.effect.prop("short texts come back as they were written", [Schema.Uint8Array], ([bytes]) =>
  Effect.gen(function* () {
    const out: Array<Uint8Array> = []
    const streams = yield* open((_, bytes) => void out.push(bytes.slice()))
    writeFileSync(streams.output, bytes.slice(0, 60_000))
    streams.drain()
    assert.deepStrictEqual(new Uint8Array(Buffer.concat(out)), bytes.slice(0, 60_000))
  }).pipe(Effect.scoped, Effect.provide(layer))
)

/** The pipes and homes below a runtime directory, whose folder for them the daemon has made. */
const inRuntime = (path: string) => {
  mkdirSync(`${path}/streams`)
  return ProgramStreams.layerRuntime.pipe(
    Layer.provide(RuntimeDirectory.layer(path)),
    Layer.provide(NodeServices.layer)
  )
}

it.live("the home of a debugger is private, below the runtime directory, and removed with its files", () =>
  Effect.gen(function* () {
    const path = yield* directory
    const homes = Effect.gen(function* () {
      const { home } = yield* Streams.ProgramStreams
      const [one, other] = [yield* home(false), yield* home(true)]
      for (const own of [one, other]) {
        assert.strictEqual(statSync(own).mode & 0o777, 0o700)
        mkdirSync(`${own}/symbolizer-1`)
      }
      return [one, other]
    }).pipe(Effect.scoped, Effect.provide(inRuntime(path)))
    for (const own of yield* homes) {
      assert.strictEqual(dirname(own), `${path}/streams`)
      assert.isFalse(existsSync(own))
    }
  })
)

it.live("the home of a debugger that binds sockets has a short path", () =>
  Effect.gen(function* () {
    const path = `${yield* directory}/${"long".repeat(10)}`
    mkdirSync(path, { mode: 0o700 })
    const lengths = yield* Effect.gen(function* () {
      const { home } = yield* Streams.ProgramStreams
      return [(yield* home(false)).length, (yield* home(true)).length] as const
    }).pipe(Effect.scoped, Effect.provide(inRuntime(path)))
    assert.isAbove(lengths[0], 62)
    assert.isAtMost(lengths[1], 62)
  })
)

it.live("mkfifo of the working directory is never run", () =>
  Effect.gen(function* () {
    const folder = yield* directory
    writeFileSync(`${folder}/mkfifo`, `#!/bin/sh\ntouch "${folder}/canary"\n`, { mode: 0o755 })
    const before = process.env["PATH"]
    // A worker cannot change its directory, so the relative entry leads from there to the folder.
    process.env["PATH"] = `${relative(process.cwd(), folder)}::${before ?? ""}`
    yield* open(() => {}).pipe(
      Effect.scoped,
      Effect.provide(layer),
      Effect.ensuring(
        Effect.sync(() => {
          process.env["PATH"] = before
        })
      )
    )
    assert.isFalse(existsSync(`${folder}/canary`))
  }).pipe(Effect.scoped)
)

it.live("an error about pipes has the message of mkfifo, bounded and on one line", () =>
  Effect.gen(function* () {
    // The longest folder in which a private folder can be made, but no file with a name in it (PATH_MAX).
    const longest = process.platform === "linux" ? 4095 : 1023
    let folder = yield* directory
    while (folder.length < longest - 28) folder += `/${"d".repeat(Math.min(200, longest - 25 - folder.length))}`
    mkdirSync(folder, { recursive: true })
    const before = process.env["TMPDIR"]
    yield* Effect.acquireRelease(
      Effect.sync(() => (process.env["TMPDIR"] = folder)),
      () => Effect.sync(() => (before === undefined ? delete process.env["TMPDIR"] : (process.env["TMPDIR"] = before)))
    )
    const { detail } = yield* Effect.flip(open(() => {}))
    assert.match(detail, /^mkfifo exited with 1: .*File name too long$/)
    assert.isBelow(detail.length, 500)
  }).pipe(Effect.scoped, Effect.provide(layer))
)

it.live.skipIf(process.platform !== "linux")("the environment of the daemon does not reach mkfifo", () =>
  Effect.gen(function* () {
    // The dynamic loader then lists libraries and runs no program (ld.so(8)).
    const variable = "LD_TRACE_LOADED_OBJECTS"
    const streams = yield* Effect.acquireUseRelease(
      Effect.sync(() => (process.env[variable] = "1")),
      () => open(() => {}),
      () => Effect.sync(() => delete process.env[variable])
    )
    assert.isTrue(statSync(streams.output).isFIFO())
  }).pipe(Effect.scoped, Effect.provide(layer))
)

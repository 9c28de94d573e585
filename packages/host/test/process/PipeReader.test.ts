// A named pipe that is read while a program writes to it.
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { closeSync, writeSync } from "node:fs"
import * as PipeReader from "../../src/process/PipeReader.ts"
import { directory } from "../../src/testing/Children.ts"

it.live("drain ends although the program writes as fast as it is read, and what remains is read later", () =>
  Effect.gen(function* () {
    const path = `${yield* directory}/pipe`
    assert.strictEqual(spawnSync("mkfifo", [path]).status, 0)
    const writer = PipeReader.openDescriptor(path)
    yield* Effect.addFinalizer(() => Effect.sync(() => closeSync(writer)))
    let isWriting = true
    let [written, read] = [0, 0]
    const fill = () => {
      written += writeSync(writer, new Uint8Array(4096))
    }
    const reader = PipeReader.make(path, (bytes) => {
      read += bytes.length
      if (isWriting) fill()
    })
    yield* Effect.addFinalizer(() => Effect.promise(reader.close))
    // All of this is one turn of the loop, so nothing else reads.
    fill()
    reader.drain()
    assert.strictEqual(read, 1024 * 1024)
    isWriting = false
    reader.drain()
    assert.strictEqual(read, written)
  })
)

it.live("a program that writes as fast as it is read leaves turns of the loop to others", () =>
  Effect.gen(function* () {
    const path = `${yield* directory}/pipe`
    assert.strictEqual(spawnSync("mkfifo", [path]).status, 0)
    const writer = PipeReader.openDescriptor(path)
    yield* Effect.addFinalizer(() => Effect.sync(() => closeSync(writer)))
    const full = new Uint8Array(64 * 1024)
    const turns: Array<number> = []
    let inTurn = 0
    yield* Effect.callback<void>((resume) => {
      const reader = PipeReader.make(path, () => {
        inTurn++
        if (turns.length < 100) writeSync(writer, full)
      })
      const turn = () => {
        if (inTurn > 0) turns.push(inTurn)
        inTurn = 0
        if (turns.length < 100) setImmediate(turn)
        else void reader.close().then(() => resume(Effect.void))
      }
      writeSync(writer, full)
      setImmediate(turn)
    })
    assert.isAtMost(Math.max(...turns), 2)
  })
)

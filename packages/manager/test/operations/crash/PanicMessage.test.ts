// The message of a Rust panic in the program's stderr.
import { assert, describe, it } from "@effect/vitest"
import type { Event } from "@sigtrap/protocol"
import * as PanicMessage from "../../../src/operations/crash/PanicMessage.ts"

const stderr = (text: string): Event.Event => ({ _tag: "Output", channel: "stderr", text })
const stopped: Event.Event = {
  _tag: "Stopped",
  reason: "breakpoint",
  raw_reason: "breakpoint",
  breakpoints: [],
  focus: true
}

const messageOf = (...events: ReadonlyArray<Event.Event>) =>
  PanicMessage.of({
    maskedOutput: {
      next: events.length,
      *before(seq) {
        for (const [index, event] of [...events.entries()].toReversed()) {
          if (index < seq) yield { seq: index, time: 0, stop: 0, bytes: 0, written: 0, event }
        }
      }
    }
  })

describe("the message of a panic", () => {
  it("is the line after the place", () => {
    const text = "\nthread 'main' (71) panicked at app.rs:5:13:\nindex out of bounds: the len is 3\nnote: run with\n"
    assert.strictEqual(messageOf(stderr(text), stopped), "index out of bounds: the len is 3")
    assert.strictEqual(
      messageOf(stopped, stderr(text.slice(0, 30)), stderr(text.slice(30))),
      "index out of bounds: the len is 3"
    )
  })

  it("has all its lines if its end is known", () => {
    const hint = "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n"
    const head = "thread 'main' (71) panicked at app.rs:5:13:\n"
    const equal = "assertion `left == right` failed: sum\n  left: 5\n right: 6\n"
    const told = "assertion `left == right` failed: sum, left: 5, right: 6"
    assert.strictEqual(messageOf(stderr(`${head}${equal}${hint}`)), told)
    assert.strictEqual(messageOf(stderr(`${head}${equal}stack backtrace:\n   0: core::panic\n`)), told)
    const syntax = "on an `Err` value: Syntax(\n~~~~~~~~~\nregex parse error:\n    (\n    ^\nerror: unclosed group\n)\n"
    const message = "on an `Err` value: Syntax( regex parse error: ( ^ error: unclosed group )"
    assert.strictEqual(messageOf(stderr(`${head}${syntax}${hint}`)), message)
    // Without the hint, what follows may be the program's.
    assert.strictEqual(messageOf(stderr(`${head}first\nsecond\n`)), "first")
    assert.strictEqual(messageOf(stderr(`${head}${"x\n".repeat(400)}${hint}`))?.length, 301)
  })

  it("was in quotes on the same line before Rust 1.73", () => {
    assert.strictEqual(messageOf(stderr("thread 'main' panicked at 'it's bad', app.rs:5:13\n")), "it's bad")
  })

  it("is not that of an earlier panic, nor a text of the program", () => {
    const first = stderr("thread 'main' panicked at app.rs:5:13:\nfirst\n")
    assert.isUndefined(messageOf(first, stopped, stderr("x\n"), stopped))
    assert.isUndefined(messageOf(stderr("we panicked at noon\n"), stopped))
  })
})

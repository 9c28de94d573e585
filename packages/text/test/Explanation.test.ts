/** The text of an explanation. */
import { assert, describe, it } from "@effect/vitest"
import { Hint } from "@sigtrap/protocol"
import * as Doc from "../src/Doc.ts"
import * as Render from "../src/Render.ts"
import { directory, envelope } from "./samples.ts"
import { write } from "./written.ts"

const access = { size: 4, address: "0x4c010", locks: 0 }

describe("a data race", () => {
  it("names both accesses, the memory and its allocation", () => {
    const place = (name: string, line: number) => ({ function: name, file: "/src/demo/app.cpp", line })
    const text = Doc.render(
      Render.render(
        "explain",
        envelope({
          what: "sanitizer",
          summary: "ThreadSanitizer: data race reading 4 bytes at 0x4c010",
          facts: [],
          waits: [],
          cycles: [],
          sanitizer: {
            tool: "ThreadSanitizer",
            kind: "data race",
            accesses: [
              { ...access, access: "read", thread: 2, locks: 1, frames: [place("total(int)", 7), place("main", 20)] },
              { ...access, access: "write", atomic: true, thread: 0, frames: [place("reset", 9)] },
              { ...access, access: "write", thread: 3, locks: 2, frames: [] }
            ],
            object: "heap block of size 8",
            allocated: { thread: 0, frames: [place("main", 18)] }
          },
          next: [Hint.call("backtrace", {}), Hint.call("threads", {})]
        }),
        { directory, write }
      )
    )
    assert.deepStrictEqual(text.trimEnd().split("\n"), [
      "sanitizer: ThreadSanitizer: data race reading 4 bytes at 0x4c010",
      "  read by thread T2 (held a mutex) in total app.cpp:7 < main",
      "  atomically written before by the main thread in reset app.cpp:9",
      "  written before by thread T3 (held 2 mutexes)",
      "  memory: heap block of size 8",
      "  allocated in main app.cpp:18",
      // Each on a line of its own, which can be copied.
      "sigtrap backtrace",
      "sigtrap threads"
    ])
  })
})

describe("a hang", () => {
  it("names the caller of a program's own class of locks", () => {
    const frame = (name: string, line: number) => ({
      index: 0,
      ref: "@f1",
      function: name,
      file: "/src/demo/app.cpp",
      line
    })
    const text = Doc.render(
      Render.render(
        "explain",
        envelope({
          what: "hang",
          summary: "thread 1: waits for mutex guard",
          facts: [],
          waits: [
            {
              threads: [{ id: 7, number: 1 }],
              count: 1,
              kind: "mutex",
              text: "waits for mutex guard",
              stack: [frame("Mutex::lock()", 3), frame("Guard::Guard(Mutex*)", 8), frame("add(int)", 20)],
              caller: frame("add(int)", 20),
              by: ["kernel"]
            }
          ],
          cycles: [],
          next: []
        }),
        { directory, write }
      )
    )
    assert.deepStrictEqual(text.trimEnd().split("\n"), [
      "hang: thread 1: waits for mutex guard",
      "  1 Mutex::lock app.cpp:3 < add app.cpp:20 waits for mutex guard"
    ])
  })
})

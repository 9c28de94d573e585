import { assert, describe, it } from "@effect/vitest"
import { inTasks, readLines } from "../../src/connection/Lines.ts"

/** Reads pieces of a body; returns the lines and the ends of tasks in their order. Each line takes `millis`. */
const read = async (pieces: ReadonlyArray<string>, millis: number): Promise<ReadonlyArray<string>> => {
  const seen: Array<string> = []
  let time = 0
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const piece of pieces) controller.enqueue(encoder.encode(piece))
      controller.close()
    }
  })
  const onText = (text: string) => {
    seen.push(text)
    time += millis
  }
  const rest = () => {
    seen.push("rest")
    return Promise.resolve()
  }
  await readLines(body, onText, { now: () => time, rest })
  return seen
}

it("items are passed on in order, in several tasks if they take long", async () => {
  const seen: Array<string | number> = []
  let time = 0
  const onItem = (item: number) => {
    seen.push(item)
    time += 10
  }
  const rest = () => {
    seen.push("rest")
    return Promise.resolve()
  }
  await inTasks([1, 2, 3, 4], onItem, { now: () => time, rest })
  assert.deepStrictEqual(seen, [1, 2, "rest", 3, 4])
})

describe("the lines of a body", () => {
  it("are passed on once each, also where a piece ends within a line", async () => {
    assert.deepStrictEqual(await read(["a\nb", "c\n\n", "d\n"], 0), ["a", "rest", "bc", "rest", "d", "rest"])
  })

  it("have a task for each piece, and several for a piece that takes long", async () => {
    assert.deepStrictEqual(await read(["a\nb\nc\nd\ne\n", "f\n"], 5), [
      "a",
      "b",
      "c",
      "rest",
      "d",
      "e",
      "rest",
      "f",
      "rest"
    ])
  })
})

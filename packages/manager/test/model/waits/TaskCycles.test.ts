import { assert, describe, it } from "@effect/vitest"
import * as TaskCycles from "../../../src/model/waits/TaskCycles.ts"
import type { RuntimeTask } from "../../../src/ports/Tasks.ts"

const task = (id: string, on: ReadonlyArray<string>, more: Partial<RuntimeTask> = {}): RuntimeTask => ({
  id,
  name: `t${id}`,
  kind: "thread",
  state: "waiting",
  frames: [],
  waits_on: on,
  ...more
})

const found = (...tasks: ReadonlyArray<RuntimeTask>) => TaskCycles.of(tasks).map(TaskCycles.textOf)

describe("tasks that wait for each other", () => {
  it("are found among those that wait for them", () => {
    assert.deepStrictEqual(found(task("1", ["2"]), task("2", ["3"]), task("3", ["4"]), task("4", ["2"])), [
      'threads "t2", "t3" and "t4" wait for each other'
    ])
    assert.deepStrictEqual(found(task("1", ["1"])), ['thread "t1" waits for itself'])
    assert.deepStrictEqual(found(task("1", ["3", "2"]), task("2", ["1"]), task("3", [])), [
      'threads "t1" and "t2" wait for each other'
    ])
  })

  it("are of one kind, and all of them wait", () => {
    assert.deepStrictEqual(found(task("1", ["2"]), task("2", ["1"], { state: "running" })), [])
    assert.deepStrictEqual(found(task("1", ["2"]), task("2", ["1"], { kind: "asyncio" })), [])
    assert.deepStrictEqual(found(task("1", ["2"]), task("2", [])), [])
  })
})

/** Expressions of a source line that may name the object for which a thread waits. */
import { assert, it } from "@effect/vitest"
import * as NamedObjects from "../../../src/operations/waits/NamedObjects.ts"

it("finds names with their members, and the objects of methods, but no calls", () => {
  const rows: ReadonlyArray<readonly [line: string, ...expected: ReadonlyArray<string>]> = [
    ["  pthread_mutex_lock(&job->lock);", "job->lock"],
    [
      "  std::lock_guard<std::mutex> guard(bank.accounts[from].guard);",
      "std::lock_guard",
      "std::mutex",
      "bank.accounts[from].guard"
    ],
    ["  queue_.ready.wait(held, [&] { return done; });", "queue_.ready", "held", "return", "done"],
    ["  this->lock_.lock(); // own.lock", "this->lock_"],
    ['  log("a.lock"); sem_wait(&shop.free_slots);', "shop.free_slots"],
    ["  a(); b.c();", "b"],
    [""]
  ]
  for (const [line, ...expected] of rows) assert.deepStrictEqual(NamedObjects.candidates(line), expected, line)
})

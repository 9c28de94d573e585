/** Signatures of failures: a user names one by its id, or by the text that reports show. */
import { assert, it } from "@effect/vitest"
import type { Stop } from "@sigtrap/protocol"
import * as FailureSignature from "../../../src/model/runs/FailureSignature.ts"

it("is named by its id or by its text", () => {
  const signature = FailureSignature.make("SIGSEGV", ["push", "worker", "main", "_start"])
  for (const wanted of [undefined, signature.id, "SIGSEGV push < worker < main", " SIGSEGV push < worker < main\n"]) {
    assert.isTrue(FailureSignature.matches(signature, wanted), wanted)
  }
  for (const wanted of ["", "SIGSEGV", "SIGSEGV push < worker", "00000000"]) {
    assert.isFalse(FailureSignature.matches(signature, wanted), wanted)
  }
  assert.isTrue(FailureSignature.matches(FailureSignature.make("exit 3", []), "exit 3"))
})

it("has the line of a crash, and no line of a hang or of a signal from outside", () => {
  const stop = (line: number, signal: string): Stop.StopReport => ({
    event: "stopped",
    reason: "signal",
    signal,
    frames: [
      { index: 0, ref: "@f1", function: "raise", hidden: true },
      { index: 1, ref: "@f2", function: "push", line },
      { index: 2, ref: "@f3", function: "main", line: 3 }
    ]
  })
  const crash = FailureSignature.ofStop(stop(12, "SIGSEGV"))
  assert.deepInclude(crash, { reason: "SIGSEGV", frames: ["push", "main"], line: 12 })
  assert.notStrictEqual(crash.id, FailureSignature.ofStop(stop(13, "SIGSEGV")).id)
  for (const wanted of ["SIGSEGV push < main", "SIGSEGV push:12 < main"]) {
    assert.isTrue(FailureSignature.matches(crash, wanted), wanted)
  }
  assert.isFalse(FailureSignature.matches(crash, "SIGSEGV push:13 < main"))
  assert.strictEqual(FailureSignature.ofStop(stop(12, "SIGALRM")).id, FailureSignature.ofStop(stop(13, "SIGALRM")).id)
  assert.strictEqual(
    FailureSignature.ofStop(stop(12, "SIGSTOP"), "hang").id,
    FailureSignature.ofStop(stop(13, "SIGSTOP"), "hang").id
  )
  // Output is noticed later than it is written, wherever the program is then.
  assert.deepInclude(FailureSignature.ofStop(stop(12, "SIGSTOP"), "output"), { reason: "output", frames: [] })
})

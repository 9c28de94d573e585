/** Signatures of failures: a user names one by its id, or by the text that reports show. */
import { assert, it } from "@effect/vitest"
import * as FailureSignature from "../../src/model/FailureSignature.ts"

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

/** Why the runtime of C++ ended a program, by stacks as LLDB lists them. */
import { assert, it } from "@effect/vitest"
import * as TerminateReason from "../../../src/model/crashes/TerminateReason.ts"

it("names what called std::terminate only if it does so in one case", () => {
  const check = (names: ReadonlyArray<string | undefined>, reason: string | undefined) =>
    assert.strictEqual(TerminateReason.of(names), reason)
  check(["raise", "abort", undefined, "std::terminate()", "__cxa_pure_virtual", "main"], "pure virtual method called")
  check(["abort", "__cxa_deleted_virtual", "main"], "deleted virtual method called")
  check(
    [
      "abort",
      "std::terminate()",
      "std::thread::~thread() [inlined] std::__terminate()",
      "std::thread::~thread()",
      "main"
    ],
    "a joinable std::thread was destroyed"
  )
  check(["abort", "std::terminate()", "std::__1::thread::~thread()"], "a joinable std::thread was destroyed")
  check(["abort", "std::terminate()", "std::thread::operator=(std::thread&&)"], "a joinable std::thread was assigned")
  check(["abort", "std::terminate()", "main"], undefined)
  check(["abort", "std::terminate()"], undefined)
  check(["std::thread::~thread()", "main"], undefined)
  check([undefined], undefined)
  check([], undefined)
})

import { assert, describe, it } from "@effect/vitest"
import * as MainReturn from "../../../src/model/crashes/MainReturn.ts"

describe("MainReturn", () => {
  it("finds that main returned", () => {
    for (const names of [
      ["_exit", "exit", "__libc_start_call_main", "__libc_start_main@@GLIBC_2.34", "_start"],
      ["_exit", "??", "exit", "??", "__libc_start_main", "_start"]
    ]) {
      assert.isTrue(MainReturn.hasReturned(names), names.join(" "))
    }
  })

  it("leaves a call of exit by the program, by a thread, and stacks without the start of the program", () => {
    for (const names of [
      ["_exit", "exit", "die", "main", "__libc_start_call_main", "__libc_start_main", "_start"],
      ["_exit", "exit", "main", "__libc_start_call_main", "__libc_start_main", "_start"],
      ["_exit", "exit", "worker", "start_thread", "clone3"],
      ["_exit", "die", "main", "__libc_start_call_main", "__libc_start_main", "_start"],
      // A handler of atexit(3) calls `exit` again.
      ["_exit", "exit", "handler", "__run_exit_handlers", "exit", "??", "??", "_start"],
      // A handler of atexit(3) ends the program with another code.
      ["_exit", "handler", "__run_exit_handlers", "exit", "__libc_start_call_main", "__libc_start_main", "_start"],
      ["_exit", "exit"],
      ["_exit", "exit", "??"],
      []
    ]) {
      assert.isFalse(MainReturn.hasReturned(names), names.join(" "))
    }
  })
})

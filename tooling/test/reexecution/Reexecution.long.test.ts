/** `back` and `last-write` on both LLDB backends, for each kind of variable and each way back. */
import { layer } from "@effect/vitest"
import { platform } from "../support/fixturePrograms.ts"
import * as Reexecution from "./reexecutionTests.ts"
import * as Passed from "../runners/passedTests.ts"
import * as Reuse from "./reuseTests.ts"

/** Most milliseconds of a test with several searches: each has five starts of a debugger. */
const limit = 150_000

layer(platform, { excludeTestServices: true, timeout: "300 seconds" })("running a program again", (it) => {
  it.effect("finds the write that broke a list (lldb-cli)", () => Reexecution.findsTheWrite("lldb-cli"))
  it.effect("claims nothing where another run may differ (lldb-cli)", () => Reexecution.claimsNothing("lldb-cli"))
  it.effect("claims nothing that the kernel wrote (lldb-cli)", () => Reexecution.claimsNothingOfTheKernel("lldb-cli"))
  it.effect("claims nothing that the system may have changed (lldb-cli)", () =>
    Reexecution.claimsNothingOfTheSystem("lldb-cli")
  )
  it.effect("sees what the system writes between two writes (lldb-cli)", () =>
    Reexecution.seesTheSystemBetween("lldb-cli")
  )
  it.effect("counts many writes with a debug server (lldb-cli)", () => Reexecution.countsManyWrites("lldb-cli"), limit)
  it.effect("claims nothing of many writes (lldb-cli)", () => Reexecution.claimsNothingOfMany("lldb-cli"), limit)
  it.effect(
    "names the write before a breakpoint (lldb-cli)",
    () => Passed.namesTheWriteBeforeABreakpoint("lldb-cli"),
    limit
  )
  it.effect(
    "knows arguments and frames on the stack (lldb-cli)",
    () => Reuse.knowsArgumentsAndFrames("lldb-cli"),
    limit
  )
  it.effect("shows values of templates (lldb-cli)", () => Reuse.showsValuesOfTemplates("lldb-cli"), limit)
  it.effect("names writes in steps (lldb-cli)", () => Passed.namesWritesInSteps("lldb-cli"), limit)
  for (const patience of ["120 seconds", "1 millis"] as const) {
    it.effect(
      `names no write to an earlier block, with a debug server after ${patience} (lldb-cli)`,
      () => Reuse.namesNoEarlierBlock("lldb-cli", patience),
      limit
    )
  }
  it.effect(
    "names a write of the same bytes (lldb-cli)",
    () => Reuse.namesAWriteOfTheSameBytes("lldb-cli", "120 seconds"),
    limit
  )
  it.effect("knows what allocations write (lldb-cli)", () => Reuse.knowsWhatAllocationsWrite("lldb-cli"), limit)
  it.effect("knows the owner of memory on the stack (lldb-cli)", () => Reuse.knowsTheOwnerOnTheStack("lldb-cli"), limit)
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`goes back after a call that the debugger rejected (${backend})`, () =>
      Reexecution.goesBackAfterErrors(backend)
    )
    it.effect(`goes back to stops and hits (${backend})`, () => Reexecution.goesBack(backend))
    it.effect(`gives a new run the random bytes of the first one (${backend})`, () =>
      Reexecution.repeatsTheSeed(backend)
    )
    it.effect(
      `counts writes of other memory with a debug server (${backend})`,
      () => Reexecution.countsOtherWrites(backend),
      limit
    )
    it.effect(`finds writes of local variables (${backend})`, () => Reexecution.findsLocals(backend))
  }
  it.effect("replaces the session in place", () => Reexecution.inPlace)
})

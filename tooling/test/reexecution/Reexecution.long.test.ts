/** `back` and `last-write` on both LLDB backends, for each kind of variable and each way back. */
import { layer } from "@effect/vitest"
import { platform } from "../support/fixturePrograms.ts"
import { hasWatchpoints } from "../support/tools.ts"
import * as Reexecution from "./reexecutionTests.ts"
import * as Passed from "../runners/passedTests.ts"
import * as Reuse from "./reuseTests.ts"

/** Most milliseconds of a test with several searches: each has five starts of a debugger. */
const limit = 150_000

layer(platform, { excludeTestServices: true, timeout: "300 seconds" })("running a program again", (it) => {
  const watching = it.effect.runIf(hasWatchpoints())
  watching("finds the write that broke a list (lldb-cli)", () => Reexecution.findsTheWrite("lldb-cli"))
  watching("claims nothing where another run may differ (lldb-cli)", () => Reexecution.claimsNothing("lldb-cli"))
  watching("claims nothing that the kernel wrote (lldb-cli)", () => Reexecution.claimsNothingOfTheKernel("lldb-cli"))
  watching("claims nothing that the system may have changed (lldb-cli)", () =>
    Reexecution.claimsNothingOfTheSystem("lldb-cli")
  )
  watching("sees what the system writes between two writes (lldb-cli)", () =>
    Reexecution.seesTheSystemBetween("lldb-cli")
  )
  watching("counts many writes with a debug server (lldb-cli)", () => Reexecution.countsManyWrites("lldb-cli"), limit)
  watching("claims nothing of many writes (lldb-cli)", () => Reexecution.claimsNothingOfMany("lldb-cli"), limit)
  watching(
    "names the write before a breakpoint (lldb-cli)",
    () => Passed.namesTheWriteBeforeABreakpoint("lldb-cli"),
    limit
  )
  watching("knows arguments and frames on the stack (lldb-cli)", () => Reuse.knowsArgumentsAndFrames("lldb-cli"), limit)
  watching("shows values of templates (lldb-cli)", () => Reuse.showsValuesOfTemplates("lldb-cli"), limit)
  watching("names writes in steps (lldb-cli)", () => Passed.namesWritesInSteps("lldb-cli"), limit)
  for (const patience of ["120 seconds", "1 millis"] as const) {
    watching(
      `names no write to an earlier block, with a debug server after ${patience} (lldb-cli)`,
      () => Reuse.namesNoEarlierBlock("lldb-cli", patience),
      limit
    )
  }
  watching(
    "names a write of the same bytes (lldb-cli)",
    () => Reuse.namesAWriteOfTheSameBytes("lldb-cli", "120 seconds"),
    limit
  )
  watching("knows what allocations write (lldb-cli)", () => Reuse.knowsWhatAllocationsWrite("lldb-cli"), limit)
  watching("knows the owner of memory on the stack (lldb-cli)", () => Reuse.knowsTheOwnerOnTheStack("lldb-cli"), limit)
  for (const backend of ["dap", "lldb-cli"] as const) {
    watching(`goes back after a call that the debugger rejected (${backend})`, () =>
      Reexecution.goesBackAfterErrors(backend)
    )
    watching(`goes back to stops and hits (${backend})`, () => Reexecution.goesBack(backend))
    watching(`gives a new run the random bytes of the first one (${backend})`, () =>
      Reexecution.repeatsTheSeed(backend)
    )
    watching(
      `counts writes of other memory with a debug server (${backend})`,
      () => Reexecution.countsOtherWrites(backend),
      limit
    )
    watching(`finds writes of local variables (${backend})`, () => Reexecution.findsLocals(backend))
  }
  watching("replaces the session in place", () => Reexecution.inPlace)
})

/** `back` and `last-write` run a program again: the right write is found, and nothing is claimed where a run may differ. */
import { layer } from "@effect/vitest"
import { platform } from "../support/fixturePrograms.ts"
import { hasWatchpoints } from "../support/tools.ts"
import * as Reexecution from "./reexecutionTests.ts"
import * as Passed from "../runners/passedTests.ts"
import * as Reuse from "./reuseTests.ts"

/** Most milliseconds of a test: it has up to several searches, each with five starts of a debugger. */
const limit = 150_000

layer(platform, { excludeTestServices: true, timeout: "120 seconds" })("running a program again", (it) => {
  const watching = it.effect.runIf(hasWatchpoints())
  watching(
    "finds the write that broke a list, and leaves the session as it was",
    () => Reexecution.findsTheWrite("dap"),
    limit
  )
  watching("claims nothing where another run may differ", () => Reexecution.claimsNothing("dap"), limit)
  watching("claims nothing that the kernel wrote", () => Reexecution.claimsNothingOfTheKernel("dap"), limit)
  watching("claims nothing that the system may have changed", () => Reexecution.claimsNothingOfTheSystem("dap"), limit)
  watching("counts many writes with a debug server", () => Reexecution.countsManyWrites("dap"), limit)
  watching("claims nothing of many writes", () => Reexecution.claimsNothingOfMany("dap"), limit)
  watching("sees what the system writes between two writes", () => Reexecution.seesTheSystemBetween("dap"), limit)
  watching("names the write before a breakpoint", () => Passed.namesTheWriteBeforeABreakpoint("dap"), limit)
  watching("names writes in steps", () => Passed.namesWritesInSteps("dap"), limit)
  watching("names no write to an earlier block", () => Reuse.namesNoEarlierBlock("dap", "120 seconds"), limit)
  watching("names no write to an earlier block of many", () => Reuse.namesNoEarlierBlock("dap", "1 millis"), limit)
  watching("names a write of the same bytes", () => Reuse.namesAWriteOfTheSameBytes("dap", "120 seconds"), limit)
  watching("names a write of the same bytes of many", () => Reuse.namesAWriteOfTheSameBytes("dap", "1 millis"), limit)
  watching("knows what allocations write", () => Reuse.knowsWhatAllocationsWrite("dap"), limit)
  watching("knows arguments and frames on the stack", () => Reuse.knowsArgumentsAndFrames("dap"), limit)
  watching("shows values of templates", () => Reuse.showsValuesOfTemplates("dap"), limit)
  watching("knows the owner of memory on the stack", () => Reuse.knowsTheOwnerOnTheStack("dap"), limit)
})

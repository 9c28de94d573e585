/** What `explain` says of all crashes and sanitizers, under both LLDB backends: see explainTests.ts. */
import { allHangs, hangTests } from "./explainHangTests.ts"
import { allCrashes } from "./crashCases.ts"
import {
  coreTests,
  crashTests,
  exceptionTests,
  sanitizerTests,
  terminateTests,
  wrongObjectTests
} from "./explainTests.ts"

for (const adapter of ["lldb-dap", "lldb"] as const) {
  crashTests(adapter, allCrashes)
  if (adapter === "lldb") coreTests(adapter)
  exceptionTests(adapter)
  terminateTests(adapter)
  if (adapter === "lldb") wrongObjectTests(adapter)
  sanitizerTests(adapter)
  hangTests(adapter, allHangs)
}

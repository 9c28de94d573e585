/** What `explain` says of crashes and hangs under lldb-dap: see explainTests.ts and explainHangTests.ts. */
import { hangTests, quickHangs } from "./explainHangTests.ts"
import { quickCrashes } from "./crashCases.ts"
import { coreTests, crashTests, wrongObjectTests } from "./explainTests.ts"

crashTests("lldb-dap", quickCrashes)
coreTests("lldb-dap")
wrongObjectTests("lldb-dap")
hangTests("lldb-dap", quickHangs)

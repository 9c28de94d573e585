/** What `explain` says of crashes and hangs under lldb-dap: see explainTests.ts and explainHangTests.ts. */
import { hangTests, quickHangs } from "./explainHangTests.ts"
import { crashTests, quickCrashes } from "./explainTests.ts"

crashTests("lldb-dap", quickCrashes)
hangTests("lldb-dap", quickHangs)

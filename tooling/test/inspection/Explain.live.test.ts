/** What `explain` says of crashes under lldb-dap: see explainTests.ts. */
import { crashTests, quickCrashes } from "./explainTests.ts"

crashTests("lldb-dap", quickCrashes)

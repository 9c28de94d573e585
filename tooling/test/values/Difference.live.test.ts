/** `diff` of two sessions, for some changes: see differenceTests.ts. */
import { differenceTests, quickChanges } from "./differenceTests.ts"

differenceTests("lldb-dap", quickChanges)

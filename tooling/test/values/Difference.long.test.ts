/** `diff` of two sessions, for all changes and under both LLDB backends: see differenceTests.ts. */
import { allChanges, differenceTests } from "./differenceTests.ts"

differenceTests("lldb-dap", allChanges)
differenceTests("lldb", allChanges)

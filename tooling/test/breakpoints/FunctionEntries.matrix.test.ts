/** Breakpoints and steps at the beginning of functions, under lldb-dap: see functionEntryTests.ts. */
import { functionEntryTests } from "./functionEntryTests.ts"

functionEntryTests("dap")

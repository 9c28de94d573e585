/** Breakpoints and steps at the beginning of functions, under LLDB's command line: see functionEntryTests.ts. */
import { functionEntryTests } from "./functionEntryTests.ts"

functionEntryTests("lldb-cli")

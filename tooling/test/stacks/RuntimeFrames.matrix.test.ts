/** Stops inside a library, under lldb-dap: see runtimeFrameTests.ts. */
import { runtimeFrameTests } from "./runtimeFrameTests.ts"

runtimeFrameTests("lldb-dap")

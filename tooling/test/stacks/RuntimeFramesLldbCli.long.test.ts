/** Stops inside a library, under LLDB's command line: see runtimeFrameTests.ts. */
import { runtimeFrameTests } from "./runtimeFrameTests.ts"

runtimeFrameTests("lldb")

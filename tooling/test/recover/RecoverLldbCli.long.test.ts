/** Sessions of LLDB's command line are recovered after a kill of the daemon: see recoverTests.ts. */
import { recoverTargetTests, recoverTests } from "./recoverTests.ts"

recoverTests("lldb")
recoverTargetTests("lldb")

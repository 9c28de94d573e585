/** Core files, debug servers and output under lldb-dap are recovered after a kill of the daemon: see recoverTests.ts. */
import { recoverTargetTests } from "./recoverTests.ts"

recoverTargetTests("lldb-dap")

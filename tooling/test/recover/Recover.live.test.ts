/** Sessions of lldb-dap are recovered after a kill of the daemon: see recoverTests.ts. */
import { recoverTests } from "./recoverTests.ts"

recoverTests("lldb-dap")

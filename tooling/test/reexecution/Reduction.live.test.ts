/** `bisect` of standard input under lldb-dap: see reductionTests.ts. */
import { reductionTests } from "./reductionTests.ts"

reductionTests("dap", [[]])

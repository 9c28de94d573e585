/** `bisect` under both LLDB backends: see reductionTests.ts. */
import { reductionTests, unreducedTests } from "./reductionTests.ts"

reductionTests("dap", [["{}"]])
unreducedTests("dap")
reductionTests("lldb-cli", [[], ["{}"]])
unreducedTests("lldb-cli")

/** `diverge` of all inputs and under both LLDB backends: see divergenceTests.ts. */
import { allDivergences, divergenceTests, otherTests, unclaimedTests } from "./divergenceTests.ts"

divergenceTests("dap", allDivergences)
divergenceTests("lldb-cli", allDivergences)
otherTests("dap")
otherTests("lldb-cli")
unclaimedTests("lldb-cli")

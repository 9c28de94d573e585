/** `diverge` of two inputs: see divergenceTests.ts. */
import { divergenceTests, quickDivergences, unclaimedTests } from "./divergenceTests.ts"

divergenceTests("dap", quickDivergences)
unclaimedTests("dap")

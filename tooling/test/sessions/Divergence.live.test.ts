/** `diverge` of two inputs: see divergenceTests.ts. */
import { divergenceTests, quickDivergences } from "./divergenceTests.ts"

divergenceTests("dap", quickDivergences)

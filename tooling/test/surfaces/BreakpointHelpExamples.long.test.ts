// The examples of commands about breakpoints, run against a C program: see helpExamples.ts.
import { helpExamples, isAboutBreakpoints } from "./helpExamples.ts"

helpExamples("the examples of commands about breakpoints", isAboutBreakpoints)

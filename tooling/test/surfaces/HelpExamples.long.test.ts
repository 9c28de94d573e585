// The examples of all other commands, run against a C program: see helpExamples.ts.
import { helpExamples, isAboutBreakpoints, resumes } from "./helpExamples.ts"

helpExamples("the examples of all other commands", (name) => !isAboutBreakpoints(name) && !resumes(name))

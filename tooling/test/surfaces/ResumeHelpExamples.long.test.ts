// The examples of commands that resume, run against a C program: see helpExamples.ts.
import { helpExamples, resumes } from "./helpExamples.ts"

helpExamples("the examples of commands that resume", resumes)

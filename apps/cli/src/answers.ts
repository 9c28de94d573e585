/**
 * Writes the file of the fixed answers. The build runs this module with the path of the file as its argument.
 */
import { writeFileSync } from "node:fs"
import * as AnswerFile from "@sigtrap/host/runtime/AnswerFile"
import * as FixedAnswerFile from "./runner/FixedAnswerFile.ts"

const [, , path] = process.argv
if (path !== undefined) writeFileSync(path, AnswerFile.make(FixedAnswerFile.texts()))

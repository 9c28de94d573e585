/**
 * Writes the file of the fixed answers; it runs when the app is bundled. Its argument is the path of the file.
 */
import { writeFileSync } from "node:fs"
import * as AnswerFile from "@sigtrap/host/runtime/AnswerFile"
import * as FixedAnswerFile from "./runner/FixedAnswerFile.ts"

const [, , path] = process.argv
if (path !== undefined) writeFileSync(path, AnswerFile.make(FixedAnswerFile.texts()))

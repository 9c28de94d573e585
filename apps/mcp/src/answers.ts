/**
 * Writes the file of the answers to the first messages of a client. The build runs this module with the path of the file as its
 * argument.
 */
import { writeFileSync } from "node:fs"
import * as AnswerFile from "@sigtrap/host/runtime/AnswerFile"
import * as Version from "@sigtrap/host/daemon/Version"
import { Effect } from "effect"
import * as FirstAnswers from "./server/FirstAnswers.ts"

const [, , path] = process.argv
if (path !== undefined) {
  Effect.runPromise(FirstAnswers.texts(Version.product)).then(
    (texts) => writeFileSync(path, AnswerFile.make(texts)),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`)
      process.exitCode = 1
    }
  )
}

/**
 * Settings of an LLDB that protect the user, and those that give the program its streams; the same for every backend.
 */
import { Command } from "@sigtrap/lldb"
import * as Result from "effect/Result"

type Built = Result.Result<string, Command.Refused>

/** In force whatever is debugged: nothing in a binary is run, no expression is corrected, nothing is downloaded. */
const always: ReadonlyArray<Built> = [
  Command.set("target.load-script-from-symbol-file", "false"),
  Command.set("target.auto-apply-fixits", "false"),
  Command.set("symbols.enable-external-lookup", "false")
]

/** Settings for something that is there already. */
export const attaching: Result.Result<ReadonlyArray<string>, Command.Refused> = Result.all(always)

/**
 * Settings for a program that is launched with these streams and no environment but the given one. Without streams
 * LLDB gives it a pseudo-terminal.
 */
export const launching = (
  paths: { readonly input: string; readonly output: string; readonly error: string } | undefined
): Result.Result<ReadonlyArray<string>, Command.Refused> =>
  Result.all([
    ...(paths === undefined
      ? []
      : [
          Command.setPath("target.input-path", paths.input),
          Command.setPath("target.output-path", paths.output),
          Command.setPath("target.error-path", paths.error)
        ]),
    Command.set("target.inherit-env", "false"),
    ...always
  ])

/**
 * LLDB settings that both backends use: safe defaults, and the program's streams.
 */
import { Command } from "@sigtrap/lldb"
import * as Result from "effect/Result"

type Built = Result.Result<string, Command.Refused>

/**
 * Settings for every target: no script in a binary is run, no expression is corrected, nothing is downloaded. Variables that the compiler
 * marks as artificial are listed: clang marks the names of a structured binding so.
 */
const always: ReadonlyArray<Built> = [
  Command.set("target.load-script-from-symbol-file", "false"),
  Command.set("target.auto-apply-fixits", "false"),
  Command.set("target.display-runtime-support-values", "true"),
  Command.set("symbols.enable-external-lookup", "false")
]

/** Settings for attach, core files and remote targets. */
export const attaching: Result.Result<ReadonlyArray<string>, Command.Refused> = Result.all(always)

/**
 * Settings for a program that is launched with these streams and only the given environment. Without streams LLDB creates a
 * pseudo-terminal for it.
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

/** The command that chooses the process to debug after a fork. */
export const followFork = (process: "parent" | "child"): string =>
  `settings set target.process.follow-fork-mode ${process}`

const sizing = `import fcntl,os,struct,termios
tty=os.open('/proc/%d/fd/0'%lldb.debugger.GetSelectedTarget().process.id,os.O_RDWR|os.O_NOCTTY)
fcntl.ioctl(tty,termios.TIOCSWINSZ,struct.pack('HHHH',24,80,0,0))
os.close(tty)`

/**
 * The command that gives the terminal of a launched program 24 rows of 80 columns (TIOCSWINSZ); LLDB creates it with none. It
 * needs an LLDB with Python and Linux's /proc.
 */
export const terminalSize = `script exec(${JSON.stringify(sizing)})`

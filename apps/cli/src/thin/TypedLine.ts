/**
 * A command line with what the daemon needs to know about this process: directory, environment and terminal.
 */
import * as StandardStreams from "./StandardStreams.ts"
import type { CommandLine } from "./Wire.ts"

/** Returns the command line of these words in this process. */
export const make = (argv: ReadonlyArray<string>): CommandLine => {
  const { env } = process
  const [stdout, stderr] = [StandardStreams.isTerminal(1), StandardStreams.isTerminal(2)]
  return {
    argv,
    directory: process.cwd(),
    environment: env,
    origin: StandardStreams.origin(),
    terminal: {
      stdout,
      stderr,
      columns: (stdout ? process.stdout.columns : Number(env["COLUMNS"])) || 80,
      color: stdout && !env["NO_COLOR"] && env["TERM"] !== "dumb"
    }
  }
}

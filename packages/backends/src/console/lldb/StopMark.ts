/**
 * A command that lldb-dap runs last at each stop, after it has written the `stopped` events (DAP) of all threads. Its output
 * marks their end.
 */

/** The texts of a last stop command (DAP adapters that run commands at each stop). */
export interface StopMark {
  /** Matches the output of the command. */
  readonly ends: RegExp
  /** Matches all that the command adds to the output of stop commands. */
  readonly added: RegExp
  /** The line before the output of stop commands. */
  readonly heading: string
}

/** The command. It only reads a setting. */
export const command = "settings show auto-confirm"

/** The texts of the command. Newer versions send each line in an event of its own. */
export const mark: StopMark = {
  ends: /^auto-confirm \(boolean\) = \w+$/m,
  added: /^(?:\(lldb\) settings show auto-confirm|auto-confirm \(boolean\) = \w+)(?:\n|$)/gm,
  heading: "Running stopCommands:\n"
}

/**
 * A command that lldb-dap runs last at each stop, after it has written the `stopped` events (DAP) of all threads. Its output
 * marks their end.
 */

/** The command. It only reads a setting. */
export const command = "settings show auto-confirm"

/** The texts of the command. Newer versions send each line in an event of its own. */
export const mark = {
  ends: /^auto-confirm \(boolean\) = \w+$/m,
  added: /^(?:\(lldb\) settings show auto-confirm|auto-confirm \(boolean\) = \w+)(?:\n|$)/gm,
  heading: "Running stopCommands:\n"
}

/**
 * The output on which LLDB reports what no command asked for. lldb-dap reads it from a pipe in a thread of its own, so that its event
 * `output` (DAP) can come after the event of a stop.
 */

/** Returns the command (Python) that writes a line to it. The line has no quotes and no backslashes. */
export const writing = (line: string): string =>
  `script sigtrap_errors = lldb.debugger.GetErrorFile(); _ = sigtrap_errors.Write(b"${line}\\n"); _ = sigtrap_errors.Flush()`

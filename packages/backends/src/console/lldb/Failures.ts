/**
 * LLDB's error messages by what they mean.
 */
import type { Failures } from "../Failures.ts"

/** The patterns of LLDB. */
export const failures: Failures = {
  "unknown-name": /undeclared identifier|no (?:variable or instance )?variable named/,
  "unknown-function": /Unable to find symbol|no function|not find/i,
  // LLDB stops a call that exceeds its time limit with the text of any other interrupted call.
  interrupted: /^Execution was interrupted|timed out/i,
  "not-running": /Process is not running/i,
  forbidden: /not permitted|ptrace_scope|permission denied/i,
  unreachable:
    /process unloaded during launch or attach|connection refused|could not connect|failed to connect|went away/i
}

/**
 * GDB's error messages by what they mean.
 */
import type { Failures } from "../Failures.ts"

/** The patterns of GDB. */
export const failures: Failures = {
  "unknown-type": /has unknown return type/,
  "unknown-name": /No symbol "(?<name>.*)" in/,
  "unknown-function": /no function|not find/i,
  unreadable: /^(?:Error occurred in Python: )?Cannot access memory at address/,
  forbidden: /not permitted|ptrace_scope|permission denied/i,
  unreachable: /connection refused|could not connect|failed to connect|went away/i
}

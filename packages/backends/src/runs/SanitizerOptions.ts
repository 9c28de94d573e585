/**
 * The options of sanitizers for a program that a debugger watches. A sanitizer ends the program by a system call, after which
 * nothing can be examined; with `abort_on_error` it aborts. LeakSanitizer fails under every debugger, because it uses ptrace itself.
 */

/** Options by their variable: those before the user's own, which may change them, and those after. */
const options: Readonly<Record<string, { readonly before?: string; readonly after?: string }>> = {
  ASAN_OPTIONS: { before: "abort_on_error=1" },
  HWASAN_OPTIONS: { before: "abort_on_error=1" },
  MSAN_OPTIONS: { before: "abort_on_error=1" },
  // Without the second option the program continues after a report: of ThreadSanitizer it aborts at its end, of the other it passes.
  TSAN_OPTIONS: { before: "abort_on_error=1:halt_on_error=1" },
  UBSAN_OPTIONS: { before: "abort_on_error=1:halt_on_error=1" },
  LSAN_OPTIONS: { after: "detect_leaks=0" }
}

/** Adds the options to an environment. */
export const add = (env: Readonly<Record<string, string>>): Record<string, string> => {
  const added = Object.entries(options).map(([name, { after, before }]) => {
    const parts = [before, env[name], after].filter((part) => part !== undefined && part !== "")
    return [name, parts.join(":")] as const
  })
  return { ...env, ...Object.fromEntries(added) }
}

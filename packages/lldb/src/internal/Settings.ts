/**
 * The settings that make an LLDB fit to be driven, and how it is seen that they are in force.
 *
 * Those of versions that know them are asked for by version; the rest are needed and verified.
 */
import * as Notice from "../Notice.ts"

/** One setting, its value as it is written on the command line. */
export type Setting = readonly [name: string, value: string]

/** The settings for a version. */
export const all = (major: number, token: string): ReadonlyArray<Setting> => [
  ["auto-confirm", "true"],
  ["use-color", "false"],
  ["stop-line-count-before", "0"],
  ["stop-line-count-after", "0"],
  ["stop-disassembly-display", "never"],
  ["interpreter.repeat-previous-command", "false"],
  ["interpreter.save-session-on-quit", "false"],
  ["term-width", "1024"],
  // Nothing that a binary brings along runs, and nothing is fetched.
  ["target.load-script-from-symbol-file", "false"],
  ["target.load-cwd-lldbinit", "false"],
  ["symbols.enable-external-lookup", "false"],
  ...(major >= 16 ? [["show-progress", "false"] as const] : []),
  ...(major >= 20 ? [["show-inline-diagnostics", "false"] as const] : []),
  ...(major >= 21 ? [["show-statusline", "false"] as const] : []),
  ...Notice.settings(token)
]

/** What is asked back, and what the answer must have. */
export const probes = (token: string): ReadonlyArray<readonly [command: string, expected: string]> => [
  ["settings show auto-confirm", "auto-confirm (boolean) = true"],
  ["settings show use-color", "use-color (boolean) = false"],
  ["settings show stop-line-count-before", "= 0"],
  ["settings show stop-line-count-after", "= 0"],
  ["settings show stop-disassembly-display", "= never"],
  ["settings show thread-stop-format", token]
]

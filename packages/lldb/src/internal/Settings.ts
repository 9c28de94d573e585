/**
 * The settings that the driver needs, and the commands that verify them.
 *
 * Settings of newer versions are sent to those only; the needed ones exist in all versions and are verified.
 */
import * as Notice from "../Notice.ts"

/** A setting, with its value as written on the command line. */
export type Setting = readonly [name: string, value: string]

/** Returns the settings for a version. */
export const all = (major: number, token: string): ReadonlyArray<Setting> => [
  ["auto-confirm", "true"],
  ["use-color", "false"],
  ["stop-line-count-before", "0"],
  ["stop-line-count-after", "0"],
  ["stop-disassembly-display", "never"],
  ["interpreter.repeat-previous-command", "false"],
  ["interpreter.save-session-on-quit", "false"],
  ["term-width", "1024"],
  // Scripts in binaries are not run, and no symbols are downloaded.
  ["target.load-script-from-symbol-file", "false"],
  ["target.load-cwd-lldbinit", "false"],
  ["symbols.enable-external-lookup", "false"],
  ...(major >= 16 ? [["show-progress", "false"] as const] : []),
  ...(major >= 20 ? [["show-inline-diagnostics", "false"] as const] : []),
  ...(major >= 21 ? [["show-statusline", "false"] as const] : []),
  ...Notice.settings(token)
]

/** Returns the commands that verify settings, each with the text that its output must contain. */
export const probes = (token: string): ReadonlyArray<readonly [command: string, expected: string]> => [
  ["settings show auto-confirm", "auto-confirm (boolean) = true"],
  ["settings show use-color", "use-color (boolean) = false"],
  ["settings show stop-line-count-before", "= 0"],
  ["settings show stop-line-count-after", "= 0"],
  ["settings show stop-disassembly-display", "= never"],
  ["settings show thread-stop-format", token]
]

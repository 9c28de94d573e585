/**
 * What a particular adapter does differently, as data: name, versions, and what it means for us. Code asks for a quirk
 * by name and never for a version.
 */

/** The peculiarities of one adapter in one version. */
export interface Quirks {
  /** The binary's name says what generation it is; both answer to the same launch arguments. */
  readonly family: "lldb"
  /** The stop at the entry point is told as an exception with the text "signal SIGSTOP". */
  readonly entryLooksLikeSignal: boolean
  /** A stop made by `pause` is told as an exception, with "signal SIGSTOP" or no text at all. */
  readonly pauseLooksLikeSignal: boolean
  /** A pause that comes right after `continue` can be told as the end of a step, which no `continue` has. */
  readonly pauseLooksLikeStep: boolean
  /** A step that another stop cut short goes on with the next resume, unless its plan is discarded by command. */
  readonly stepsGoOn: boolean
  /** The text of a debugger command begins with the line `(lldb) COMMAND`. */
  readonly echoesCommands: boolean
  /** `totalFrames` is the true depth; newer versions estimate until the end is known. */
  readonly exactTotals: boolean
  /** Initialization commands know the marks `!` (must succeed) and `?` (quiet). */
  readonly knowsCommandMarks: boolean
  /** The adapter has a switch against init files of the user. */
  readonly noInitFileSwitch: boolean
}

/** The quirks of lldb-dap and lldb-vscode by major version of LLDB; measured with 13 to 23. */
export const lldb = (major: number): Quirks => ({
  family: "lldb",
  entryLooksLikeSignal: major < 22,
  pauseLooksLikeSignal: true,
  pauseLooksLikeStep: true,
  stepsGoOn: true,
  echoesCommands: major < 21,
  exactTotals: major < 21,
  knowsCommandMarks: major >= 18,
  noInitFileSwitch: major >= 22
})

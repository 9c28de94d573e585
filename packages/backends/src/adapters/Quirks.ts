/**
 * What a particular adapter does differently, as data: name, versions, and what it means for us. Code asks for a quirk
 * by name and never for a version.
 */

/** The peculiarities of one adapter in one version. */
export interface Quirks {
  /** Whose language its command line, expressions and launch arguments are. */
  readonly family: "lldb" | "codelldb" | "gdb" | "debugpy" | "delve" | "js-debug"
  /** Breakpoints set before the program is known are told as unbound until it is; that says nothing of them. */
  readonly bindsAtRun?: boolean
  /** The program's own output comes as `output` events of the categories `stdout` and `stderr`. */
  readonly outputInEvents?: boolean
  /** No `exited` is sent; what the program ended with stands in an `output` event of the category `console`. */
  readonly exitInText?: RegExp
  /** Commands that let steps enter functions without debug information, and that end it; a step looks at it when it begins. */
  readonly stepsAnywhere?: { readonly on: string; readonly off: string }
  /** Stops for signals do not say which; the debugger is asked. */
  readonly namelessSignals?: boolean
  /** Stops at exception filters are told as breakpoints. */
  readonly catchesAreBreakpoints?: boolean
  /** A program that was launched is let go by this command alone, and only while it stands still. */
  readonly detaches?: string
  /** Attaching stops the process and tells of it, whether it was asked to or not. */
  readonly stopsAtAttach?: boolean
  /** A scope without variables is not listed at all. */
  readonly leavesOutScopes?: boolean
  /** A pointer has one child of this name, what it points to. */
  readonly pointedAt?: string
  /** The reason of the stop that is told when a function that was called for a value has returned. */
  readonly tellsOfCalls?: string
  /** Expressions from which the debugger never comes back; they are refused. */
  readonly neverReturns?: RegExp
  /** What the hover context answers is a declaration: `(int) n = 3`. */
  readonly hoverDeclares?: boolean
  /** A core file is opened by these commands in place of an attach request. */
  readonly opensCore?: (file: string) => ReadonlyArray<string>
  /** One variable that cannot be told fails all of its scope. */
  readonly failsForOne?: boolean
  /** The failure of a stack at a stop before the language's runtime has begun. */
  readonly nothingBegun?: RegExp
  /** Commands that would wait for a person, run a shell or end the debugger. */
  readonly waitsForPerson?: RegExp
  /** The stop at the entry point is that in `main`, for want of another. */
  readonly entryIsMain?: boolean
  /** Stops at exceptions and signals come without a text; `exceptionInfo` has it. */
  readonly stopsWithoutText?: boolean
  /** The first answer to `threads` is a list from the launch, without the threads that were made since. */
  readonly staleThreads?: boolean
  /** A death by signal is told as an exit with code 0. */
  readonly hidesSignals?: boolean
  /** Stops at breakpoints do not say at which. */
  readonly stopsWithoutIds?: boolean
  /** Of several breakpoints at one place only the first is ever hit, even when it is gone. */
  readonly onePerPlace?: boolean
  /** Source files are known by their whole paths only, not by endings of them. */
  readonly wholePaths?: boolean
  /** The text of an exception is its type and the description its message. */
  readonly exceptionTypeInText?: boolean
  /** Names of functions that are called otherwise here, `main` above all. */
  readonly functionNames?: Readonly<Record<string, string>>
  /** Descriptions of stops that say nothing which their reason does not say. */
  readonly emptyDescriptions?: RegExp
  /** What is told of an exception is its name alone, which has its type and, in the second place, its message. */
  readonly exceptionInName?: RegExp
  /** Exception filters that are on unless others are chosen, of adapters that mark none as their defaults. */
  readonly defaultFilters?: ReadonlyArray<string>
  /** Neither `process` nor `exited` is sent; the program is a process that we started, which tells its end. */
  readonly silentProcess?: boolean
  /** Asked to let the program go it ends it; when the adapter itself is gone, the program goes on. */
  readonly letsGoByEnding?: boolean
  /** To attach where nothing listens has no answer. */
  readonly silentRefusal?: boolean
  /** Whole lines on the program's standard error that its runtime writes because it is debugged. */
  readonly runtimeNotices?: ReadonlyArray<string>
  /** What stands before names of functions and does not belong to them. */
  readonly functionPrefix?: RegExp
  /** A program that waits for events does not stop until it runs something; this expression is something to run. */
  readonly idleExpression?: string
  /** Scopes by their names, where hints say something else: those of a frame itself, those it sees around it. */
  readonly scopes?: {
    readonly own: RegExp
    /** Is a frame's own where there is none of `own` that is the frame's whole. */
    readonly whole: RegExp
    readonly top: RegExp
    readonly around: RegExp
  }
  /** Names of members that the language has on everything. */
  readonly hiddenMembers?: RegExp
  /** Pages are kept to for the elements of long arrays alone, when they are asked for as `indexed`. */
  readonly pagesElements?: boolean
  /** The stop at the entry point is told as an exception with the text "signal SIGSTOP". */
  readonly entryLooksLikeSignal: boolean
  /** A stop made by `pause` is told as an exception, with "signal SIGSTOP" or no text at all. */
  readonly pauseLooksLikeSignal: boolean
  /** A pause that comes right after `continue` can be told as the end of a step, which no `continue` has. */
  readonly pauseLooksLikeStep: boolean
  /** A step that another stop cut short goes on with the next resume, unless its plan is discarded by command. */
  readonly stepsGoOn?: boolean
  /** The text of a debugger command begins with the line `(lldb) COMMAND`. */
  readonly echoesCommands: boolean
  /** `image dump symfile` is safe; it crashes after the adapter has made previews of values, which newer ones do. */
  readonly dumpsSafely?: boolean
  /** `totalFrames` is the true depth; newer versions estimate until the end is known. */
  readonly exactTotals: boolean
  /** Initialization commands know the marks `!` (must succeed) and `?` (quiet). */
  readonly knowsCommandMarks: boolean
  /** The command line says nothing of the stop at the entry point. */
  readonly silentEntry?: boolean
  /** The adapter has a switch against init files of the user. */
  readonly noInitFileSwitch: boolean
}

/** The quirks of lldb-dap and lldb-vscode by major version of LLDB; measured with 13 to 23. */
export const lldb = (major: number): Quirks => ({
  family: "lldb",
  staleThreads: major >= 21,
  stopsWithoutText: major < 16,
  entryLooksLikeSignal: major < 22,
  pauseLooksLikeSignal: true,
  pauseLooksLikeStep: true,
  stepsGoOn: true,
  echoesCommands: major < 21,
  dumpsSafely: major < 17,
  exactTotals: major < 21,
  knowsCommandMarks: major >= 18,
  silentEntry: major < 15,
  noInitFileSwitch: major >= 22,
  hoverDeclares: major === 17 || major === 18,
  // A call through an entry of a table of functions: 22 alone.
  ...(major === 22 ? { neverReturns: /^\(\(.*\(\*\)\(.*\)\)\(\*\(void\*\*\*\).*\)\[\d+\]\)\(/s } : {})
})

/** What other adapters have in common: nothing is told in LLDB's ways. */
const plain = {
  entryLooksLikeSignal: false,
  pauseLooksLikeSignal: false,
  pauseLooksLikeStep: false,
  echoesCommands: false,
  exactTotals: false,
  knowsCommandMarks: false,
  noInitFileSwitch: false
} as const

/** The quirks of debugpy; measured with 1.6 and 1.8. */
export const debugpy = (): Quirks => ({
  ...plain,
  family: "debugpy",
  exactTotals: true,
  wholePaths: true,
  exceptionTypeInText: true,
  stopsWithoutIds: true
})

/** The quirks of Delve; measured with 1.20 and 1.24. */
export const delve = (): Quirks => ({
  ...plain,
  family: "delve",
  wholePaths: true,
  nothingBegun: /unknown goroutine/,
  exitInText: /^Process \d+ has exited with status (-?\d+)/,
  functionNames: { main: "main.main" }
})

/** The quirks of js-debug; measured with 1.117. */
export const jsDebug = (): Quirks => ({
  ...plain,
  family: "js-debug",
  bindsAtRun: true,
  onePerPlace: true,
  wholePaths: true,
  // Numbers from before the program was there meet those from after; places are told apart.
  stopsWithoutIds: true,
  stopsWithoutText: true,
  emptyDescriptions: /^Paused\b/,
  exceptionInName: /^([A-Za-z_$][\w$.]*)(?:: ([^]*))?$/,
  defaultFilters: ["uncaught"],
  silentProcess: true,
  letsGoByEnding: true,
  silentRefusal: true,
  runtimeNotices: ["Debugger attached.\n", "Waiting for the debugger to disconnect...\n"],
  functionPrefix: /^global\./,
  // A pause that comes in a part of Node that is passed over is told at the end of that.
  pauseLooksLikeStep: true,
  idleExpression: "0 // the event loop waits: nothing of the program runs",
  scopes: {
    own: /^(?:Local|Block|Catch|With|Eval)\b/,
    whole: /^Local\b/,
    top: /^(?:Module|Script)\b/,
    around: /^(?:Closure|Module|Script)\b/
  },
  hiddenMembers: /^\[\[(?:Prototype|FunctionLocation|Scopes)\]\]$/,
  pagesElements: true
})

/** A file name as GDB's commands take it: with whitespace, quotes and backslashes escaped. */
export const gdbFile = (file: string): string => file.replaceAll(/[ \t\n\r\f\v\\'"]/g, "\\$&")

/** The quirks of GDB by major version; measured with 16 and 18. */
export const gdb = (major = 18): Quirks => ({
  ...plain,
  family: "gdb",
  hidesSignals: true,
  namelessSignals: true,
  catchesAreBreakpoints: true,
  detaches: "detach",
  tellsOfCalls: "function call",
  pointedAt: "value",
  leavesOutScopes: true,
  stopsAtAttach: true,
  ...(major < 18
    ? {
        failsForOne: true,
        // Its adapter takes the threads of a core file for running ones.
        opensCore: (file: string) => [
          `python exec("import gdb, gdb.dap.events\\ngdb.execute(given)\\ngdb.dap.events.inferior_running = False", {"given": ${JSON.stringify(`core-file ${gdbFile(file)}`)}})`
        ]
      }
    : {}),
  entryIsMain: major < 16,
  stepsAnywhere: { on: "set step-mode on", off: "set step-mode off" },
  waitsForPerson:
    /^\s*(?:$|q(?:uit)?\b|exit\b|sh(?:ell)?\b|!|make\b|pipe\b|\||edit\b|tui\b|layout\b|(?:py(?:thon)?|pi|python-interactive|gu(?:ile)?|commands|define|document)\s*(?:[\w.-]*\s*)?$)/
})

/** The quirks of CodeLLDB, which has never been run. */
export const codelldb = (): Quirks => ({ ...plain, family: "codelldb", outputInEvents: true })

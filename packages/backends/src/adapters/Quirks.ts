/**
 * The deviations of adapters from DAP or from other adapters, as data. Each adapter's file has the quirks of its versions.
 * Other code reads quirks only, never an adapter's name or version.
 */

import type { Backend } from "@sigtrap/manager"
import type { Failures } from "../console/Failures.ts"

/** The texts of a command that an adapter runs last at each stop. */
export interface StopMark {
  /** Matches the output of the command. */
  readonly ends: RegExp
  /** Matches all that the command adds to the output of stop commands. */
  readonly added: RegExp
  /** The line before the output of stop commands. */
  readonly heading: string
}

/** The deviations of one adapter in one version. */
export interface Quirks {
  /** Matches the error messages of the adapter, by their meaning. */
  readonly failures?: Failures
  /** Matches the text of a stop made by the launch of a program: it executed its file, or got SIGSTOP. */
  readonly launchStop?: RegExp
  /** Before the program is loaded every breakpoint is reported unverified; such a response is ignored. */
  readonly verifiesAtRun?: boolean
  /** The program's output arrives as `output` events of the categories `stdout` and `stderr`. */
  readonly outputInEvents?: boolean
  /** `exited` is not sent. Matches the exit code in an `output` event of the category `console`. */
  readonly exitCodeInText?: RegExp
  /**
   * The debugger keeps a step that a stop interrupted, and refuses other steps until the program is continued. Matches what it says then in the
   * category `console`.
   */
  readonly keepsStep?: RegExp
  /**
   * The debugger can lose the program's threads without a word, and then reports no breakpoint of them. This text of the category `telemetry`
   * arrives at the program's end if it has not.
   */
  readonly traced?: string
  /** The stop at the entry point is the first stop and has no reason of its own. */
  readonly firstStopIsEntry?: boolean
  /** Stops at exception filters have the reason `breakpoint`. */
  readonly exceptionsLookLikeBreakpoints?: boolean
  /** The command that detaches from a launched and stopped program; `disconnect` would kill it. */
  readonly detachCommand?: string
  /** Attaching stops the process and reports the stop, whatever the value of `stopOnEntry`. */
  readonly stopsAtAttach?: boolean
  /** A scope without variables is not listed. */
  readonly omitsEmptyScopes?: boolean
  /**
   * The field `format` of `evaluate` has no effect, or makes texts that are not numbers of the language: digits without `0x`, the bytes of a
   * string. Numbers are formatted from their text.
   */
  readonly formatsNoNumbers?: boolean
  /** Tells if the only child of a value is its target: of each value, or of pointers and references of C, C++ and Rust. */
  readonly target?: {
    readonly of: "all" | "pointers"
    readonly isTarget: (child: Pick<Backend.Value, "expression" | "name">) => boolean
  }
  /** Values have no `evaluateName`. Their expressions are composed of their names. */
  readonly namesNoValues?: boolean
  /**
   * It evaluates a corrected form of an expression that it cannot parse, whatever its settings say: LLDB's adapter puts a semicolon into
   * `a b` and answers with `b`.
   */
  readonly correctsExpressions?: boolean
  /** The context `hover` neither calls functions nor writes. */
  readonly hoverRunsNoCode?: boolean
  /**
   * Tells whether an expression runs code of the program: the value of `expression(text)` has as its `answer` nothing if it runs none,
   * `!` with what would run, or `?` with why it fails. `use` is what the text is: a value, or the target of an assignment.
   */
  readonly codeCheck?: {
    readonly expression: (text: string, use: "value" | "target") => string
    readonly answer: (value: string) => string | undefined
  }
  /**
   * Returns a statement that the adapter executes in the program before the program runs; `forbidsCode` if the session's policy forbids
   * to run code of the program: reading values must run none then, and the start fails if the statement does.
   */
  readonly preparation?: (forbidsCode: boolean) => string
  /** The reason of the stop that is reported when a function called by an expression has returned. */
  readonly callStopReason?: string
  /** Returns the problem of an expression that is the name of a type and has no value; undefined for other errors. */
  readonly typeNameProblem?: (expression: string, detail: string) => string | undefined
  /** Expressions that the adapter never answers; they are refused. */
  readonly neverAnswered?: RegExp
  /** Matches statements: `eval` runs them in the context `repl`, because the context `watch` takes expressions only. */
  readonly statement?: RegExp
  /** The context `hover` answers with a declaration: `(int) n = 3`. */
  readonly hoverAnswersDeclaration?: boolean
  /** Breakpoints are instructions in the program's memory, at which SIGTRAP ends a program whose debugger was killed. */
  readonly insertsTraps?: boolean
  /** A core file is opened by a command of `prepare` in place of an attach request. */
  readonly opensCoreByCommand?: boolean
  /** One unreadable variable makes the request for its whole scope fail. */
  readonly scopeFailsForOneVariable?: boolean
  /** The failure of `stackTrace` before the language's runtime has started. */
  readonly noStackYet?: RegExp
  /** `stopOnEntry` stops in `main`; the adapter has no earlier entry point. */
  readonly entryIsMain?: boolean
  /** True in a frame through which an exception passes that was raised in a frame below; it stops in each of these frames. */
  readonly exceptionPasses?: string
  /** Stops at exceptions and signals have no text; `exceptionInfo` has it. */
  readonly stopsWithoutText?: boolean
  /** The first answer to `threads` lacks threads created since the launch. */
  readonly staleThreads?: boolean
  /** A death by signal is reported as exit code 0. */
  readonly hidesSignals?: boolean
  /** A negative exit code is the number of the signal that ended the program. */
  readonly negativeSignals?: boolean
  /** Stops at breakpoints do not name the breakpoint. */
  readonly stopsWithoutIds?: boolean
  /**
   * A stop at the end of a step does not name the breakpoint there. `expression` reads the instruction at an address as a number, which
   * `isTrap` recognizes as that of a breakpoint.
   */
  readonly stepsHideBreakpoints?: {
    readonly expression: (address: string) => string
    readonly isTrap: (instruction: number) => boolean
  }
  /** Matches the text of an exception that reports a condition which could not be evaluated; its group has the problem. */
  readonly conditionProblem?: RegExp
  /**
   * The `variablesReference` of each scope, which is the same for all frames: it means the frame of the last `scopes` request. So the variables
   * are requested together with the scopes, before another frame's.
   */
  readonly scopeReferences?: { readonly locals: number; readonly globals: number; readonly registers: number }
  /** The innermost frame of a thread has the same `id` at each stop. */
  readonly recurringFrameIds?: boolean
  /** The adapter keeps only one of several breakpoints at one place. The others are set by commands of the debugger or refused. */
  readonly onePerPlace?: boolean
  /** Source files are known by absolute paths only, not by a path's ending. */
  readonly absolutePathsOnly?: boolean
  /** `text` of an exception is its type and `description` its message. */
  readonly exceptionTypeInText?: boolean
  /** The adapter's names of functions, by their usual names, such as `main`. */
  readonly functionNames?: Readonly<Record<string, string>>
  /** The commands that list the global variables among the scopes of a frame, and that do not. */
  readonly globalsSetting?: { readonly on: string; readonly off: string }
  /** Comes before an expression that calls functions of the program. */
  readonly callPrefix?: string
  /** The functions of the runtime that the names of `catch` mean, such as `panic`. */
  readonly catchFunctions?: Readonly<Record<string, string>>
  /** Functions are found by their name alone, without class or module; others are accepted and never stop. */
  readonly plainFunctionNames?: boolean
  /** Matches the name of a frame that raised the cause of an exception: the message of the cause, then the name of the function. */
  readonly raisedFrame?: RegExp
  /**
   * The description of a stop at the rejection of a promise that nothing handles yet. The expression is false if code that sigtrap loaded
   * into the program knows that it does not fail a test; the program is resumed then.
   */
  readonly rejection?: { readonly description: string; readonly isFailure: string }
  /** It stops at exceptions that the program may still handle (`Connection`). */
  readonly predictsUncaught?: Backend.Connection["predictsUncaught"]
  /** Stop descriptions that only repeat the reason. */
  readonly emptyDescriptions?: RegExp
  /**
   * Returns the text of a value of a type, without what the adapter adds to it and without sizes that it invents. `members` is the number of its
   * members, if the adapter says it.
   */
  readonly valueText?: (text: string, type?: string, members?: number) => string
  /** An assignment is this request (DAP), since `evaluate` refuses statements. */
  readonly assignsBy?: "setExpression" | "setVariable"
  /** Stop descriptions that consist of the debugger's own numbers of breakpoints or of a watchpoint. */
  readonly numberDescriptions?: RegExp
  /** Matches the type and the message of an exception in `exceptionId`. */
  readonly exceptionInId?: RegExp
  /** Exception filters set at the start although the adapter marks none as default. */
  readonly defaultFilters?: ReadonlyArray<string>
  /**
   * The runtime catches exceptions that end the program, so that they count as caught. While the filter `uncaught` is on by default, the
   * filter `caught` is set with the condition `endsProgram`, which recognizes them. `noteStop` is evaluated at each stop at an exception.
   * If it is false, the conditions of caught exceptions take too long: only uncaught ones stop the program from then on, and it is resumed.
   */
  readonly runtimeCatches?: {
    readonly uncaught: string
    readonly caught: string
    readonly endsProgram: string
    readonly noteStop: string
  }
  /** No exception filter is set at the start, not even those the adapter marks as default. */
  readonly ignoresDefaultFilters?: boolean
  /** `process` and `exited` are not sent; the process that we started reports the program's end. */
  readonly silentProcess?: boolean
  /** `disconnect` kills the program; killing the adapter leaves it running. */
  readonly detachesWhenKilled?: boolean
  /** Attaching to a closed port is never answered. */
  readonly silentRefusal?: boolean
  /** Lines that the program's runtime writes to its standard error because a debugger is attached; `last` is the one before the program ends. */
  readonly runtimeNotices?: { readonly lines: ReadonlyArray<string>; readonly last?: string }
  /** A part that the debugger adds to function names. */
  readonly functionNote?: RegExp
  /**
   * Matches the text of a group of exceptions. The expression reads its members: JSON in hexadecimal digits, a list of `text`, `function`,
   * `file` and `line`.
   */
  readonly exceptionGroup?: { readonly text: RegExp; readonly members: string }
  /** An expression that reads the exceptions that led to the current one, the newest first, as the members of a group are read. */
  readonly earlierExceptions?: string
  /** The request that opens a connection to the inspector of V8, which has the thrown value. */
  readonly inspectorProxy?: string
  /** Matches what the debugger writes in place of the empty message of an exception. */
  readonly emptyMessage?: RegExp
  /** A part that the debugger adds to the types of exceptions. */
  readonly exceptionNote?: RegExp
  /** An expression to evaluate in a program that waits for events: it runs code then and can be paused. */
  readonly idleExpression?: string
  /** The file of the frame in which that expression is evaluated. */
  readonly idleFile?: string
  /** Matches the names of scopes, for adapters whose `presentationHint` is wrong. */
  readonly scopes?: {
    /** Scopes of the frame itself. */
    readonly own: RegExp
    /** The scope that has all variables of the frame. If it is missing, `top` belongs to the frame too. */
    readonly whole: RegExp
    /** Scopes of the file's top level. */
    readonly top: RegExp
    /** Scopes that enclose the frame. */
    readonly around: RegExp
  }
  /** Builtin functions of the language that the adapter computes itself in `evaluate`. It runs no code of the program for them. */
  readonly readingCalls?: ReadonlySet<string>
  /**
   * Every evaluation can run code of the program, also one that reads: getters, proxies, conversions, descriptions. Requests for
   * variables run none, except for members with the hint `lazy`.
   */
  readonly propertiesRunCode?: boolean
  /** The variables of scopes are copies made at the stop. What an expression assigns does not show in them. */
  readonly copiesScopes?: boolean
  /** The text of a member that has a setter only. To assign to it runs code of the program. */
  readonly setterText?: string
  /** The text of a member with the hint `lazy`, whose value is what reads it. */
  readonly lazyText?: string
  /** What a function returned is not reported after the step out of it. */
  readonly hidesReturned?: boolean
  /** Matches members that every value of the language has; they are not shown. */
  readonly hiddenMembers?: RegExp
  /** Returns the name of a thread as the users of the language know it. */
  readonly threadName?: (name: string) => string
  /** Matches the frames in which the entry point is. The adapter's breakpoint there may also be in a function that runs later. */
  readonly entryFrame?: RegExp
  /** Matches the name and value of a variable that only says that the frame's compile unit has none. */
  readonly noVariables?: RegExp
  /** `start` and `count` are respected for the elements of long arrays only, with the filter `indexed`. */
  readonly pagesElementsOnly?: boolean
  /** The stop at the entry point is reported as an exception with the text "signal SIGSTOP". */
  readonly entryLooksLikeSignal?: boolean
  /** A stop made by `pause` is reported as an exception, with "signal SIGSTOP" or no text. */
  readonly pauseLooksLikeSignal?: boolean
  /** A pause of a program whose breakpoints the debugger resumes by itself can stay unanswered. SIGSTOP stops the program like a pause. */
  readonly losesPauses?: boolean
  /** `stopped` events of several threads can be written around the answer to a request. The last stop command marks their end. */
  readonly stopMark?: StopMark
  /** A stop made by `pause` right after `continue` can have the reason `step`. */
  readonly pauseLooksLikeStep?: boolean
  /** A stop at a statement of the program that stops it, such as `breakpoint()` of Python, has the reason `step`. */
  readonly statementLooksLikeStep?: boolean
  /** Matches the text of a stop at a statement of the program that stops it. Its reason is that of a pause. */
  readonly stopStatement?: RegExp
  /** The text of a debugger command begins with the line `(lldb) COMMAND`. */
  readonly echoesCommands?: boolean
  /** `image dump symfile` does not crash; newer versions crash after previews of values were made. */
  readonly symfileDumpIsSafe?: boolean
  /** `totalFrames` is the exact depth. Newer versions estimate it until the last frame is known. */
  readonly exactTotals?: boolean
  /** Initialization commands may begin with `!` (must succeed) and `?` (quiet). */
  readonly supportsCommandMarks?: boolean
  /** LLDB's command line does not print the stop at the entry point. */
  readonly silentEntry?: boolean
  /** Hit counts are evaluated correctly, if `supportsHitConditionalBreakpoints` is advertised. */
  readonly countsHits?: boolean
  /** Log messages are written correctly, if `supportsLogPoints` is advertised. */
  readonly writesLogMessages?: boolean
  /** Answers to `setFunctionBreakpoints` are in another order than the request. */
  readonly unorderedFunctions?: boolean
  /** A source with a `sourceReference` is a disassembly that the adapter generated. */
  readonly disassemblyAsSource?: boolean
  /** Thread ids are those of the operating system. */
  readonly osThreadIds?: boolean
  /** The `moduleId` of a frame is the path of the module's file. */
  readonly moduleIdIsPath?: boolean
  /** The `id` of a module is the UUID of its file. */
  readonly moduleIdIsUuid?: boolean
}

/**
 * The trials of an adapter: scenarios (YAML, as `sigtrap test` reads them) that debug a small program by launch, attach, core
 * file or remote target. `doctor` runs them. Each compiles or writes its program in its working directory.
 */

/** How a program is debugged. */
export type Way = "launch" | "attach" | "core" | "remote"

/** A debug server on this machine. */
export interface Server {
  readonly kind: "lldb-server" | "gdbserver"
  readonly path: string
}

/** What a scenario may use. */
export interface Context {
  /** The name of the adapter. */
  readonly name: string
  /** Its path, which needs no quoting in a shell line or in YAML. */
  readonly path: string
  /** A free port of the loopback address. */
  readonly port: number
  /** The debug servers on this machine. */
  readonly servers: ReadonlyArray<Server>
}

/** The trials of an adapter. */
export interface Trials {
  /** What builds the program, by its name in `needs` of a scenario and as people call it; absent for interpreters. */
  readonly compiler?: { readonly tool: string; readonly title: string }
  /** Returns the scenario of a way, undefined if the machine lacks something; a way without a scenario is not tried. */
  readonly scenarios: { readonly [way in Way]?: (context: Context) => string | undefined }
  /** Why a way has no scenario. */
  readonly without?: { readonly [way in Way]?: string }
}

/** Steps for a launched program: a breakpoint at a line, a variable, the exit. */
export const launchSteps = (line: number) => `steps:
  - name: stop at a breakpoint
    check_state: stopped
    expect: { line: ${line} }
  - name: read a variable
    evaluate: answer
    expect: 42
  - name: run to the end
    command: continue
    expect: { event: exited }
`

/** Steps for a running process: a stop, and a detach that leaves it running. */
export const attachSteps = `steps:
  - name: stop a running process
    check_state: stopped
  - name: detach from it
    command: detach
`

/** Matches paths that need no quoting in a shell line and in YAML. */
const plain = /^[\w./+-]+$/

/** Returns the scenario of a way; undefined if there is none. An adapter at a path that needs quoting is only tried by launch. */
export const scenario = ({ scenarios }: Trials, way: Way, context: Context): string | undefined =>
  way === "launch" || plain.test(context.path) ? scenarios[way]?.(context) : undefined

/** Returns why a way without a scenario is not tried. */
export const untested = ({ scenarios, without }: Trials, way: Way, { path }: Context): string =>
  scenarios[way] !== undefined && way !== "launch" && !plain.test(path)
    ? "the path has a character that needs quoting"
    : (without?.[way] ?? "no trial exists for it")

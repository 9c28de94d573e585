/**
 * Starts a process that outlives this one, by Node's internal interface to processes, which `node:child_process` uses too: a thin client
 * that starts the daemon waits three milliseconds less than with that module.
 */
import * as NodeBinding from "../runtime/NodeBinding.ts"

/** What is started. */
export interface Options {
  readonly program: string
  readonly args: ReadonlyArray<string>
  readonly directory: string
  readonly environment: { readonly [name: string]: string | undefined }
  /** Descriptor of the standard output and of the standard error. */
  readonly output: number
}

/**
 * Starts a process as the leader of a session of its own, without an input. Calls `onEnd` with its exit code, or with the name of the signal
 * that ended it. Returns false, and has started nothing, if this runtime lacks the interface or the system refuses: `node:child_process`
 * says why.
 */
export const start = (
  { args, directory, environment, output, program }: Options,
  onEnd: (how: number | string) => void
): boolean => {
  const { Process }: NodeBinding.Parts = NodeBinding.find("process_wrap") ?? {}
  if (!NodeBinding.isClass(Process, ["spawn", "unref"])) return false
  const onexit = (code: number, signal: string | null) => onEnd(signal === "" || signal === null ? code : signal)
  const handle = Object.assign(Object(new Process()), { onexit })
  const problem: unknown = handle.spawn({
    file: program,
    args: [program, ...args],
    cwd: directory,
    detached: true,
    envPairs: Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`])),
    stdio: [{ type: "ignore" }, { type: "fd", fd: output }, { type: "fd", fd: output }]
  })
  if (problem !== 0) return false
  handle.unref()
  return true
}

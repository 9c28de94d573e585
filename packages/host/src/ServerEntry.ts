/**
 * The entry of a server that is started by a command of its own or by `sigtrap`. Plain code, so that a Node that is too old
 * for the server can still load it.
 */
import type { Command } from "./daemon/start/Launcher.ts"
import * as CompileCache from "./runtime/CompileCache.ts"
import * as NodeVersion from "./runtime/NodeVersion.ts"

/**
 * Runs a server in this process. `words` are the words after its name, `daemon` returns the command that starts a daemon if
 * none runs.
 */
export type Run = (words: ReadonlyArray<string>, daemon?: () => Promise<Command | undefined>) => void

/** Returns a server that is loaded with Node's compile cache, and refused under a Node that is too old. */
export const make =
  (name: string, load: () => Promise<{ readonly run: Run }>): Run =>
  (words, daemon) => {
    if (NodeVersion.isTooOld()) return NodeVersion.refuse(name)
    CompileCache.enable()
    void load().then(({ run }) => run(words, daemon))
  }

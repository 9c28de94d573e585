/**
 * Names of the backends, which are the ways to drive a debugger, and the words that a caller may write for them.
 */
import * as Schema from "effect/Schema"

/** A backend: DAP, or the command line of LLDB. */
export const BackendName = Schema.Literals(["dap", "lldb-cli"])
/** A backend: DAP, or the command line of LLDB. */
export type BackendName = typeof BackendName.Type

/** Every backend. */
export const names: ReadonlyArray<BackendName> = BackendName.literals

const words: Readonly<Record<string, BackendName>> = { dap: "dap", "lldb-cli": "lldb-cli", lldb: "lldb-cli" }

/** Returns the backend that a word names. `lldb` is short for `lldb-cli`. */
export const parse = (word: string): BackendName | undefined => (Object.hasOwn(words, word) ? words[word] : undefined)

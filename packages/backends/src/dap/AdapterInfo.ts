/**
 * Facts about an adapter that DAP does not define: its version, its last output, how it ended.
 */
import type { Capabilities, Transport } from "@sigtrap/dap"
import { Parse } from "@sigtrap/lldb"

/** LLDB's version in the initialize response; the field depends on the version. */
export const versionIn = (capabilities: Capabilities.Capabilities): string | undefined => {
  const nested = capabilities["__lldb"]
  const texts = [
    capabilities["$__lldb_version"],
    typeof nested === "object" && nested !== null && "version" in nested ? nested.version : undefined
  ]
  return texts
    .map((text) => (typeof text === "string" ? Parse.version(text) : undefined))
    .find((text) => text !== undefined)
}

/** The last 20 lines of a text; undefined if it is empty. */
export const lastLines = (text: string): string | undefined => {
  const lines = text.trimEnd().split("\n").slice(-20).join("\n")
  return lines === "" ? undefined : lines
}

/** How an adapter ended, for a sentence that begins with its name. */
export const endOf = (exit: Transport.Exit) =>
  exit.signal !== undefined
    ? `was killed by ${exit.signal}`
    : exit.code === undefined
      ? "has gone away"
      : `exited with code ${exit.code}`

/**
 * What is read off an adapter beside the protocol: its version, its last words, how it ended.
 */
import type { Capabilities, Transport } from "@sigtrap/dap"
import { Parse } from "@sigtrap/lldb"

/** LLDB's version in the initialize response, where every generation puts it elsewhere. */
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

/** The last lines of what an adapter wrote, if it wrote any. */
export const lastWords = (text: string): string | undefined => {
  const lines = text.trimEnd().split("\n").slice(-20).join("\n")
  return lines === "" ? undefined : lines
}

/** How an adapter ended, in words. */
export const endOf = (exit: Transport.Exit) =>
  exit.signal !== undefined
    ? `was killed by ${exit.signal}`
    : exit.code === undefined
      ? "has gone away"
      : `exited with code ${exit.code}`

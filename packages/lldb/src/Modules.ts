/**
 * Commands for loaded modules (`image list` with chosen columns), and parsers of their output.
 */
import type * as Effect from "effect/Effect"
import * as Steps from "./internal/Steps.ts"

/** A module; `address` is that of its loaded header. */
export interface Module {
  readonly name: string
  readonly path: string
  readonly address?: string
  readonly uuid?: string
}

/** Prints the symbol file of each module, by index. */
export const symbolFiles = "image list --symfile"

/** Parses the output of `symbolFiles`; "" for a module without one. */
export const files = (output: string): ReadonlyArray<string> =>
  output.split("\n").flatMap((line) => {
    const file = /^\[ *\d+\] *(.*?) *(?:\(0x[0-9a-fA-F]+\))? *$/.exec(line)?.[1]
    return file === undefined ? [] : [file]
  })

/** Prints index, UUID, address of the header and path of each module. */
export const list = "image list --uuid --header --fullpath"

const row = /^\[ *\d+\] (?:([0-9A-Fa-f-]{8,}) +)?(0x[0-9a-fA-F]+)? *(\S.*?) *(?:\(0x[0-9a-fA-F]+\))? *$/

/** Parses the output of `list`. */
export const parse = (output: string): ReadonlyArray<Module> =>
  output.split("\n").flatMap((line) => {
    const [, uuid, address, path] = row.exec(line) ?? []
    if (path === undefined) return []
    return [
      {
        name: path.split("/").at(-1) ?? path,
        path,
        ...(address === undefined ? {} : { address: `0x${BigInt(address).toString(16)}` }),
        ...(uuid === undefined ? {} : { uuid })
      }
    ]
  })

/** Parses the same as `parse`, and lets other fibers run after each step. */
export const parseInSteps = (output: string): Effect.Effect<ReadonlyArray<Module>> => Steps.byLines(output, parse)

/** Parses the same as `files`, and lets other fibers run after each step. */
export const filesInSteps = (output: string): Effect.Effect<ReadonlyArray<string>> => Steps.byLines(output, files)

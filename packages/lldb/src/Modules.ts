/**
 * Loaded modules as `image list` prints them, its columns chosen by us.
 */

/** One module; `address` is where its header is loaded. */
export interface Module {
  readonly name: string
  readonly path: string
  readonly address?: string
  readonly uuid?: string
}

/** Where a module's symbols are, by its number. */
export const symbolFiles = "image list --symfile"

/** The files in the answer to `symbolFiles`, "" for a module that has none. */
export const files = (output: string): ReadonlyArray<string> =>
  output.split("\n").flatMap((line) => {
    const file = /^\[ *\d+\] *(.*?) *(?:\(0x[0-9a-fA-F]+\))? *$/.exec(line)?.[1]
    return file === undefined ? [] : [file]
  })

/** Number, UUID, address of the header, path. */
export const list = "image list --uuid --header --fullpath"

const row = /^\[ *\d+\] (?:([0-9A-Fa-f-]{8,}) +)?(0x[0-9a-fA-F]+)? *(\S.*?) *(?:\(0x[0-9a-fA-F]+\))? *$/

/** The modules in the answer to `list`. */
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

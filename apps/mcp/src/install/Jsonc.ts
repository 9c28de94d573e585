/**
 * Edits JSON with comments and trailing commas, as editors write it into settings files: sets one value and keeps
 * comments, indentation and line breaks of the rest. jsonc-parser reads and edits; this module adds what it lacks: a
 * sentence for each refusal, the file's own indentation, and byte order marks.
 */
import {
  applyEdits,
  findNodeAtLocation,
  type FormattingOptions,
  getNodeValue,
  modify,
  type Node,
  type ParseError,
  parseTree
} from "jsonc-parser"

/** The outcome of a parse or an edit: the result, or one sentence that says why there is none. */
type Outcome<A> = A | { readonly problem: string }

const byteOrderMark = "\ufeff"

const lineOf = (text: string, offset: number) => text.slice(0, offset).split("\n").length

/** Parses into a tree; `undefined` when the text holds only white space and comments. */
const tree = (text: string): Outcome<{ readonly root: Node | undefined }> => {
  const errors: Array<ParseError> = []
  const root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true })
  const [error] = errors
  return error === undefined ? { root } : { problem: `line ${lineOf(text, error.offset)} is not JSON` }
}

/** Parses a text. Text without a value is read as an empty object. */
export const parse = (text: string): Outcome<{ readonly value: unknown }> => {
  const read = tree(text.replace(byteOrderMark, ""))
  if ("problem" in read) return read
  const value: unknown = read.root === undefined ? {} : getNodeValue(read.root)
  return { value }
}

/** Returns the indentation and line ending that a text uses; two spaces where it is not indented. */
const formatting = (text: string): FormattingOptions => {
  const indent = /\n([ \t]+)"/.exec(text)?.[1] ?? "  "
  return {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.startsWith("\t") ? 1 : indent.length,
    eol: text.includes("\r\n") ? "\r\n" : "\n"
  }
}

/** Returns the dotted name of the first value above a path that is not an object. */
const obstacle = (root: Node | undefined, path: ReadonlyArray<string>): string | undefined => {
  for (const depth of path.keys()) {
    const node = root === undefined ? undefined : findNodeAtLocation(root, path.slice(0, depth))
    if (node === undefined) return undefined
    if (node.type !== "object") return path.slice(0, depth).join(".") || "the file"
  }
  return undefined
}

/** Sets a value at a path of keys and adds the objects above it that are missing. */
export const set = (
  text: string,
  path: readonly [string, ...ReadonlyArray<string>],
  value: unknown
): Outcome<{ readonly text: string }> => {
  const mark = text.startsWith(byteOrderMark) ? byteOrderMark : ""
  const content = text.trim() === mark ? "{}\n" : text.slice(mark.length)
  const read = tree(content)
  if ("problem" in read) return read
  const blocked = obstacle(read.root, path)
  if (blocked !== undefined) return { problem: `${blocked} is not an object` }
  const edits = modify(content, [...path], value, { formattingOptions: formatting(content) })
  return { text: `${mark}${applyEdits(content, edits)}` }
}

/** Reads functions, comments and strings of a TypeScript module, for the tests of repository rules. */
import { parseAst } from "vitest/node"

/** A node of a syntax tree: positions are offsets in the source. */
interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && "start" in value && "end" in value

const field = (node: Node, name: string): unknown => Reflect.get(node, name)

/** Visits a node and every node below it, with the name of the nearest declaration or property around it. */
const visit = (node: Node, name: string, see: (node: Node, name: string) => void): void => {
  see(node, name)
  const own = [field(node, "id"), field(node, "key")].filter(isNode).map((each) => field(each, "name"))
  const [inner = name] = own.filter((each) => typeof each === "string")
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, inner, see)
  }
}

/** Parses a module. A module of the page has elements, too. */
const programOf = (text: string): unknown => {
  try {
    return parseAst(text, { lang: "ts" })
  } catch {
    return parseAst(text, { lang: "tsx" })
  }
}

const parsed = (text: string, see: (node: Node, name: string) => void) => {
  const program = programOf(text)
  if (isNode(program)) visit(program, "module", see)
}

/** Returns a function that numbers the line at an offset, from 1. */
const lines = (text: string) => {
  const ends = [...text.matchAll(/\n/g)].map(({ index }) => index)
  return (offset: number) => {
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ends[middle] ?? 0) < offset) low = middle + 1
      else high = middle
    }
    return low + 1
  }
}

/** Returns every function of a module with its name, its first line and how many lines it has. */
export const functions = (text: string) => {
  const found: Array<{ readonly name: string; readonly line: number; readonly lines: number }> = []
  const lineAt = lines(text)
  parsed(text, (node, name) => {
    if (!/Function(?:Declaration|Expression)$/.test(node.type)) return
    const line = lineAt(node.start)
    found.push({ name, line, lines: lineAt(node.end) - line + 1 })
  })
  return found
}

/** Returns every call of a method: its name, the source of the object and of the arguments, and its line. */
export const methodCalls = (text: string) => {
  const found: Array<{
    readonly method: string
    readonly object: string
    readonly args: string
    readonly line: number
  }> = []
  const lineAt = lines(text)
  const source = (node: Node) => text.slice(node.start, node.end)
  parsed(text, (node) => {
    const callee = node.type === "CallExpression" ? field(node, "callee") : undefined
    if (!isNode(callee) || callee.type !== "MemberExpression") return
    const [object, property] = [field(callee, "object"), field(callee, "property")]
    if (!isNode(object) || !isNode(property)) return
    const args = text.slice(callee.end, node.end)
    found.push({ method: source(property), object: source(object), args, line: lineAt(node.start) })
  })
  return found
}

/** Returns every member that a module names, as `object.member`, and every `new` without arguments; each with its line. */
export const members = (text: string) => {
  const found: Array<{ readonly name: string; readonly line: number }> = []
  const lineAt = lines(text)
  parsed(text, (node) => {
    const made = node.type === "NewExpression" ? field(node, "callee") : undefined
    const given = field(node, "arguments")
    if (isNode(made) && Array.isArray(given) && given.length === 0) {
      found.push({ name: `new ${text.slice(made.start, made.end)}()`, line: lineAt(node.start) })
    }
    const [object, property] = [field(node, "object"), field(node, "property")]
    if (node.type !== "MemberExpression" || !isNode(object) || !isNode(property)) return
    found.push({
      name: `${text.slice(object.start, object.end)}.${text.slice(property.start, property.end)}`,
      line: lineAt(node.start)
    })
  })
  return found
}

/** Returns every regular expression of a module with its line. */
export const regularExpressions = (text: string) => {
  const found: Array<{ readonly source: string; readonly line: number }> = []
  const lineAt = lines(text)
  parsed(text, (node) => {
    if (node.type === "Literal" && text[node.start] === "/") {
      found.push({ source: text.slice(node.start, node.end), line: lineAt(node.start) })
    }
  })
  return found
}

/** Returns the comments and the strings of a module that people read, each with its line. */
export const texts = (text: string) => {
  const found: Array<{ readonly line: number; readonly text: string }> = []
  const lineAt = lines(text)
  const masked = [...text]
  parsed(text, (node) => {
    const value = node.type === "TemplateElement" || node.type === "Literal" ? text.slice(node.start, node.end) : ""
    if (value === "") return
    // A string of one word is a name, a key or a tag.
    if (/\w \w/.test(value) && !value.startsWith("/")) found.push({ line: lineAt(node.start), text: value })
    for (let at = node.start; at < node.end; at++) if (masked[at] !== "\n") masked[at] = "_"
  })
  // In what is left, "//" and "/*" begin comments and nothing else. Lines of one comment are read together.
  for (const match of masked.join("").matchAll(/\/\*[^]*?\*\/|(?:^[ \t]*\/\/.*\n)+|\/\/.*/gm)) {
    const comment = text.slice(match.index, match.index + match[0].length)
    const line = lineAt(match.index + (/^\s*/.exec(comment)?.[0].length ?? 0))
    found.push({ line, text: comment.replaceAll(/\n\s*(?:\/\/|\*(?!\/))?\s*/g, " ") })
  }
  return found
}

/** Returns the arguments of every `new Name(…)` and `Name(…)`, each with its line. */
export const constructions = (text: string, name: string) => {
  const found: Array<{ readonly line: number; readonly args: string }> = []
  const lineAt = lines(text)
  parsed(text, (node) => {
    const callee = /^(?:New|Call)Expression$/.test(node.type) ? field(node, "callee") : undefined
    if (!isNode(callee) || callee.type !== "Identifier" || field(callee, "name") !== name) return
    found.push({ line: lineAt(node.start), args: text.slice(callee.end + 1, node.end - 1) })
  })
  return found
}

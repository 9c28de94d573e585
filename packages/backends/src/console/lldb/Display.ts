/**
 * How a value of the LLDB command line is written in one text: as lldb-dap writes it, so that both backends give the
 * same. Value and summary stand as LLDB prints them; what has neither gets a preview of its members, and what has no
 * members its type and address.
 */
import type { Variables } from "@sigtrap/lldb"

/** A preview is not begun anew beyond this many characters. */
const longest = 32

const nothing = /^(?:NULL|nullptr)$/

/** Whether a value is a pointer: its type says so, or what a name for such a type stands for has the form of one. */
export const isPointer = ({ opens, text, type }: Variables.Node): boolean =>
  /\*(?: ?(?:const|volatile|restrict))*$/.test(type) ||
  nothing.test(text) ||
  (opens && /^0x[0-9a-f]{8,16}$/.test(text) && !type.endsWith("&"))

/** Value and summary as adapters write them: null pointers are numbers there, and errors say that they are. */
export const textOf = (node: Variables.Node): string => {
  if (nothing.test(node.text) || (node.text === "nil" && node.type.endsWith("*"))) return "0x0000000000000000"
  const problem = /^<(?!error: )(.*)>$/s.exec(node.text)?.[1]
  return problem === undefined ? node.text : `<error: ${problem.trim()}>`
}

const aggregate = (type: string) => !/[*&]$/.test(type)

/** What a preview says of one member: its summary or else its value. */
const member = (node: Variables.Node): string | undefined => {
  const text = textOf(node)
  if (text === "") return aggregate(node.type) ? "{...}" : undefined
  return /^0x[0-9a-f]+ (.+)$/s.exec(text)?.[1] ?? text
}

const preview = (children: ReadonlyArray<Variables.Node>, more: boolean): string | undefined => {
  let text = "{"
  let separator = ""
  for (const child of children) {
    if (text.length > longest) {
      text += `${separator}...`
      break
    }
    const said = child.name === "" ? undefined : member(child)
    if (said === undefined) continue
    text += separator + (child.name.startsWith("[") ? said : `${child.name}:${said}`)
    separator = ", "
  }
  if (more && text.length <= longest) text += `${separator}...`
  text += "}"
  return text === "{}" || text === "{...}" ? undefined : text
}

/** What is inside the thing that a pointer leads to; a pointer to a plain value has one child, that value. */
const pointed = (node: Variables.Node): Pick<Variables.Node, "children" | "more"> => {
  const [only, second] = node.children
  return only !== undefined && second === undefined && only.name.startsWith("*") ? only : node
}

/** The one text of a value. */
export const display = (node: Variables.Node): string => {
  const text = textOf(node)
  if (text === "") {
    const at = node.location.startsWith("0x") ? ` @ 0x${BigInt(node.location).toString(16)}` : ""
    return preview(node.children, node.more) ?? `${node.type}${at}`
  }
  const bare = /^0x[0-9a-f]+$/.test(text) && (isPointer(node) || node.type.endsWith("&"))
  const inside = bare ? pointed(node) : undefined
  const said = inside === undefined ? undefined : preview(inside.children, inside.more)
  return said === undefined ? text : `${text} ${said}`
}

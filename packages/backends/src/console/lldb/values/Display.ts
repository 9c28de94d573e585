/**
 * Formats a value of the LLDB command line as one text, like lldb-dap, so that both backends show the same. A value with
 * neither value nor summary is shown as a preview of its members; without members, as its type and address.
 */
import type { Variables } from "@sigtrap/lldb"
import { withNumber } from "../Characters.ts"
import { isMemberPointer, noValue, shown } from "./ValueText.ts"

/** Length in characters after which a preview gets no further member. */
const longest = 32

const nothing = /^(?:NULL|nullptr)$/

/** True for the text of a null pointer; an empty smart pointer and one to no member are shown as a word. */
const isNull = ({ text, type }: Pick<Variables.Node, "text" | "type">) =>
  nothing.test(text) && !/^(?:const )?std::.*>$/.test(type) && !isMemberPointer(type)

/** True if a value is a pointer, also to an array, by its type, or by its form if the type is an alias. */
export const isPointer = ({ opens, text, type }: Variables.Node): boolean =>
  /\*(?: ?(?:const|volatile|restrict))*(?:\)(?:\[\d*\])+)?$/.test(type) ||
  isNull({ text, type }) ||
  (opens && /^0x[0-9a-f]{8,16}$/.test(text) && !type.endsWith("&"))

/** The summaries of sigtrap and LLDB for what cannot be read. */
const summaries = new Set(["<unknown size>", "<unreadable>", "<incomplete type>"])

/** Value and summary as adapters write them: null pointers as numbers, errors with the word `error`. */
export const textOf = (node: Variables.Node): string => {
  if (isNull(node) || (node.text === "nil" && node.type.endsWith("*"))) return "0x0000000000000000"
  const problem = /^<(?!error: )(.*)>$/s.exec(node.text)?.[1]
  if (summaries.has(node.text)) return node.text
  return shown(problem === undefined ? node.text : `<error: ${problem.trim()}>`, node.type)
}

const aggregate = (type: string) => !/[*&]$/.test(type)

/** One member in a preview: its summary, otherwise its value. */
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
    // What a pointer to a pointer points to is not a member.
    const value = child.name === "" || child.name.startsWith("**") ? undefined : member(child)
    if (value === undefined) continue
    text += separator + (child.name.startsWith("[") ? value : `${child.name}:${value}`)
    separator = ", "
  }
  if (more && text.length <= longest) text += `${separator}...`
  text += "}"
  return text === "{}" || text === "{...}" ? undefined : text
}

/** The children of a pointer's target; a pointer to a scalar has one child, the scalar. */
const pointee = (node: Variables.Node): Pick<Variables.Node, "children" | "more"> => {
  const [only, second] = node.children
  return only !== undefined && second === undefined && only.name.startsWith("*") ? only : node
}

/** Formats a value. */
export const display = (node: Variables.Node): string => {
  const text = textOf(node)
  if (text === "") {
    const found = preview(node.children, node.more)
    if (found !== undefined) return found
    if (node.location.startsWith("0x")) return `${node.type} @ 0x${BigInt(node.location).toString(16)}`
    return node.opens ? "{...}" : noValue
  }
  const bare = /^0x[0-9a-f]+$/.test(text) && (isPointer(node) || node.type.endsWith("&"))
  const inside = bare ? pointee(node) : undefined
  const members = inside === undefined ? undefined : preview(inside.children, inside.more)
  return members === undefined ? withNumber(text, node.type) : `${text} ${members}`
}

/**
 * Maps the handles of values to places: how LLDB's command line finds the value again.
 *
 * A place is a path for `frame variable`, the result of an expression, or the name of a global in the list of all. Child indexes lead
 * from it to a member that has no path, such as a base class or an anonymous union. Handles are valid for one stop.
 */
import { Variables } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import * as Display from "../console/lldb/values/Display.ts"
import * as DapValues from "../dap/values/Values.ts"

/** How a value is found again. */
export interface Place {
  readonly frame: number
  readonly root: { readonly kind: "path" | "result" | "global"; readonly text: string }
  /** Indexes of the children from the root down to the value. */
  readonly steps: ReadonlyArray<number>
  /** The expression that evaluates to the value. */
  readonly expression: string
  readonly pointer: boolean
  /** The number of elements, if it is an array. */
  readonly elements?: number
}

/** Matches LLDB's texts for a value that the compiler removed, or that LLDB cannot read. */
const absent = /variable not available|DW_OP_|optimized out|empty constant data/

/** True if a text says why there is no value. */
export const isAbsent = (text: string): boolean => absent.test(text)

const elementsOf = ({ type }: Variables.Node): number | undefined => {
  const count = /^[^(<]*?\[(\d{1,9})\]/.exec(type)?.[1]
  return count === undefined ? undefined : Number(count)
}

/** The path of a member; undefined if no path works in every version. */
export const pathOf = (parent: Place, child: Pick<Variables.Node, "name" | "type">): string | undefined => {
  if (parent.root.kind !== "path" || parent.steps.length > 0) return undefined
  const { text } = parent.root
  const { name, type } = child
  // A base class is named like its type and is not a member; no version accepts a member after an operator.
  if (name === "" || name === type || /^[*&]/.test(text)) return undefined
  if (name.startsWith("*")) return `*${text}`
  // An index after a pointer to an array counts arrays.
  if (name.startsWith("[") && parent.pointer) return undefined
  const path = name.startsWith("[") ? `${text}${name}` : `${text}${parent.pointer ? "->" : "."}${name}`
  return Variables.isGlobalPath(path) ? path : undefined
}

/** Matches the expression of a base class or of an unnamed member: that of the object, and the operator before a member. */
const unnamed = /(?:\.|->)$/

/** Returns the expression of a member, in the form of DAP's `evaluateName`. */
export const expressionOf = (parent: Place, { name, type }: Pick<Variables.Node, "name" | "type">): string => {
  const { expression } = parent
  if (name.startsWith("*")) return `*(${expression})`
  const before = unnamed.test(expression) ? expression : `${expression}${parent.pointer ? "->" : "."}`
  if (name.startsWith("[")) return `${expression}${name}`
  return name === type ? before : `${before}${name}`
}

/** Returns a child of which only the name is known. */
export const namedOnly = (name: string): Variables.Node => ({
  location: "",
  type: "",
  name,
  text: "",
  opens: false,
  children: [],
  more: false
})

/** The places of one stop. */
export class Places {
  readonly #places = new Map<number, Place>()
  #last = 0

  /** The place of a handle. */
  get(handle: number): Place | undefined {
    return this.#places.get(handle)
  }

  /** Forgets all places. */
  clear(): void {
    this.#places.clear()
  }

  /** Translates a printed value; one that can be opened gets a handle. */
  valueOf(node: Variables.Node, place: Omit<Place, "pointer" | "elements">): Backend.Value {
    const pointer = Display.isPointer(node)
    const elements = elementsOf(node)
    // Strings have children too, although their summary is shown.
    const opens = node.opens || node.children.length > 0 || pointer || /^(?:u8|[uUL])?"/.test(node.text)
    const size = /^(?:size=)?(\d{1,9})(?= \{|$)/.exec(/^(?:size=|\d+ \{)/.test(node.text) ? node.text : "")?.[1]
    const count = size === undefined ? elements : Number(size)
    // The value of an expression is in the memory of the debugger.
    const located = place.root.kind === "result" ? { ...node, location: "" } : node
    const value = Display.display(located)
    return {
      name: node.name,
      value,
      // The width of a bit field is not part of its type.
      type: node.type.replace(/:\d+$/, ""),
      handle: opens ? this.#remember({ ...place, pointer, ...(elements === undefined ? {} : { elements }) }) : 0,
      // Nothing names a base class or an unnamed member in an expression.
      ...(unnamed.test(place.expression) ? {} : { expression: place.expression }),
      ...(count === undefined ? {} : { child_count: count }),
      ...DapValues.attributes(value)
    }
  }

  #remember(place: Place): number {
    this.#last += 1
    this.#places.set(this.#last, place)
    return this.#last
  }
}

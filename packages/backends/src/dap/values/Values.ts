/**
 * Translates variables of DAP to values of the manager.
 */
import type { Models } from "@sigtrap/dap"
import type { Backend } from "@sigtrap/manager"
import type { Variable } from "@sigtrap/protocol"
import * as OptimizedOut from "../../console/OptimizedOut.ts"

/** Returns the attributes of a value by its text. */
export const attributes = (value: string): { readonly attributes?: NonNullable<Variable.Variable["attributes"]> } =>
  OptimizedOut.matches(value)
    ? { attributes: ["optimized-out"] }
    : value.startsWith("<unknown: ")
      ? { attributes: ["unknown"] }
      : {}

/**
 * Translates a variable, or an evaluation result in the form of a variable. One with the hint `lazy` (DAP) gets no handle, since to
 * open it runs code of the program. A member with the text of a setter has no value.
 */
export const valueOf = (variable: Models.Variable, lazyText?: string, setterText?: string): Backend.Value => {
  if (setterText !== undefined && variable.value === setterText)
    return { name: variable.name, value: setterText, handle: 0, attributes: ["lazy"] }
  if (variable.presentationHint?.lazy === true) {
    const { evaluateName, name, value } = variable
    const expression = evaluateName === undefined ? {} : { expression: evaluateName }
    return { name, value: lazyText ?? value, handle: 0, ...expression, attributes: ["lazy"] }
  }
  const count = (variable.indexedVariables ?? 0) + (variable.namedVariables ?? 0)
  // GDB writes no text for a value that has members.
  const text = variable.value === "" && count > 0 ? "{...}" : variable.value
  return {
    name: variable.name,
    // Up to LLDB 16 a value that has only a summary begins with a space.
    value: text.replace(/^ /, ""),
    handle: variable.variablesReference,
    ...(variable.type === undefined ? {} : { type: variable.type }),
    ...(variable.evaluateName === undefined ? {} : { expression: variable.evaluateName }),
    ...(count === 0 ? {} : { child_count: count }),
    ...attributes(variable.value)
  }
}

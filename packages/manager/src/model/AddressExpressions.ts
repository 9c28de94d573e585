/**
 * Expressions that read the value of a type at an address, for places where no variable of that type is in scope, such as that of a
 * write to watched memory.
 */

/** Integers by size, for values whose own type cannot be written in an expression. */
const typeBySize: Readonly<Record<number, string>> = {
  1: "unsigned char",
  2: "unsigned short",
  4: "unsigned int",
  8: "unsigned long"
}

const simpleType = /^(?:const )?[A-Za-z_][\w:]*(?: [A-Za-z_][\w:]*)*(?: ?\*+)?$/

/** True if every debugger can read a type in an expression: a name, or a pointer to one. */
const isSimple = (type: string | undefined): type is string => type !== undefined && simpleType.test(type)

/** True if a type is a pointer to a function, `int (*)(int)`. */
const isFunctionPointer = (type: string | undefined): boolean => type?.includes("(*)(") === true

/** Returns a type of this size that can be written in an expression: the type itself, else a pointer or an integer. */
export const typeOf = (type: string | undefined, size: number): string => {
  if (isSimple(type)) return type
  return size === 8 && isFunctionPointer(type) ? "void *" : (typeBySize[size] ?? "unsigned char")
}

/**
 * Returns the expressions that may read a value, the best one first. The first one names the type as the debugger does, which not every
 * debugger can read: `*(std::pair<int, int> *)0x4010`, `*(char[16] *)0x4010`.
 */
export const expressionsOf = (type: string | undefined, size: number, address: string): ReadonlyArray<string> => {
  const integer = `*(${typeOf(type, size)} *)${address}`
  return type === undefined || isSimple(type) ? [integer] : [`*(${type} *)${address}`, integer]
}

/**
 * Short names of functions for one-line texts: without argument types, return type, default template arguments, and the
 * hash that Rust adds. Names of other languages stay as they are.
 */

const brackets: { readonly [open: string]: string } = { "(": ")", "<": ">", "[": "]", "{": "}" }
const closing = new Set(Object.values(brackets))

/** True if the `<` or `>` at an index is part of `operator<`, `operator->` or `->`. */
const isOperator = (text: string, index: number): boolean =>
  /operator\s*[<>=-]*$/.test(text.slice(0, index)) || text.slice(index - 1, index + 1) === "->"

/** Returns the depth of brackets before each character. */
const depths = (text: string): ReadonlyArray<number> => {
  let depth = 0
  return Array.from({ length: text.length }, (_, index) => {
    const character = text.charAt(index)
    const counts = !isOperator(text, index)
    if (counts && closing.has(character)) depth = Math.max(0, depth - 1)
    const before = depth
    if (counts && Object.hasOwn(brackets, character)) depth++
    return before
  })
}

/** Splits template arguments at the commas of their own level. */
const argumentsOf = (text: string): ReadonlyArray<string> => {
  const level = depths(text)
  const parts: Array<string> = [""]
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index)
    if (character === "," && level[index] === 0) parts.push("")
    else parts.push(`${parts.pop() ?? ""}${character}`)
  }
  return parts.map((part) => part.trim())
}

/** Default arguments of the standard library's templates. */
const defaultArgument = /^std::(?:__\w+::)?(?:allocator|char_traits|less|equal_to|hash|default_delete)</

/** Names of the standard library that are written as their alias. */
const aliases: ReadonlyArray<readonly [RegExp, string]> = [
  [/\bstd::(?:__\w+::)?basic_string<char>/g, "std::string"],
  [/\bstd::(?:__\w+::)?basic_string_view<char>/g, "std::string_view"],
  [/\bstd::(?:__cxx11|__1|__ndk1)::/g, "std::"]
]

/** Removes default template arguments, innermost templates first. */
const withoutDefaults = (text: string): string => {
  const level = depths(text)
  let result = ""
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index)
    if (character !== "<" || isOperator(text, index)) {
      result += character
      continue
    }
    const own = level[index] ?? 0
    const end = text.split("").findIndex((one, at) => at > index && one === ">" && level[at] === own)
    if (end === -1) return result + text.slice(index)
    const shown = argumentsOf(text.slice(index + 1, end))
      .map(withoutDefaults)
      .filter((part) => !defaultArgument.test(part))
    result += `<${shown.join(", ")}>`
    index = end
  }
  return result
}

/** Removes the parameter lists of a C++ function and of the functions that contain it. */
const withoutParameters = (text: string): string => {
  const level = depths(text)
  let result = ""
  for (let index = 0; index < text.length; index++) {
    if (text.charAt(index) !== "(" || level[index] !== 0) {
      result += text.charAt(index)
      continue
    }
    const end = text.split("").findIndex((one, at) => at > index && one === ")" && level[at] === 0)
    if (end === -1) return text
    const inside = text.slice(index, end + 1)
    const isName =
      /^\(anonymous(?: namespace)?\)/.test(inside) ||
      result.endsWith("operator") ||
      /(?:^|[ (<])decltype ?$/.test(result)
    if (isName) result += inside
    // A qualifier such as `const` ends the name; `::` continues it.
    if (!isName && !text.startsWith("::", end + 1)) return result
    index = end
  }
  return result
}

/** Removes the return type, which precedes the name of a template's instance. */
const withoutReturnType = (text: string): string => {
  const operator = text.search(/\boperator\b/)
  const level = depths(text)
  const until = operator === -1 ? text.length : operator
  for (let index = until - 1; index > 0; index--) {
    if (text.charAt(index) === " " && level[index] === 0) return text.slice(index + 1)
  }
  return text
}

/** Matches the start of a method of Go, whose type may have type arguments: `main.(*Stack[go.shape.int_0]).Push`. A path of a package may have a `%`. */
const goMethod = /^[\w./%~-]+\.\(\*?\w+[[)]/

/** True for a demangled name of C++, and for a name of C, Rust, Swift or Objective-C that the rules leave as it is. */
const isDemangled = (name: string): boolean => /::|\(|</.test(name) && !/^[-+]\[/.test(name) && !goMethod.test(name)

/** The codes of characters in a legacy name of Rust, which LLDB demangles only in part (`rustc-demangle`, `legacy.rs`). */
const rustCodes = new Map([
  ["SP", "@"],
  ["BP", "*"],
  ["RF", "&"],
  ["LT", "<"],
  ["GT", ">"],
  ["LP", "("],
  ["RP", ")"],
  ["C", ","]
])

const decodedCode = (whole: string, code: string): string => {
  const known = rustCodes.get(code)
  if (known !== undefined) return known
  const point = /^u[\da-f]{1,6}$/.test(code) ? Number.parseInt(code.slice(1), 16) : Number.NaN
  return point >= 0x20 && point <= 0x10ffff ? String.fromCodePoint(point) : whole
}

/** Decodes a legacy name of Rust, such as `_$LT$app..Dog$u20$as$u20$app..Speak$GT$::speak`. */
const withoutRustCodes = (name: string): string =>
  /\$(?:LT|u[\da-f]+|RF|BP|SP|LP)\$/.test(name)
    ? name
        .replaceAll("..", "::")
        .replaceAll(/\$(\w+?)\$/g, decodedCode)
        .replace(/(^|::)_(?=[<&({])/g, "$1")
    : name

/** Removes the tags that compilers add to names, such as that of a function or a variable of type `std::string`: `greet[abi:cxx11]`. */
export const withoutTags = (name: string): string => name.replaceAll(/\[abi:\w+\]/g, "")

/** Maximum length of a name that is shortened, in characters. */
const maxLength = 2000

/** Returns the short name of a function. */
export const short = (name: string): string => {
  if (name.length > maxLength) return name
  // LLDB writes the function that contains inlined code before it: `driver(int) [inlined] leaf(int)`.
  const inlined = name.lastIndexOf(" [inlined] ")
  if (inlined !== -1) return short(name.slice(inlined + " [inlined] ".length))
  const plain = withoutTags(
    withoutRustCodes(name.replace(/::h[0-9a-f]{16}$/, ""))
      .replace(/^::/, "")
      .replace(/(?: \[clone [^\]]*\]| \(\.[\w.]+\))+$/, "")
  )
  if (!isDemangled(plain) || plain.startsWith("<")) return plain
  // The compiler's code that adjusts `this` for a virtual function is not the function.
  const [thunk = ""] = /^(?:non-virtual thunk|virtual thunk|covariant return thunk) to /.exec(plain) ?? []
  const shortened = withoutReturnType(withoutParameters(withoutDefaults(plain.slice(thunk.length))))
  const aliased = aliases.reduce((text, [pattern, alias]) => text.replaceAll(pattern, alias), shortened)
  return aliased === "" ? plain : `${thunk}${aliased}`
}

/**
 * Decides from the text of an expression, in a language of the C family, whether it can change the program. If the text
 * is ambiguous, it can.
 */
import * as Nearest from "./Nearest.ts"

/** Characters of the longest expression that is examined: the patterns need quadratic time. A longer one counts as changing. */
export const longest = 4096

/** Characters of the longest name for which similar ones are searched. */
const longestName = 200

/**
 * Strings, also those of Python and JavaScript in single quotes. The quote of a lifetime of Rust or in a number of C++ is followed by a word: as the
 * end of such a string it makes a word at a string, and one that is left over is not in the alphabet.
 */
const strings = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/gu
/** Strings of Python that end at three quotes. */
const tripleQuoted = /"""|'''/u
/** Marks of an expression within a string, in any language of a debugger: `\(x)`, `#{x}`, `${x}`, `{$x}`, `$(x)`, a back-tick. */
const interpolated = /\\\(|#\{|\$\{|\{\$|\$\(|`/u
/** Prefixes of strings that evaluate nothing: `L`, `u8`, `U` of C, `r` and `b` of Python. */
const prefix = /(?<![\p{L}\p{N}_$])(?:L|[uU]8?|[rb]{1,2})(?="")/gu
/** A string with another word before it, such as Python's `f"{f()}"`, or behind it, such as the C++ literal `"a"_km`, which calls. */
const wordAtString = /[\p{L}\p{N}_$]""|""[\p{L}\p{N}_$]/u
/** A function that GDB names in quotes: `'ns::f(int)'(3)`. */
const calledString = /""\s*\(/u
/** Digraphs of C: `<%` is a brace and `<:` is a bracket, except in `<::`. */
const digraph = /<%|%>|<:(?!:[^:>])|:>|%:/u
/** A word that begins with a digit, and those that are numbers. Another one is a literal of C++ that calls, such as `3_km`. */
const numberWord = /(?<![\p{L}\p{N}_$.])\.?\d(?:[eEpP][-+]|[\p{L}\p{N}_.])*/gu
const number =
  /^(?:0[xX][\da-fA-F_.]+(?:[pP][-+]?\d+)?|0[bB][01_]+|0[oO][0-7_]+|[\d_.]+(?:[eE][-+]?[\d_]+)?)(?:[uUlLfFzZjJn]{0,3}|[iuf](?:8|16|32|64|128|size))$/u
/** A private member of JavaScript. */
const privateMember = /(?<=\.)#(?=[\p{L}_$])/gu
/** Characters allowed outside of strings. Excludes blocks, statements, comments and macros. */
const alphabet = /^[\p{L}\p{N}_$\s.,:?+\-*/%&|^~!<>=()[\]]*$/u
const comment = /\/[/*]/u
/** Operators that are words; those ending in `_eq` assign. */
const wordOperators = /\b(?:and|or|not|xor|bitand|bitor|compl|not_eq)\b/gu
const wordsThatAct = /\b(?:and_eq|or_eq|xor_eq|new|delete|throw|operator|co_await|co_yield|while|for|goto|asm)\b/u
const operatorsThatWrite = /\+\+|--|(?:<<|>>)=|[-+*/%&|^]=|(?<![=!<>])=(?!=)/u
const builtin =
  "void|bool|_Bool|char|short|int|long|float|double|signed|unsigned|u?int(?:8|16|32|64|ptr|max)_t|s?size_t|ptrdiff_t|wchar_t|char(?:8|16|32)_t|BOOL|NSU?Integer|CGFloat"
/** `(int)`, `(struct a *)`, `(T *)` at the end: the parentheses can only contain a type. */
const cast = new RegExp(
  String.raw`\(\s*(?:(?:const|volatile)\s+)*(?:(?:(?:struct|enum|union)\s+[\w:]+|(?:${builtin})(?:\s+(?:${builtin}))*)(?:\s+const)?[\s*&]*|[\w:]+(?:\s+const)?\s*[*&][\s*&]*)$`,
  "u"
)
const call = /((?<![\p{L}\p{N}_$])[\p{L}_$][\p{L}\p{N}_$]*|[\])>]|\?\.)\s*\(/gu
const noCall = new RegExp(String.raw`^(?:sizeof|alignof|_Alignof|typeof|decltype|${builtin})$`, "u")
const namedCast = /\b(?:static|const|reinterpret|dynamic)_cast\s*<[^()]*$/u
/** `[a b]` and `[a b:c]`, Objective-C messages. An index has an operator between two words. */
const message = /\[[^\]]*[\p{L}\p{N}_)\]]\s+[\p{L}_]|(?:^|[^\p{L}\p{N}_$)\]\s])\s*\[/u

const none: ReadonlySet<string> = new Set()

const calls = (text: string, reading: ReadonlySet<string>): boolean =>
  [...text.matchAll(call)].some(({ 1: callee = "", index }) => {
    const before = text.slice(0, index)
    if (callee === ")") return !cast.test(before)
    // `f?.(x)` of JavaScript.
    if (callee === "?.") return true
    // `a > (b)` compares; with a `<` before it, it may be `f<a>(b)`.
    if (callee === ">") return before.includes("<") && !namedCast.test(before)
    return !noCall.test(callee) && (!reading.has(callee) || /[.>]\s*$/.test(before))
  })

/**
 * True if an expression has no assignment, no increment and no call. `(int)(x)`, a cast to
 * a builtin or pointer type, is not a call; `(f)(x)` is. False for an expression of more than 4096 characters. `reading` are the
 * builtin functions of the language that the debugger computes itself.
 */
export const onlyReads = (expression: string, reading: ReadonlySet<string> = none): boolean => {
  if (expression.length > longest) return false
  if (tripleQuoted.test(expression)) return false
  if ([...expression.matchAll(strings)].some(([found]) => found.startsWith('"') && interpolated.test(found)))
    return false
  const emptied = expression.replace(strings, '""').replace(prefix, "")
  // The blank keeps a member of a string, as in `"a".size`, from being a part of the number.
  const text = emptied.replaceAll('""', "0 ").replace(wordOperators, "+").replace(privateMember, "")
  return (
    // Raw strings and strings with expressions in them end by other rules than those of `strings`.
    !wordAtString.test(emptied) &&
    !calledString.test(emptied) &&
    !digraph.test(text) &&
    [...text.matchAll(numberWord)].every(([word]) => number.test(word)) &&
    alphabet.test(text) &&
    !comment.test(text) &&
    !wordsThatAct.test(text) &&
    !operatorsThatWrite.test(text) &&
    !message.test(text) &&
    !calls(text, reading)
  )
}

/** The words of a comparison: a string, a number, a name, an operator or a parenthesis. */
const comparisonWord =
  /\s*(?:("[^"\\\n]*"|'[^'\\\n]*'|-?(?:0[xX][\da-fA-F]+|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)n?(?![\p{L}\p{N}_$.])|[\p{L}_$][\p{L}\p{N}_$]*)|(===|!==)|(&&|\|\|)|(!)|([()]))/uy

/** Returns the words of a comparison by kind: `v` a value, `=`, `&`, `!`, `(`, `)`, and `b` for `true` and `false`; undefined for others. */
const comparisonKinds = (expression: string): string | undefined => {
  const text = expression.trimEnd()
  let kinds = ""
  let at = 0
  while (at < text.length) {
    comparisonWord.lastIndex = at
    const found = comparisonWord.exec(text)
    if (found === null) return undefined
    const [whole, value, compared, joined, negated, parenthesis] = found
    kinds +=
      parenthesis ??
      (value === undefined
        ? ((compared && "=") ?? (joined && "&") ?? negated ?? "")
        : value === "true" || value === "false"
          ? "b"
          : "v")
    at += whole.length
  }
  return kinds
}

/**
 * True if an expression compares names, numbers and strings with `===` and `!==`, also joined with `&&`, `||` and `!`. In JavaScript no other form
 * is certain to run no code of the program: members can be getters, other operators convert objects, and an object as the value is
 * described by its `toString`.
 */
export const onlyComparesIdentity = (expression: string): boolean => {
  let kinds = expression.length > longest ? undefined : comparisonKinds(expression)
  for (let before; kinds !== undefined && kinds !== before;) {
    before = kinds
    // `!a` and `a === b` are booleans, and what is joined or enclosed must be booleans.
    kinds = kinds
      .replaceAll(/!+[vb]/g, "b")
      .replaceAll(/(?<!!)[vb](?:=[vb])+(?!=)/g, "b")
      .replaceAll(/\(b(?:&b)+\)/g, "b")
      .replaceAll(/\(([vb])\)/g, "$1")
  }
  return kinds !== undefined && /^b(?:&b)*$/.test(kinds)
}

const constantWord =
  /^\s*(?:"[^"\\\n]*"|'[^'\\\n]*'|-?(?:0[xX][\da-fA-F]+|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)n?|true|false|null|undefined)\s*$/u

/** True for a number, a string or a constant of JavaScript. */
export const isConstant = (expression: string): boolean => expression.length <= longest && constantWord.test(expression)

/** Members of containers of the C++ library that only read, with at most one number, name or string as argument. */
const reading = "size|length|empty|front|back|at|count|contains|has_value|value"
const keyForm = String.raw`-?\d{1,18}|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)'|[A-Za-z_]\w*`
const step = String.raw`(?:\.|->)(?:(?:${reading})\((?:${keyForm})?\)|[A-Za-z_]\w*(?!\w|\())|\[(?:${keyForm})\]`
const containerForm = new RegExp(String.raw`^\s*[A-Za-z_]\w*(?:${step})+\s*$`, "u")

/** True for a path over containers of the C++ library, such as `m["x"].size()`, that a debugger may read from memory. */
export const readsContainer = (expression: string): boolean =>
  expression.length <= longest && containerForm.test(expression)

/** Returns the variable at the beginning of a path over containers; other expressions as they are. */
export const rootOf = (expression: string): string =>
  readsContainer(expression) ? (/[A-Za-z_]\w*/.exec(expression)?.[0] ?? expression) : expression

/** Characters with which brackets and quotes may mean something else: comments, characters, raw and interpolated strings, blocks, digraphs. */
const ambiguous = /['`\\/#{}]|R"|"""|<[:%]|[:%]>/u

/** Matches operators that take a value on both sides. Some others can also precede a value, such as `-`. */
const operatorAtStart = /^\s*(?:==|!=|[<>=%^,])/u
const operatorAtEnd = /(?:[=<*/%&|^~,]|(?<!\+)\+|(?<!-)-|->)\s*$/u

/**
 * Returns why no language of a debugger can parse an expression: a bracket or a string that is not closed, or an operator at an end. Undefined if that is not
 * certain from the text alone.
 */
export const syntaxProblem = (expression: string): string | undefined => {
  if (expression.length > longest || ambiguous.test(expression)) return undefined
  const outside = expression.replaceAll(/"[^"]*"/g, "0")
  if (outside.includes('"')) return "a string is not closed"
  const open: Array<string> = []
  for (const character of outside) {
    if (character === "(" || character === "[") open.push(character)
    else if (character === ")" || character === "]") {
      const opened = open.pop()
      if (opened !== (character === ")" ? "(" : "[")) {
        return opened === undefined ? `'${character}' closes nothing` : `'${opened}' is closed by '${character}'`
      }
    }
  }
  const last = open.pop()
  if (last !== undefined) return `'${last}' is not closed`
  if (operatorAtStart.test(outside)) return "it begins with an operator"
  return operatorAtEnd.test(outside) ? "it ends with an operator" : undefined
}

/** Returns an expression that assigns by `=` outside of brackets, where it may name an argument, with `==`; undefined for others. */
export const comparing = (expression: string): string | undefined => {
  if (expression.length > longest) return undefined
  const hidden = (text: string) => "0".repeat(text.length)
  let text = expression.replace(strings, hidden)
  for (let before = ""; before !== text;) {
    before = text
    text = text.replaceAll(/\([^()[\]{}]*\)|\[[^()[\]{}]*\]|\{[^()[\]{}]*\}/g, hidden)
  }
  const found = /(?<=[\p{L}\p{N}_]\s*)=(?![=>])/u.exec(text)
  return found === null ? undefined : `${expression.slice(0, found.index)}=${expression.slice(found.index)}`
}

/** Words of expressions that name no variable. */
const words =
  /^(?:sizeof|alignof|typeof|decltype|const|volatile|struct|enum|union|true|false|nullptr|NULL|(?:static|const|reinterpret|dynamic)_cast|typeid|noexcept|operator|throw|signed|unsigned|long|short|True|False|None|nil|null|undefined|this|self|not|and|or|in|is|if|else|for|lambda|await|new|delete|as|let|mut)$/u

const builtinWord = new RegExp(`^(?:${builtin})$`, "u")

/** Returns the names in an expression that can be variables, without members, functions that are called and types of the language. */
export const names = (expression: string): ReadonlyArray<string> => {
  if (expression.length > longest) return []
  const text = expression.replace(strings, '""')
  const found = [
    ...text.matchAll(/(?<![\p{L}\p{N}_$.@]|->\s*|::\s*)[\p{L}_$][\p{L}\p{N}_$]*(?!\s*(?:\(|::)|[\p{L}\p{N}_$"])/gu)
  ]
  return [...new Set(found.map(([name]) => name))].filter((name) => !words.test(name) && !builtinWord.test(name))
}

/** Returns at most three known names that are close to a name, the closest first. */
export const nearest = (name: string, known: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(name.length > longestName ? [] : known)]
    .map((candidate) => ({ candidate, far: Nearest.distance(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, far }) => Nearest.isNear(far, name, candidate))
    .toSorted((a, b) => a.far - b.far)
    .slice(0, 3)
    .map(({ candidate }) => candidate)

/** Returns the expressions in a log message: the texts in braces. Balanced braces may be part of an expression. */
export const inMessage = (message: string): ReadonlyArray<string> =>
  messageParts(message).filter((_, index) => index % 2 === 1)

/** Splits a log message into text and expressions in turn, text first. */
export const messageParts = (message: string): ReadonlyArray<string> => {
  const found = [""]
  let depth = 0
  for (const char of message) {
    const last = found.length - 1
    if (char === "{" && depth++ === 0) found.push("")
    else if (char === "}" && depth > 0 && --depth === 0) found.push("")
    else found[last] = `${found[last] ?? ""}${char}`
  }
  return found
}

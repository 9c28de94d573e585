/**
 * Decides from the text of an expression, in a language of the C family, whether it can change the program. If the text
 * is ambiguous, it can.
 */
import { builtin, patterns } from "./ExpressionPatterns.ts"
import * as Nearest from "./Nearest.ts"

/** Characters of the longest expression that is examined: the patterns need quadratic time. A longer one counts as changing. */
export const longest = 4096

/** Characters of the longest name for which similar ones are searched. */
const longestName = 200

const none: ReadonlySet<string> = new Set()

const calls = (text: string, reading: ReadonlySet<string>): boolean => {
  const { call, cast, namedCast, noCall } = patterns()
  return [...text.matchAll(call)].some(({ 1: callee = "", index }) => {
    const before = text.slice(0, index)
    if (callee === ")") return !cast.test(before)
    // `f?.(x)` of JavaScript.
    if (callee === "?.") return true
    // `a > (b)` compares; with a `<` before it, it may be `f<a>(b)`.
    if (callee === ">") return before.includes("<") && !namedCast.test(before)
    return !noCall.test(callee) && (!reading.has(callee) || /[.>]\s*$/.test(before))
  })
}

/**
 * True if an expression has no assignment, no increment and no call. `(int)(x)`, a cast to
 * a builtin or pointer type, is not a call; `(f)(x)` is. False for an expression of more than 4096 characters. `reading` are the
 * builtin functions of the language that the debugger computes itself.
 */
export const onlyReads = (expression: string, reading: ReadonlySet<string> = none): boolean => {
  if (expression.length > longest) return false
  const form = patterns()
  if (form.tripleQuoted.test(expression)) return false
  if ([...expression.matchAll(form.strings)].some(([text]) => text.startsWith('"') && form.interpolated.test(text)))
    return false
  const emptied = expression.replace(form.strings, '""').replace(form.prefix, "")
  // The blank keeps a member of a string, as in `"a".size`, from being a part of the number.
  const text = emptied.replaceAll('""', "0 ").replace(form.wordOperators, "+").replace(form.privateMember, "")
  return (
    // Raw strings and strings with expressions in them end by other rules than those of `strings`.
    !form.wordAtString.test(emptied) &&
    !form.calledString.test(emptied) &&
    !form.digraph.test(text) &&
    [...text.matchAll(form.numberWord)].every(([word]) => form.number.test(word)) &&
    form.alphabet.test(text) &&
    !form.comment.test(text) &&
    !form.wordsThatAct.test(text) &&
    !form.operatorsThatWrite.test(text) &&
    !form.message.test(text) &&
    !calls(text, reading)
  )
}

/** Returns the words of a comparison by kind: `v` a value, `=`, `&`, `!`, `(`, `)`, and `b` for `true` and `false`; undefined for others. */
const comparisonKinds = (expression: string): string | undefined => {
  const { comparisonWord } = patterns()
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
 * True if an expression compares names, numbers and strings with `===` and `!==`, also joined with `&&`, `||` and `!`. In JavaScript no
 * other form is certain to run no code of the program: members can be getters, other operators convert objects, and an object as the value is
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
 * Returns why no language of a debugger can parse an expression: a bracket or a string that is not closed, or an operator at an end.
 * Undefined if that is not certain from the text alone.
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
  let text = expression.replace(patterns().strings, hidden)
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
  const text = expression.replace(patterns().strings, '""')
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

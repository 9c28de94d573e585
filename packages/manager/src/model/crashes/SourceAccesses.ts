/**
 * The accesses to memory in a line of C-like source: `n->next`, `values[i]`, `*p`, `this->size`, and calls and divisions.
 *
 * They are candidates only: a caller must show by the address that a candidate is the access. An access has no call, assignment
 * or increment in it, so that evaluating it changes nothing.
 */

/** An access. `values` are the expressions that make up its address, the pointer last. `root` is its first name. */
export interface Access {
  readonly expression: string
  readonly values: ReadonlyArray<string>
  readonly root: string
}

/** A division of integers, by the text of its two sides as far as they are simple. */
export interface Division {
  readonly expression: string
  readonly divisor: string
}

/** A use of an object by its functions: `a->b.size()`, `v[i]`, `delete p`. `isPointer` is true if `object` is a pointer to it. */
export interface ObjectUse {
  readonly text: string
  readonly object: string
  readonly isPointer: boolean
  readonly root: string
}

/** An argument of a call that is a name, a member or an element: `text` in `strlen(text)`. */
export interface Argument {
  readonly call: string
  readonly expression: string
}

/** What a line has. `calls` are expressions that are called: a function, or a pointer to one. `uses` are those of objects. */
export interface LineAccesses {
  readonly accesses: ReadonlyArray<Access>
  readonly calls: ReadonlyArray<string>
  readonly uses: ReadonlyArray<ObjectUse>
  readonly arguments: ReadonlyArray<Argument>
  readonly divisions: ReadonlyArray<Division>
}

/** Most accesses of one line. */
const most = 16

const token =
  /[\p{L}_$][\p{L}\p{N}_$]*(?:::[\p{L}_$][\p{L}\p{N}_$]*)*|\d[\w.]*|->|\+\+|--|<<=?|>>=?|[-+*/%&|^=!<>]=|&&|\|\||\S/gu

const withoutTexts = (line: string) =>
  line
    .replaceAll(/"(?:[^"\\]|\\.)*"/g, '""')
    .replaceAll(/'(?:[^'\\]|\\.)*'/g, "0")
    .replace(/\/\/.*$/, "")
    .replaceAll(/\/\*.*?\*\//g, " ")

const isName = (text: string | undefined): text is string => text !== undefined && /^[\p{L}_$]/u.test(text)
const isNumber = (text: string | undefined): text is string => text !== undefined && /^\d/.test(text)

/** Words after which a `*` dereferences, and which name no variable. */
const keywords: ReadonlySet<string> = new Set([
  "return",
  "if",
  "while",
  "for",
  "else",
  "do",
  "case",
  "switch",
  "sizeof",
  "new",
  "delete",
  "throw",
  "co_return",
  "co_yield",
  "let",
  "mut",
  "in",
  "unsafe"
])

/** An expression that was parsed: its text, the token after it, the accesses in it, and its first name. */
interface Parsed {
  readonly text: string
  readonly end: number
  readonly accesses: ReadonlyArray<Access>
  readonly root: string
}

/** Operators that an index may have between names and numbers. */
const indexOperators: ReadonlySet<string> = new Set(["+", "-", "*"])

class Line {
  readonly #tokens: ReadonlyArray<string>

  constructor(text: string) {
    this.#tokens = withoutTexts(text).match(token) ?? []
  }

  get length(): number {
    return this.#tokens.length
  }

  at(index: number): string | undefined {
    return this.#tokens[index]
  }

  /** True if an operator at an index has an operand on its left side. */
  hasLeft(index: number): boolean {
    const before = this.at(index - 1)
    return (
      before !== undefined &&
      (isNumber(before) || before === ")" || before === "]" || (isName(before) && !keywords.has(before)))
    )
  }

  /** Parses `name`, `(*name)` or `(name)` and what follows: `->b`, `.c`, `[i]`. */
  postfix(start: number): Parsed | undefined {
    const first = this.#primary(start)
    if (first === undefined) return undefined
    let { end, text } = first
    const accesses = [...first.accesses]
    for (;;) {
      const next = this.at(end)
      const member = this.at(end + 1)
      if ((next === "->" || next === ".") && isName(member)) {
        const pointer = text
        text = `${text}${next}${member}`
        end += 2
        if (next === "->") accesses.push({ expression: text, values: [named(pointer)], root: first.root })
        else {
          const last = accesses.at(-1)
          if (last !== undefined) accesses.push({ ...last, expression: text })
        }
      } else if (next === "[") {
        const index = this.#index(end + 1)
        if (index === undefined) break
        const array = text
        text = `${text}[${index.text}]`
        end = index.end + 1
        accesses.push(...index.accesses, {
          expression: text,
          values: [...(isNumber(index.text) ? [] : [index.text]), array],
          root: first.root
        })
      } else break
    }
    return { text, end, accesses, root: first.root }
  }

  #primary(start: number): Parsed | undefined {
    const first = this.at(start)
    if (isName(first) && !keywords.has(first)) return { text: first, end: start + 1, accesses: [], root: first }
    if (first !== "(") return undefined
    const cast = this.#cast(start)
    if (cast !== undefined) return cast
    const stars = this.#stars(start + 1)
    const inner = this.postfix(start + 1 + stars)
    if (inner === undefined || this.at(inner.end) !== ")") return undefined
    const text = `${"*".repeat(stars)}${inner.text}`
    return {
      text: `(${text})`,
      end: inner.end + 1,
      accesses: [...inner.accesses, ...starred(inner, stars)],
      root: inner.root
    }
  }

  /** Parses `(struct node *)p->next`, a pointer that is taken for one of another type. */
  #cast(start: number): Parsed | undefined {
    let end = start + 1
    while (isName(this.at(end)) && !keywords.has(this.at(end) ?? "")) end += 1
    const stars = this.#stars(end)
    if (end === start + 1 || stars === 0 || this.at(end + stars) !== ")") return undefined
    const words = Array.from({ length: end - start - 1 }, (_, index) => this.at(start + 1 + index))
    const operand = this.postfix(end + stars + 1)
    if (operand === undefined || this.at(operand.end) === "(") return undefined
    return { ...operand, text: `(${words.join(" ")} ${"*".repeat(stars)})${operand.text}` }
  }

  #stars(start: number): number {
    let count = 0
    while (this.at(start + count) === "*") count += 1
    return count
  }

  /** Parses `*p` and `**p`. */
  dereference(start: number): Parsed | undefined {
    const stars = this.#stars(start)
    const inner = this.postfix(start + stars)
    if (stars === 0 || inner === undefined) return undefined
    return {
      text: `${"*".repeat(stars)}${inner.text}`,
      end: inner.end,
      accesses: [...inner.accesses, ...starred(inner, stars)],
      root: inner.root
    }
  }

  /** Parses names, numbers and operators up to the closing bracket. */
  #index(start: number): Parsed | undefined {
    const accesses: Array<Access> = []
    let text = ""
    for (let at = start; at < this.length;) {
      const next = this.at(at)
      if (next === "]") return text === "" ? undefined : { text, end: at, accesses, root: "" }
      if (isNumber(next) || (next !== undefined && indexOperators.has(next))) {
        text += isNumber(next) ? next : ` ${next} `
        at += 1
        continue
      }
      const part = this.postfix(at)
      if (part === undefined || this.at(part.end) === "(") return undefined
      accesses.push(...part.accesses)
      text += part.text
      at = part.end
    }
    return undefined
  }
}

/** The accesses of `**p`: `*p` and `**p`. */
const starred = (inner: Parsed, stars: number): ReadonlyArray<Access> =>
  Array.from({ length: stars }, (_, index) => ({
    expression: `${"*".repeat(index + 1)}${inner.text}`,
    values: [withoutCast(`${"*".repeat(index)}${inner.text}`)],
    root: inner.root
  }))

/** Returns the pointer of `((struct node *)p)`; another one as it is. */
const named = (pointer: string): string => {
  const inner = pointer.startsWith("((") && pointer.endsWith(")") ? pointer.slice(1, -1) : pointer
  const own = withoutCast(inner)
  return own === inner ? pointer : own
}

/** Returns a pointer as the program names it, without the type that it is taken for. */
const withoutCast = (pointer: string): string => pointer.replace(/^\((?:[\p{L}\p{N}_$:]+ )+\*+\)/u, "")

/** Returns the use of an object by an expression that is called, deleted or indexed. */
const useOf = ({ root, text }: Parsed, next: string | undefined, before: string | undefined): ObjectUse | undefined => {
  if (before === "delete") return { text: `delete ${text}`, object: text, isPointer: true, root }
  const [, object, operator] = /^(.*)(->|\.)[\p{L}_$][\p{L}\p{N}_$]*$/u.exec(text) ?? []
  if (next === "(" && object !== undefined) return { text: `${text}()`, object, isPointer: operator === "->", root }
  const [, indexed] = /^(.*)\[[^[\]]*\]$/.exec(text) ?? []
  return indexed === undefined ? undefined : { text, object: indexed, isPointer: false, root }
}

/** Returns the arguments of the calls of a line that are alone between two commas or brackets. */
const argumentsOf = (line: Line): ReadonlyArray<Argument> => {
  const found: Array<Argument> = []
  const calls: Array<string | undefined> = []
  for (let at = 0; at < line.length;) {
    const parsed = line.at(at) === "(" ? undefined : line.postfix(at)
    if (parsed === undefined) {
      if (line.at(at) === "(") calls.push(undefined)
      if (line.at(at) === ")") calls.pop()
      at += 1
      continue
    }
    const [before, next, call] = [line.at(at - 1), line.at(parsed.end), calls.at(-1)]
    const isAlone = (before === "(" || before === ",") && (next === ")" || next === ",")
    if (isAlone && call !== undefined) found.push({ call, expression: parsed.text })
    if (next === "(") calls.push(parsed.text)
    at = next === "(" ? parsed.end + 1 : parsed.end
  }
  return found.slice(0, most)
}

/** Returns the accesses, calls and divisions of a line. */
export const of = (text: string): LineAccesses => {
  const line = new Line(text.slice(0, 1000))
  const accesses = new Map<string, Access>()
  const calls = new Set<string>()
  const uses = new Map<string, ObjectUse>()
  const divisions: Array<Division> = []
  let left: string | undefined
  for (let at = 0; at < line.length;) {
    const next = line.at(at)
    const isUnary = next === "*" && !line.hasLeft(at)
    const parsed = isUnary ? line.dereference(at) : line.postfix(at)
    if (parsed !== undefined) {
      for (const access of parsed.accesses) if (accesses.size < most) accesses.set(access.expression, access)
      const isChanged = /^(?:\+\+|--)$/.test(line.at(parsed.end) ?? "") || /^(?:\+\+|--)$/.test(line.at(at - 1) ?? "")
      if (line.at(parsed.end) === "(" && !isChanged) calls.add(parsed.text)
      const use = isUnary ? undefined : useOf(parsed, line.at(parsed.end), line.at(at - 1))
      if (use !== undefined) uses.set(use.text, use)
      // A member of the object is an access by `this`.
      const isCast = withoutCast(parsed.text) !== parsed.text
      if (
        !isUnary &&
        !isCast &&
        !parsed.accesses.some(({ expression }) => expression === parsed.text) &&
        accesses.size < most
      ) {
        accesses.set(parsed.text, { expression: parsed.text, values: ["this"], root: "this" })
      }
      left = parsed.text
      at = parsed.end
      continue
    }
    if (next === "/" || next === "%" || next === "/=" || next === "%=") {
      const right = line.postfix(at + 1)
      const number = line.at(at + 1)
      const divisor = right?.text ?? (isNumber(number) ? number : undefined)
      if (left !== undefined && divisor !== undefined && line.at(right?.end ?? 0) !== "(") {
        divisions.push({ expression: `${left} ${next.charAt(0)} ${divisor}`, divisor })
      }
    }
    left = isNumber(next) ? next : next === ")" ? left : undefined
    at += 1
  }
  return {
    accesses: [...accesses.values()],
    calls: [...calls],
    uses: [...uses.values()],
    arguments: argumentsOf(line),
    divisions
  }
}

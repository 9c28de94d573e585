/**
 * Parses property lists in the old style, which `listapps` and `appinfo` print: `key = value;`, dictionaries in braces,
 * arrays in parentheses, unquoted words, data in angle brackets.
 */
import * as Result from "effect/Result"

/** A value: text, data as its hexadecimal digits, a list, or a dictionary. */
export type Value = string | ReadonlyArray<Value> | Dictionary
/** A dictionary; keys are as written. */
export interface Dictionary {
  readonly [key: string]: Value
}

/** Returns whether a value is a dictionary. */
export const isDictionary = (value: Value | undefined): value is Dictionary =>
  typeof value === "object" && !Array.isArray(value)

/** Maximum nesting depth. */
const deepest = 64

const escapes: { readonly [letter: string]: string } = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\u0007",
  b: "\b",
  f: "\f",
  v: "\v"
}

const unescape = (text: string): string =>
  text.replaceAll(/\\(?:U([0-9a-fA-F]{4})|([0-7]{3})|([\s\S]))/g, (_, unicode, octal, letter: string | undefined) =>
    typeof unicode === "string"
      ? String.fromCharCode(Number.parseInt(unicode, 16))
      : typeof octal === "string"
        ? String.fromCharCode(Number.parseInt(octal, 8))
        : (escapes[letter ?? ""] ?? letter ?? "")
  )

class Problem {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

class Reader {
  readonly #text: string
  #at = 0
  constructor(text: string) {
    this.#text = text
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)
    if (found === null) return undefined
    this.#at = pattern.lastIndex
    return found[0]
  }

  #blank() {
    this.#match(/(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)+/y)
  }

  #taken(character: string): boolean {
    this.#blank()
    if (this.#text[this.#at] !== character) return false
    this.#at += 1
    return true
  }

  #expect(character: string) {
    if (!this.#taken(character)) this.#fail(`expected ${character}`)
  }

  #fail(what: string): never {
    throw new Problem(`${what} at character ${this.#at}: ${this.#text.slice(this.#at, this.#at + 40)}`)
  }

  #word(): string {
    this.#blank()
    const quoted = this.#match(/"(?:[^"\\]|\\[\s\S])*"/y) ?? this.#match(/'(?:[^'\\]|\\[\s\S])*'/y)
    if (quoted !== undefined) return unescape(quoted.slice(1, -1))
    return this.#match(/[A-Za-z0-9_$./:+-]+/y) ?? this.#fail("expected a word")
  }

  #value(depth: number): Value {
    if (depth > deepest) this.#fail("nested too deep")
    if (this.#taken("{")) {
      const entries: Array<readonly [string, Value]> = []
      while (!this.#taken("}")) {
        const key = this.#word()
        // A key without a value is its own value.
        entries.push([key, this.#taken("=") ? this.#value(depth + 1) : key])
        this.#expect(";")
      }
      return Object.fromEntries(entries)
    }
    if (this.#taken("(")) {
      const items: Array<Value> = []
      while (!this.#taken(")")) {
        items.push(this.#value(depth + 1))
        if (this.#taken(",")) continue
        this.#expect(")")
        break
      }
      return items
    }
    const data = this.#match(/<[^>]*>/y)
    return data === undefined ? this.#word() : data.slice(1, -1).replaceAll(/\s/g, "")
  }

  whole(): Value {
    const value = this.#value(0)
    this.#blank()
    if (this.#at < this.#text.length) this.#fail("more than one value")
    return value
  }
}

/** Parses a property list; the failure names the position. */
export const parse = (text: string): Result.Result<Value, string> =>
  Result.try({
    try: () => new Reader(text).whole(),
    catch: (problem) => (problem instanceof Problem ? problem.text : String(problem))
  })

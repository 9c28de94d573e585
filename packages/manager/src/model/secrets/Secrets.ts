/**
 * Masks secret values. A value is secret by the name of its variable or member, by a name in its expression (`SecretNames`), or
 * by its shape (`SecretShapes`). In doubt a value is masked; `reveal` shows it.
 */
import { SecretNames, SecretShapes, Settings, type Variable } from "@sigtrap/protocol"
import * as Context from "effect/Context"

/** Replacement for a masked value. */
export const mask = "<masked>"

/** True if the current call may show secret values. */
export const Reveal = Context.Reference<boolean>("@sigtrap/manager/Secrets/Reveal", { defaultValue: () => false })

/** The secrets of one session. */
export interface Secrets {
  /** True if a name, or any name in an expression, is secret. */
  readonly named: (text: string) => boolean
  /** Masks the values of secret names, and secrets by their shape, in a text: `{id:1, password:<masked>}`. */
  readonly inText: (text: string) => string
  /** Masks secrets by their shape in every string of data. */
  readonly inData: <A>(data: A) => A
  /** Masks successive pieces of one text, which keep their size (`SecretShapes.inPieces`). */
  readonly inPieces: (pieces: ReadonlyArray<string>, before?: string, after?: string) => ReadonlyArray<string>
  /** Masks quoted values in a debugger's error about an expression with a secret name. */
  readonly inProblem: (expression: string, problem: string) => string
  /** Masks the value of a variable if needed. `inside` is true for a part of a secret value. */
  readonly shown: <A extends Pick<Variable.Variable, "name" | "value" | "expression" | "attributes">>(
    variable: A,
    inside: boolean
  ) => A
}

const none: Secrets = {
  named: () => false,
  inText: (text) => text,
  inData: (data) => data,
  inPieces: (pieces) => pieces,
  inProblem: (_, problem) => problem,
  shown: (variable) => variable
}

const closingBracket: { readonly [open: string]: string } = { "{": "}", "[": "]", "(": ")" }

/** Returns the end of a quoted text that begins at `from`. */
const afterQuote = (text: string, from: number): number => {
  const quote = text[from]
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === "\\") at++
    else if (text[at] === quote) return at + 1
  }
  return text.length
}

/** Returns the end of a value that begins at `from`: the next comma or unmatched closing bracket. */
const afterValue = (text: string, from: number): number => {
  let end = endOfValue(text, from)
  while (end > from && text[end - 1] === " ") end--
  return end
}

const endOfValue = (text: string, from: number): number => {
  const open: Array<string> = []
  let at = from
  while (at < text.length) {
    const char = text[at] ?? ""
    if (char === '"' || char === "'" || char === "`") {
      at = afterQuote(text, at)
      continue
    }
    const close = closingBracket[char]
    if (close !== undefined) open.push(close)
    else if (char === "}" || char === "]" || char === ")") {
      if (open.length === 0) return at
      open.pop()
    } else if (open.length === 0 && (char === "," || char === ";" || char === "\n")) return at
    else if (open.length === 0 && char === " " && /^[\p{L}_$][\p{L}\p{N}_$]*\s*[:=]/u.test(text.slice(at + 1)))
      return at
    at++
  }
  return at
}

/** A name, quoted or not, or an index, followed by `=`, `:`, `->` or `=>`. */
const assignment = /^(?:["'`]?[\p{L}_$][\p{L}\p{N}_$.-]*["'`]?\]?)\s*(?::=|=>|->|[:=](?![:=]))\s*/u

const inTextOf = (named: (text: string) => boolean) => (text: string) => {
  if (!named(text)) return text
  let masked = ""
  let at = 0
  while (at < text.length) {
    const rest = text.slice(at)
    const isStart = at === 0 || !/[\p{L}\p{N}_$]/u.test(text[at - 1] ?? "")
    const name = isStart ? assignment.exec(rest)?.[0] : undefined
    if (name !== undefined) {
      const from = at + name.length
      masked += name
      at = from
      if (named(name.replace(/\s*(?::=|=>|->|[:=])\s*$/u, ""))) {
        const end = afterValue(text, from)
        if (end > from) masked += mask
        at = end
      }
      continue
    }
    const char = text[at] ?? ""
    const end = char === '"' || char === "'" || char === "`" ? afterQuote(text, at) : at + 1
    masked += text.slice(at, end)
    at = end
  }
  return masked
}

const quotedParts = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`/gu

/** Returns the secrets of a session, with the names of the configuration. */
export const make = (settings: Settings.Values | undefined): Secrets => {
  if (Settings.text(settings, "redact.enabled") === "false") return none
  const named = SecretNames.finder(Settings.list(settings, "redact.names"))
  const inNames = inTextOf(named)
  const inText = (text: string) => SecretShapes.mask(inNames(text))

  return {
    named,
    inText,
    inData: SecretShapes.inData,
    inPieces: SecretShapes.inPieces,
    inProblem: (expression, problem) =>
      named(expression)
        ? SecretShapes.mask(
            problem.replaceAll(quotedParts, (part) => (expression.includes(part.slice(1, -1)) ? part : mask))
          )
        : inText(problem),
    shown: (variable, inside) => {
      const secret = inside || named(variable.name) || (variable.expression !== undefined && named(variable.expression))
      if (secret && variable.value !== "") {
        const attributes: NonNullable<Variable.Variable["attributes"]> = [...(variable.attributes ?? []), "masked"]
        return { ...variable, value: mask, attributes }
      }
      const value = inText(variable.value)
      return value === variable.value ? variable : { ...variable, value }
    }
  }
}

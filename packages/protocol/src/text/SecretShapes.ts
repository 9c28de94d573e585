/**
 * Secrets that are recognized by their shape: tokens of known services, private keys, passwords in addresses.
 *
 * A text is searched once for the beginnings of shapes; at each one the shape's own expression is tried. Every expression
 * reads each character a bounded number of times, so the search takes linear time. A shape that is cut is masked too: before
 * an ellipsis, and with `cut` at the end of the text, where program output continues later.
 */
import * as Predicate from "effect/Predicate"

/** A part of a text that is a secret. `to` is the index after it. */
export interface Span {
  readonly from: number
  readonly to: number
  readonly label: string
}

/** The shape of one kind of secret. */
interface Shape {
  /** What a caller reads in its place: `<masked: GitHub token>`. */
  readonly label: string
  /** The characters with which it begins. */
  readonly first: string
  /** The text before the secret, which stays. */
  readonly shown?: string
  /** The source of a regular expression that matches the whole secret. */
  readonly secret: string
  /** The beginning of a secret that is cut, if it differs from one character or more of `secret`. */
  readonly cut: string
  /** What may not precede the shape; by default a letter, a digit or `_`. */
  readonly notAfter?: RegExp
  /** True if a found text is a secret after all. */
  readonly accepts?: (secret: string, isCut: boolean) => boolean
}

/** Words that follow `Bearer` in prose. */
const bearerWords =
  /^(?:tokens?|auth|authentication|authorization|realm|error|scheme|header|format|credentials?|type|of|is|and|or)[.,;:]*$/i

const isBearerToken = (token: string, isCut: boolean): boolean =>
  !bearerWords.test(token) && (isCut || token.length >= 20 || (token.length >= 8 && /\d/.test(token)))

/** False for a port and for a placeholder: `http://localhost:8080`, `http://HOST:PORT`, `http://u:${PASSWORD}`. */
const isPassword = (text: string, isCut: boolean): boolean => !isCut || !/^(?:\d{1,5}$|port$|[{$<%])/i.test(text)

const authority = "[^\\s/?#\"'`<>\\\\]"

/** The shapes, in the order in which they are tried. */
const shapes: ReadonlyArray<Shape> = [
  { label: "GitHub token", first: "g", secret: "gh[pousr]_[A-Za-z0-9]{16,}", cut: "gh[pousr]_[A-Za-z0-9]+" },
  { label: "GitHub token", first: "g", secret: "github_pat_[A-Za-z0-9_]{20,}", cut: "github_pat_[A-Za-z0-9_]+" },
  { label: "GitLab token", first: "g", secret: "glpat-[A-Za-z0-9_-]{16,}", cut: "glpat-[A-Za-z0-9_-]+" },
  {
    label: "npm token",
    first: "n",
    secret: "npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])",
    cut: "npm_[a-z]{0,8}[A-Z0-9][A-Za-z0-9]{0,34}"
  },
  {
    label: "AWS key",
    first: "A",
    secret: "A[KS]IA[A-Z0-9]{16}(?![A-Za-z0-9+/=])",
    cut: "A[KS]IA[A-Z0-9]{2,15}",
    notAfter: /[A-Za-z0-9+/_]/
  },
  { label: "Google key", first: "A", secret: "AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])", cut: "AIza[A-Za-z0-9_-]{4,34}" },
  { label: "Slack token", first: "x", secret: "xox[abeoprs]-[A-Za-z0-9-]{10,}", cut: "xox[abeoprs]-[A-Za-z0-9-]+" },
  {
    label: "API key",
    first: "sr",
    secret:
      "(?:sk-(?:ant|proj|svcacct|admin|or-v1)-[A-Za-z0-9_-]{16,}|sk-[A-Za-z0-9]{32,}|[rs]k_live_[A-Za-z0-9]{16,})",
    cut: "(?:sk-(?:ant|proj|svcacct|admin|or-v1)-[A-Za-z0-9_-]+|sk-[A-Za-z0-9]{5,}|[rs]k_live_[A-Za-z0-9]+)"
  },
  {
    label: "JSON web token",
    first: "e",
    secret: "eyJ[A-Za-z0-9_-]{8,}(?:\\.eyJ[A-Za-z0-9_-]{4,}(?:\\.[A-Za-z0-9_-]*)*|(?:\\.[A-Za-z0-9_-]+){4})",
    cut: "eyJ[A-Za-z0-9_-]{8,}(?:\\.[A-Za-z0-9_-]*){1,4}",
    notAfter: /[A-Za-z0-9_-]/
  },
  {
    label: "bearer token",
    first: "Bb",
    shown: "[Bb](?:earer|EARER)[ \\t]{1,8}",
    secret: "[A-Za-z0-9._~+/-]+=*",
    cut: "[A-Za-z0-9._~+/-]+=*",
    accepts: isBearerToken
  },
  {
    label: "password",
    first: "Aa",
    shown: "[Aa](?:uthorization|UTHORIZATION):[ \\t]{0,8}[Bb](?:asic|ASIC)[ \\t]{1,8}",
    secret: "[A-Za-z0-9+/]{4,}=*",
    cut: "[A-Za-z0-9+/]+=*"
  },
  {
    label: "password",
    first: ":",
    shown: `://(?:(?![:[\\]])${authority})*:`,
    secret: `${authority}+(?=@)`,
    cut: `(?:(?!@)${authority})+`,
    notAfter: /(?!)/,
    accepts: isPassword
  }
]

/** Where a shape can begin. */
const beginnings =
  /gh[pousr]_|github_pat_|glpat-|npm_|A[KS]IA|AIza|xox[abeoprs]-|sk-|[rs]k_live_|eyJ|[Bb](?:earer|EARER)[ \t]|[Aa](?:uthorization|UTHORIZATION):|:\/\/|-----(?:BEGIN|END) /g

/** The end of a text that was cut: an ellipsis, perhaps after a quote. */
const ellipsis = "[\"'`]?(?:…|\\.\\.\\.)"

interface Compiled extends Shape {
  readonly before: RegExp
  readonly whole: RegExp
  readonly beforeEllipsis: RegExp
  readonly atEnd: RegExp
}

const compiled: ReadonlyArray<Compiled> = shapes.map((shape) => ({
  ...shape,
  before: new RegExp(shape.shown ?? "", "y"),
  whole: new RegExp(shape.secret, "y"),
  beforeEllipsis: new RegExp(`${shape.cut}(?=${ellipsis})`, "y"),
  atEnd: new RegExp(`${shape.cut}$`, "y")
}))

/** What a debugger shows after the ellipsis of a value that it cut in the middle. */
const afterEllipsis = new RegExp(`${ellipsis}[A-Za-z0-9_+/=-]+`, "y")

const matchAt = (pattern: RegExp, text: string, at: number): number | undefined => {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : undefined
}

const word = /[A-Za-z0-9_]/

const endOf = (shape: Compiled, text: string, from: number, cut: boolean): number | undefined => {
  const accepts = (end: number | undefined, isCut: boolean) =>
    end !== undefined && (shape.accepts?.(text.slice(from, end), isCut) ?? true) ? end : undefined
  return (
    accepts(matchAt(shape.whole, text, from), false) ??
    accepts(matchAt(shape.beforeEllipsis, text, from), true) ??
    (cut ? accepts(matchAt(shape.atEnd, text, from), true) : undefined)
  )
}

const keyBegins = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y
const keyEnds = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y
/** Lines of a key, as they are or in a string of a program. What follows the last whole line is read by `keyRest`. */
const keyLines = /(?:[\s"'`+,\\]|[A-Za-z0-9+/=]{16,}|(?:Proc-Type|DEK-Info): [^\n\\]{0,80})*/y
const keyRest = new RegExp(`[A-Za-z0-9+/=]*(?=$|${ellipsis})`, "y")
const keyCharacter = /[A-Za-z0-9+/=\\\r\n]/
/** Maximum length of a key whose beginning is not known, in characters. */
const maxKey = 8192

/** Returns the private key at a marker of a key. For an end without its beginning, the lines before it are the key. */
const keyAt = (text: string, at: number, after: number): Span | undefined => {
  const label = "private key"
  const body = matchAt(keyBegins, text, at)
  if (body !== undefined) {
    const dashes = text.indexOf("-----", body)
    const end = dashes === -1 ? undefined : matchAt(keyEnds, text, dashes)
    if (end !== undefined) return { from: at, to: end, label }
    const lines = matchAt(keyLines, text, body) ?? body
    return { from: at, to: matchAt(keyRest, text, lines) ?? lines, label }
  }
  const end = matchAt(keyEnds, text, at)
  if (end === undefined) return undefined
  let from = at
  while (from > after && at - from < maxKey && keyCharacter.test(text[from - 1] ?? "")) from--
  return { from, to: end, label }
}

const shapeAt = (text: string, at: number, cut: boolean): Span | undefined => {
  for (const shape of compiled) {
    if (!shape.first.includes(text[at] ?? "")) continue
    const from = matchAt(shape.before, text, at)
    if (from === undefined || (at > 0 && (shape.notAfter ?? word).test(text[at - 1] ?? ""))) continue
    const end = endOf(shape, text, from, cut)
    if (end !== undefined) return { from, to: matchAt(afterEllipsis, text, end) ?? end, label: shape.label }
  }
  return undefined
}

/** Returns the secrets in a text, in order. With `cut`, the text may end inside one. */
export const find = (text: string, cut = false): ReadonlyArray<Span> => {
  // Most texts have none: one search with a shared expression finds that out.
  beginnings.lastIndex = 0
  if (!beginnings.test(text)) return []
  const found: Array<Span> = []
  let after = 0
  const search = new RegExp(beginnings)
  for (let match = search.exec(text); match !== null; match = search.exec(text)) {
    const { index } = match
    const span = match[0].startsWith("-----") ? keyAt(text, index, after) : shapeAt(text, index, cut)
    if (span === undefined) continue
    found.push(span)
    after = span.to
    search.lastIndex = Math.max(after, search.lastIndex)
  }
  return found
}

/** Returns the text that replaces a secret. */
const labelled = ({ label }: Span): string => `<masked: ${label}>`

/** Masks the secrets of a text: `<masked: GitHub token>`. */
export const mask = (text: string): string => {
  const spans = find(text)
  if (spans.length === 0) return text
  let result = ""
  let at = 0
  for (const span of spans) {
    result += text.slice(at, span.from) + labelled(span)
    at = span.to
  }
  return result + text.slice(at)
}

/** Returns stars for a text: one for each byte in UTF-8. Line breaks stay. */
const stars = (text: string): string =>
  text.replaceAll(/[^\n]/gu, (character) => {
    const point = character.codePointAt(0) ?? 0
    return "*".repeat(point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4)
  })

/** Returns a replacement of the same size in bytes. It has the label if there is room for it in the first line. */
const sameSize = (text: string, label: string): string => {
  const starred = stars(text)
  const line = starred.indexOf("\n")
  const room = line === -1 ? starred.length : line
  const head = [`<masked: ${label}`, "<masked"].find(({ length }) => length < room)
  return head === undefined ? starred : `${head}${starred.slice(head.length, room - 1)}>${starred.slice(room)}`
}

/**
 * Masks the secrets in successive pieces of one text, also those that are split over pieces. `before` and `after` are the
 * text around them. Each piece keeps its size in bytes and its line breaks, so positions in it stay valid.
 */
export const inPieces = (pieces: ReadonlyArray<string>, before = "", after = ""): ReadonlyArray<string> => {
  const spans = find(before + pieces.join("") + after, true)
  if (spans.length === 0) return pieces
  let start = before.length
  let next = 0
  return pieces.map((piece) => {
    const end = start + piece.length
    let result = ""
    let at = start
    for (let index = next; index < spans.length; index++) {
      const span = spans[index]
      if (span === undefined || span.from >= end) break
      if (span.to <= end) next = index + 1
      const from = Math.max(span.from, start)
      const to = Math.min(span.to, end)
      if (to <= from) continue
      const secret = piece.slice(from - start, to - start)
      // The label of a secret that begins before the pieces is in the text before them.
      const shown = from === span.from ? sameSize(secret, span.label) : stars(secret)
      result += piece.slice(at - start, from - start) + shown
      at = to
    }
    const masked = result + piece.slice(at - start)
    start = end
    return masked
  })
}

/** Replaces every string in data. What has nothing to mask is returned as it is, not copied. */
const replaced = (value: unknown): unknown => {
  if (Predicate.isString(value)) return mask(value)
  if (Array.isArray(value)) {
    const items: ReadonlyArray<unknown> = value
    const masked = items.map(replaced)
    return masked.every((item, index) => item === items[index]) ? value : masked
  }
  if (!Predicate.isReadonlyObject(value) || !isRecord(value)) return value
  const names = Object.keys(value)
  const masked = names.map((name) => replaced(value[name]))
  return names.every((name, index) => masked[index] === value[name])
    ? value
    : Object.fromEntries(names.map((name, index) => [name, masked[index]]))
}

const isRecord = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Masks the secrets in every string of JSON data. The keys of objects stay. */
export function inData<A>(data: A): A
export function inData(data: unknown): unknown {
  return replaced(data)
}

/**
 * Splits a line of source into tokens for colour. It knows words, numbers, texts and comments; that is enough for reading, and
 * no program is needed for each language.
 */

/** The kinds of tokens; `plain` has the colour of text. */
type TokenKind = "plain" | "kw" | "str" | "num" | "type" | "com"

/** A part of a line. */
export interface Token {
  readonly kind: TokenKind
  readonly text: string
}

/** What a line begins inside of: nothing, a comment, or a text that ends with a mark. */
export type State = "" | "comment" | string

/** The rules of a language. */
interface Language {
  readonly keywords: ReadonlySet<string>
  readonly types: ReadonlySet<string>
  /** What begins a comment that ends with the line. */
  readonly line: ReadonlyArray<string>
  /** True for comments between slash-star and star-slash. */
  readonly block: boolean
  readonly quotes: ReadonlyArray<string>
  /** Marks of texts that may have several lines. */
  readonly long: ReadonlyArray<string>
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "))

const cTypes =
  "int char short long float double void bool unsigned signed size_t ssize_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t wchar_t auto FILE"

const c: Language = {
  keywords: words(
    "if else for while do switch case default break continue return goto sizeof struct union enum typedef static const extern inline volatile register restrict class namespace template typename using public private protected virtual override final new delete this try catch throw operator friend constexpr noexcept explicit mutable nullptr true false NULL #include #define #ifdef #ifndef #if #endif #else #pragma co_await co_return co_yield static_cast dynamic_cast const_cast reinterpret_cast"
  ),
  types: words(`${cTypes} string vector map set std`),
  line: ["//"],
  block: true,
  quotes: ['"', "'"],
  long: []
}

const languages: { readonly [extension: string]: Language } = {
  c,
  rs: {
    keywords: words(
      "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while"
    ),
    types: words(
      "i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 bool char str String Vec Option Result Box Some None Ok Err"
    ),
    line: ["//"],
    block: true,
    quotes: ['"'],
    long: []
  },
  go: {
    keywords: words(
      "break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var nil true false"
    ),
    types: words(
      "int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 float32 float64 string bool byte rune error any"
    ),
    line: ["//"],
    block: true,
    quotes: ['"', "'"],
    long: ["`"]
  },
  py: {
    keywords: words(
      "and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield True False None self match case"
    ),
    types: words("int str float bool list dict set tuple bytes object type"),
    line: ["#"],
    block: false,
    quotes: ['"', "'"],
    long: ['"""', "'''"]
  },
  js: {
    keywords: words(
      "as async await break case catch class const continue debugger default delete do else enum export extends false finally for from function get if implements import in instanceof interface let new null of return set static super switch this throw true try type typeof undefined var void while with yield readonly"
    ),
    types: words("string number boolean object any unknown never bigint symbol Array Map Set Promise"),
    line: ["//"],
    block: true,
    quotes: ['"', "'"],
    long: ["`"]
  },
  swift: {
    keywords: words(
      "actor as associatedtype async await break case catch class continue default defer deinit do else enum extension fallthrough false fileprivate final for func guard if import in init inout internal is let mutating nil open operator override private protocol public repeat rethrows return self Self static struct subscript super switch throw throws true try typealias var weak where while"
    ),
    types: words("Int Double Float String Bool Character Array Dictionary Set Optional Any Void"),
    line: ["//"],
    block: true,
    quotes: ['"'],
    long: ['"""']
  }
}

const aliases: { readonly [extension: string]: string } = {
  h: "c",
  cc: "c",
  cpp: "c",
  cxx: "c",
  hh: "c",
  hpp: "c",
  m: "c",
  mm: "c",
  java: "c",
  ts: "js",
  tsx: "js",
  jsx: "js",
  mjs: "js",
  cjs: "js",
  mts: "js",
  pyi: "py"
}

/** Returns the rules for a file; those of C if its extension is not known. */
export const languageOf = (file: string): Language => {
  const extension = file.slice(file.lastIndexOf(".") + 1).toLowerCase()
  return languages[aliases[extension] ?? extension] ?? c
}

const word = /[A-Za-z_$#][\w$]*/y
const numeral = /(?:0[xX][\da-fA-F_']+|0[bB][01_']+|\d[\d_']*(?:\.\d+)?(?:[eE][+-]?\d+)?)[a-zA-Z\d]*/y

/** Splits one line that begins in a state; returns its tokens and the state of the next line. */
export const tokensOf = (
  text: string,
  state: State,
  language: Language
): { readonly tokens: ReadonlyArray<Token>; readonly next: State } => {
  const tokens: Array<Token> = []
  let at = 0
  let plain = ""
  const push = (kind: TokenKind, piece: string) => {
    if (kind === "plain") {
      plain += piece
      return
    }
    if (plain !== "") tokens.push({ kind: "plain", text: plain })
    plain = ""
    tokens.push({ kind, text: piece })
  }
  const done = (next: State) => {
    if (plain !== "") tokens.push({ kind: "plain", text: plain })
    return { tokens, next }
  }
  /** Takes text up to and including a mark; true if the mark is on this line. */
  const until = (kind: TokenKind, mark: string, from: number): boolean => {
    const end = text.indexOf(mark, from)
    push(kind, end === -1 ? text.slice(at) : text.slice(at, end + mark.length))
    at = end === -1 ? text.length : end + mark.length
    return end !== -1
  }
  if (state !== "" && !until(state === "comment" ? "com" : "str", state === "comment" ? "*/" : state, 0))
    return done(state)
  while (at < text.length) {
    const long = language.long.find((mark) => text.startsWith(mark, at))
    const quote = language.quotes.find((mark) => text[at] === mark)
    if (language.line.some((mark) => text.startsWith(mark, at))) {
      push("com", text.slice(at))
      break
    }
    if (language.block && text.startsWith("/*", at)) {
      if (!until("com", "*/", at + 2)) return done("comment")
    } else if (long !== undefined) {
      if (!until("str", long, at + long.length)) return done(long)
    } else if (quote !== undefined) {
      let end = at + 1
      while (end < text.length && text[end] !== quote) end += text[end] === "\\" ? 2 : 1
      push("str", text.slice(at, end + 1))
      at = end + 1
    } else {
      word.lastIndex = at
      numeral.lastIndex = at
      const name = word.exec(text)?.[0]
      const number = name === undefined ? numeral.exec(text)?.[0] : undefined
      const piece = name ?? number ?? text[at] ?? ""
      push(
        number !== undefined
          ? "num"
          : language.keywords.has(piece)
            ? "kw"
            : language.types.has(piece)
              ? "type"
              : "plain",
        piece
      )
      at += Math.max(1, piece.length)
    }
  }
  return done("")
}

/** The tokens of a file, computed for the lines that are shown. */
export class Highlighter {
  readonly #lines: ReadonlyArray<string>
  readonly #language: Language
  /** The state at the start of each line, as far as it is known. */
  readonly #states: Array<State> = [""]

  constructor(file: string, lines: ReadonlyArray<string>) {
    this.#lines = lines
    this.#language = languageOf(file)
  }

  /** True if blocks are indented lines and have no braces. */
  get isIndented(): boolean {
    return this.#language === languages["py"]
  }

  /** Returns the text of a line, from 0, without comments and texts. */
  code(index: number): string {
    return this.line(index)
      .map(({ kind, text }) => (kind === "com" || kind === "str" ? " ".repeat(text.length) : text))
      .join("")
  }

  /** Returns the tokens of a line, from 0. */
  line(index: number): ReadonlyArray<Token> {
    while (this.#states.length <= index) {
      const last = this.#states.length - 1
      this.#states.push(tokensOf(this.#lines[last] ?? "", this.#states[last] ?? "", this.#language).next)
    }
    return tokensOf(this.#lines[index] ?? "", this.#states[index] ?? "", this.#language).tokens
  }
}

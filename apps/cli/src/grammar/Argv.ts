/**
 * The grammar of the command line: words into a call.
 *
 * Options stand before or after the command. `--` ends them; what follows belongs to the program to be debugged, where
 * the command has one. Only a dash and a letter begin an option: `-3` and `-[Class sel:]` are words. The first thing that
 * is wrong is reported, but all words are read: `--json` holds wherever it stands.
 */
import { Errors, Hint, Nearest, Payload } from "@sigtrap/protocol"
import { Result } from "effect"
import * as Aliases from "./Aliases.ts"
import * as Commands from "./Commands.ts"
import * as Options from "./Options.ts"

/** Values by field: of the payload, or of the options that every command has. */
export interface Fields {
  readonly [field: string]: unknown
}

/** What shall be done. The input of a call is not decoded yet. */
export type Request =
  | { readonly _tag: "Call"; readonly command: Commands.Command; readonly input: Fields }
  | { readonly _tag: "Own"; readonly own: Commands.Own; readonly words: ReadonlyArray<string>; readonly agent: boolean }
  | { readonly _tag: "Help"; readonly command?: Commands.Command | Commands.Own }

/** A command line that was read: the options of every command, and what shall be done or what is wrong. */
export interface Parsed {
  readonly globals: Fields
  /** The command's words, where they are known. */
  readonly name?: string
  readonly request: Result.Result<Request, Errors.Usage>
}

interface Token {
  readonly name: string
  /** As it was written, without its value. */
  readonly written: string
  readonly value?: string
}

/** An option in a word, or undefined where the word is none. */
const option = (word: string): Token | undefined => {
  const match = /^(--?)([A-Za-z][^=]*)(?:=(.*))?$/s.exec(word)
  const [, dashes, name, value] = match ?? []
  if (dashes === undefined || name === undefined) return undefined
  return { name, written: `${dashes}${name}`, ...(value === undefined ? {} : { value }) }
}

const shortGlobal = (token: Token): string =>
  token.name.length === 1 && Object.hasOwn(Options.letters, token.name)
    ? (Options.letters[token.name] ?? token.name)
    : token.name

const byFlag = (options: ReadonlyArray<Options.Option>, flag: string) => options.find((known) => known.flag === flag)

/** Which option a flag names, and what `--no-` makes of it. */
const lookup = (
  options: ReadonlyArray<Options.Option>,
  flag: string
): { readonly option: Options.Option; readonly negative: boolean } | undefined => {
  const plain = byFlag(options, flag)
  if (plain !== undefined) return { option: plain, negative: false }
  const positive = flag.startsWith("no-") ? byFlag(options, flag.slice(3)) : undefined
  return positive?.kind === "boolean" && !positive.many ? { option: positive, negative: true } : undefined
}

/** Whether an option takes the next word, as far as that is known before the command is. */
const takesNext = (token: Token): boolean => {
  if (token.value !== undefined) return false
  const all = [...Options.globals, ...Commands.all.flatMap(({ options }) => options), ...Options.idle]
  const other = Commands.all.map(({ name }) => Aliases.option(name, token.name)).find((words) => words !== undefined)
  if (other !== undefined && other.length > 1) return false
  const found = lookup(all, other?.[0]?.slice(2) ?? shortGlobal(token))
  return found !== undefined && found.option.kind !== "boolean"
}

/** Where the words are that are no options and no options' values. */
const wordsOf = (argv: ReadonlyArray<string>): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? ""
    if (word === "--") break
    const token = option(word)
    if (token === undefined) found.push(index)
    else if (takesNext(token)) index += 1
  }
  return found
}

/** Where the first word stands that is no option and no option's value. */
export const firstWord = (argv: ReadonlyArray<string>): number | undefined => wordsOf(argv)[0]

interface Scanned {
  readonly fields: Fields
  readonly globals: Fields
  readonly words: ReadonlyArray<string>
  readonly after: ReadonlyArray<string> | undefined
  readonly flags: ReadonlySet<string>
  readonly problem: { readonly text: string; readonly near: ReadonlyArray<string> } | undefined
}

/** Reads all words once the command is known. */
const scan = (
  argv: ReadonlyArray<string>,
  command: Commands.Command | undefined,
  written: string | undefined = command?.name
): Scanned => {
  const fields: Record<string, unknown> = {}
  const globals: Record<string, unknown> = {}
  const flags = new Set<string>()
  const words: Array<string> = []
  const queue = [...argv]
  const mine = command?.options ?? []
  const idle = command?.meta.resumes === true ? [] : Options.idle
  let problem: Scanned["problem"]
  const complain = (text: string, near: ReadonlyArray<string> = []) => {
    problem ??= { text, near }
  }

  const store = (target: Record<string, unknown>, { field, many }: Options.Option, value: unknown) => {
    const before = target[field]
    target[field] = many && Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value
  }

  const unknown = (token: Token) => {
    const known = [...mine, ...Options.globals].flatMap(({ flag, kind, fallback }) =>
      kind === "boolean" && fallback === true ? [`--no-${flag}`] : [`--${flag}`]
    )
    const near = Nearest.names(token.written, known)
    complain(`unknown option ${token.written}${command === undefined ? "" : ` of ${command.name}`}`, near)
  }

  const take = (token: Token) => {
    const other = command === undefined ? undefined : Aliases.option(command.name, token.name, written)
    if (other !== undefined && other.length > 1) {
      queue.unshift(...other)
      return
    }
    const flag = other?.[0]?.slice(2) ?? token.name
    const long = token.written.startsWith("--") || other !== undefined
    const local = long ? lookup(mine, flag) : undefined
    const common = other === undefined ? shortGlobal(token) : flag
    const found = local ?? (long || common !== token.name ? lookup([...Options.globals, ...idle], common) : undefined)
    if (found === undefined) {
      if (!Commands.reserved.options.some((name) => name === token.name)) unknown(token)
      return
    }
    const target = local === undefined ? globals : fields
    if (found.option.kind === "boolean") {
      const read = Options.read(found.option, token.written, token.value ?? "true")
      if (Result.isFailure(read)) complain(read.failure)
      else store(target, found.option, found.negative ? read.success === false : read.success)
    } else {
      const next = queue[0]
      const missing = next === undefined || next === "--" || /^--[A-Za-z]/.test(next)
      if (token.value === undefined && missing) {
        complain(`${token.written} needs a value: ${found.option.metavar}`)
        return
      }
      const read = Options.read(found.option, token.written, token.value ?? queue.shift() ?? "")
      if (Result.isFailure(read)) complain(read.failure)
      else store(target, found.option, read.success)
    }
    if (local !== undefined) flags.add(found.option.field)
  }

  while (queue.length > 0) {
    const word = queue.shift() ?? ""
    if (word === "--") return { fields, globals, words, after: queue, flags, problem }
    const token = option(word)
    const foreign =
      command?.verbatim === true &&
      words.length > 0 &&
      (token?.written.startsWith("--") !== true || lookup(Options.globals, token.name) === undefined)
    if (token === undefined || foreign) words.push(word)
    else if (/^-[A-Za-z]{2,}$/.test(word) && Array.from(token.name).every((letter) => /^[qvhV]$/.test(letter))) {
      queue.unshift(...Array.from(token.name, (letter) => `-${letter}`))
    } else take(token)
  }
  return { fields, globals, words, after: undefined, flags, problem }
}

const usage = (problem: string, hint: Hint.Hint, near: ReadonlyArray<string> = []) =>
  Result.fail(new Errors.Usage({ problem, near, remedies: [hint] }))

/** How a field is written: a positional one in capitals, any other as its option. */
export const nameOf = (command: Commands.Command, field: string): string => {
  const known = command.options.find((candidate) => candidate.field === field)
  return command.meta.positional.includes(field)
    ? (known?.metavar ?? field.toUpperCase())
    : `--${known?.flag ?? Options.flagOf(field)}`
}

const operator = /^(?:[-+*/%&|^=<>?:]|[=!<>]=|&&|\|\||<<|>>)$/

/** Several expressions of which some were written with blanks: an operator that stands alone joins what is around it. */
const joined = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words.reduce<ReadonlyArray<string>>((all, word, index) => {
    const binds = index > 0 && (operator.test(word) || operator.test(words[index - 1] ?? ""))
    return binds ? [...all.slice(0, -1), `${all.at(-1) ?? ""} ${word}`] : [...all, word]
  }, [])

/** The words of an assignment without the sign between its sides, which other debuggers want. */
const assigned = ([target = "", ...value]: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [, left = target, right] = /^([^=]*[^=!<>])=(?!=)(.*)$/s.exec(target) ?? []
  if (right !== undefined && (right === "") === value.length > 0) return [left, right === "" ? value.join(" ") : right]
  const [first = "", ...rest] = value
  const sign = /^=(?!=)(.*)$/s.exec(first)
  return sign === null ? [target, ...value] : [target, [...(sign[1] === "" ? [] : [sign[1] ?? ""]), ...rest].join(" ")]
}

/** Gives the words to the positional fields, in their order. */
const call = (
  command: Commands.Command,
  { fields, words, after, flags }: Scanned
): Result.Result<Fields, Errors.Usage> => {
  const { positional, sentence, rest } = command.meta
  const help = Hint.help(command.operation._tag)
  const input: Record<string, unknown> = { ...fields }
  const left = [...(command.name === "set" && words.length > 0 ? assigned(words) : words)]
  if (after !== undefined && rest === undefined) left.push(...after)
  for (const field of positional) {
    const known = command.options.find((candidate) => candidate.field === field)
    if (left.length === 0) break
    if (flags.has(field) || known === undefined) continue
    const all = known.many ? left.splice(0) : left.splice(0, 1)
    const texts =
      sentence === field ? [[...all, ...left.splice(0)].join(" ")] : field === "expressions" ? joined(all) : all
    for (const text of texts) {
      const read = Options.read(known, known.metavar, text)
      if (Result.isFailure(read)) return usage(read.failure, help)
      const before = input[field]
      input[field] = Array.isArray(before) && Array.isArray(read.success) ? [...before, ...read.success] : read.success
    }
  }
  const [extra] = left
  if (extra !== undefined) {
    return rest === undefined
      ? usage(`${command.name} takes no '${extra}'`, help)
      : usage(
          `${command.name} takes no '${extra}'; arguments of the program follow --`,
          Hint.local(command.operation._tag, [...words.slice(0, words.length - left.length), "--", ...left])
        )
  }
  if (rest !== undefined && after !== undefined) {
    const before = input[rest]
    input[rest] = [...(Array.isArray(before) ? before : []), ...after]
  }
  return Result.succeed(input)
}

/** First words of commands that LLDB has and we have not. */
const debuggerWords =
  /^(?:apropos|disassemble|expression|frame|image|memory|platform|process|register|script|settings|source|target|thread|type|watchpoint|x)$/

const unknownCommand = (words: ReadonlyArray<string>): Result.Result<never, Errors.Usage> => {
  const [first = "", second] = words
  const group = Commands.names
    .filter((name) => name.startsWith(`${first} `))
    .map((name) => name.slice(first.length + 1))
  if (group.length > 0) {
    const problem =
      second === undefined ? `${first} needs one of: ${group.join(", ")}` : `unknown command '${first} ${second}'`
    const near = second === undefined ? [] : Nearest.names(second, group).map((name) => `${first} ${name}`)
    return usage(problem, Hint.help(`${first} ${group[0] ?? ""}`.replaceAll(" ", ".")), near)
  }
  if (debuggerWords.test(first)) {
    return usage(`no command '${first}' here; the debugger has one`, Hint.call("raw", { command: words.join(" ") }))
  }
  return usage(
    `unknown command '${first}'`,
    Hint.local("help"),
    Nearest.names(first, [...Commands.names, ...Aliases.commands.keys()])
  )
}

/** The fields of a call that come from the environment or from options of every command. */
const shared = (
  command: Commands.Command,
  input: Fields,
  globals: Fields,
  environment: { readonly [name: string]: string }
): Fields => {
  const { properties } = Payload.published(command.operation)
  // Whoever names sessions to end means these, not the one that a shell has chosen for everything.
  const named = command.name === "stop" && (input["names"] !== undefined || input["all"] !== undefined)
  const session = globals["session"] ?? (named ? undefined : environment["SIGTRAP_SESSION"] || undefined)
  return {
    ...input,
    ...("session" in properties && session !== undefined ? { session } : {}),
    ...(globals["request-id"] === undefined ? {} : { request_id: globals["request-id"] })
  }
}

/** Reads a command line. */
export const parse = (argv: ReadonlyArray<string>, environment: { readonly [name: string]: string } = {}): Parsed => {
  const places = wordsOf(argv)
  const first = places.map((place) => argv[place] ?? "")
  const resolved = Commands.resolve(first)
  const used = new Set(places.slice(0, resolved?.length ?? 0))
  const left = argv.filter((_, index) => !used.has(index))

  if (resolved?.command !== undefined) {
    const { command } = resolved
    const scanned = scan([...resolved.options, ...left], command, resolved.written)
    const { globals, problem } = scanned
    const help = Hint.help(command.operation._tag)
    const request = (): Result.Result<Request, Errors.Usage> => {
      if (globals["help"] === true) return Result.succeed({ _tag: "Help", command })
      if (problem !== undefined) return usage(problem.text, help, problem.near)
      const [what] = scanned.words
      if (what !== undefined && first[0] === "info" && command.name === "status") {
        return usage(`info knows no '${what}'`, Hint.local("info", ["locals"]), Nearest.names(what, Aliases.about))
      }
      return Result.map(call(command, scanned), (input) => ({
        _tag: "Call",
        command,
        input: shared(command, input, globals, environment)
      }))
    }
    return { globals, name: command.name, request: request() }
  }

  const own = resolved?.own
  const agent = own?.name === "help" && left.includes("--agent")
  const {
    globals,
    words,
    after = [],
    problem
  } = scan(agent ? left.filter((word) => word !== "--agent") : left, undefined)
  const request = (): Result.Result<Request, Errors.Usage> => {
    if (globals["help"] === true)
      return Result.succeed({ _tag: "Help", ...(own === undefined ? {} : { command: own }) })
    if (globals["version"] === true)
      return Result.succeed({ _tag: "Own", own: Commands.version, words: [], agent: false })
    if (own === undefined && first.length > 0) return unknownCommand(first)
    if (problem !== undefined) return usage(problem.text, Hint.local("help"), problem.near)
    return own === undefined
      ? Result.succeed({ _tag: "Help" })
      : Result.succeed({ _tag: "Own", own, words: [...words, ...after], agent })
  }
  return { globals, ...(own === undefined ? {} : { name: own.name }), request: request() }
}

/**
 * What may follow the words of an incomplete command line: commands, options and their values, expressions, locations, sessions,
 * breakpoints, adapters, files, configuration keys. Shells and the prompt ask for the same.
 */
import * as LoadedCode from "@sigtrap/host/runtime/LoadedCode"
import * as Config from "@sigtrap/host/config/Config"
import { Client, Operations, Payload, ShellWords, type Operation } from "@sigtrap/protocol"
import { Effect, Predicate } from "effect"
import { basename } from "node:path"
import * as Aliases from "@sigtrap/protocol/grammar/Aliases"
import type { Builtin } from "@sigtrap/protocol/grammar/Builtins"
import * as Commands from "@sigtrap/protocol/grammar/Commands"
import * as Options from "@sigtrap/protocol/grammar/Options"
import { spellings } from "@sigtrap/protocol/grammar/Spellings.generated"
import * as Words from "@sigtrap/protocol/grammar/Words"
import * as Completion from "../help/Completion.ts"

type Names = Effect.Effect<ReadonlyArray<string>, unknown, Client.Client>

/** Where the line is typed. */
export interface Place {
  readonly directory: string
  readonly environment: { readonly [name: string]: string }
}

/** An incomplete line: the words before the last one, and the beginning of that. */
interface Typed {
  readonly before: ReadonlyArray<string>
  readonly word: string
}

/** Splits a line into the words before its end and the word at its end, which is empty after a blank. */
export const typed = (line: string): Typed => {
  const { open, words } = ShellWords.parse(line)
  const ends = !open && /(?:^|[^\\])\s$/.test(line)
  return ends || words.length === 0
    ? { before: words, word: "" }
    : { before: words.slice(0, -1), word: words.at(-1) ?? "" }
}

const none: Names = Effect.succeed([])

/** Where candidates come from: the place of the line and the session that it names. */
interface Where {
  readonly place: Place
  readonly session: object
}

/** Returns the names of a kind. Expressions and locations begin with the typed word. */
const ofKind = (kind: Operation.Completion | "adapters", word: string, { place, session }: Where): Names =>
  Effect.gen(function* () {
    if (kind === "adapters") {
      const Adapters = yield* Effect.promise(() => LoadedCode.load(() => import("@sigtrap/host/Adapters")))
      return Adapters.names(yield* Effect.orElseSucceed(Config.values(place), () => ({})))
    }
    const client = yield* Client.Client
    switch (kind) {
      case "sessions": {
        const { data } = yield* client.call("sessions", {})
        return data.sessions.map(({ name }) => name)
      }
      case "breakpoints": {
        const { data } = yield* client.call("breakpoint.list", { kind: [], ...session })
        return data.breakpoints.map(({ id }) => String(id))
      }
      case "files": {
        const { data } = yield* client.call("files", { limit: 1000, ...session })
        return [...new Set(data.files.map((file) => basename(file)))]
      }
      case "expressions":
      case "locations": {
        const asked = { text: word, kind: kind === "locations" ? ("location" as const) : ("expression" as const) }
        const { data } = yield* client.call("complete", { ...asked, ...session })
        return data.completions.map(({ text }) => text)
      }
    }
  })

/** Returns the commands and groups that continue some words. */
const continued = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const start = words.map((word) => `${word} `).join("")
  const names = [...Commands.names, ...(words.length === 0 ? Aliases.commands.keys() : [])]
  const first = names
    .filter((name) => name.startsWith(start))
    .map((name) => name.slice(start.length).split(" ")[0] ?? "")
  const own = Object.hasOwn(Completion.subcommands, words.join(" "))
    ? Completion.subcommands[words.join(" ")]
    : undefined
  return [...new Set([...first, ...(own ?? [])])]
}

/** Returns the option whose value is typed next. */
const openOption = (
  before: ReadonlyArray<string>,
  { builtin, command }: { readonly builtin?: Builtin | undefined; readonly command?: Commands.Command | undefined }
): Options.Option | undefined => {
  const token = Words.option(before.at(-1) ?? "")
  if (token === undefined || token.value !== undefined) return undefined
  const [long = token.written] = command === undefined ? [] : (Aliases.option(command.name, token.name) ?? [])
  const written = long.replace(/^--?/, "")
  const name = builtin !== undefined && Object.hasOwn(builtin.letters, written) ? builtin.letters[written] : written
  const field = Object.hasOwn(Options.letters, written) ? Options.letters[written] : undefined
  return [...(command?.options ?? builtin?.options ?? []), ...Options.globals].find(
    (option) => option.kind !== "boolean" && (option.flag === name || option.field === field)
  )
}

/** Returns the values of an option. */
const valuesOf = (option: Options.Option, word: string, where: Where): Names => {
  if (option.values.length > 0) return Effect.succeed(option.values)
  if (option.field === "session") return ofKind("sessions", word, where)
  if (option.field === "adapter") return ofKind("adapters", word, where)
  if (option.metavar === "LOCATION") return ofKind("locations", word, where)
  return option.metavar === "EXPR" ? ofKind("expressions", word, where) : none
}

/** Returns the arguments of a command that runs without an operation. */
const ofBuiltin = ({ name }: Builtin, words: ReadonlyArray<string>, word: string, place: Place): Names => {
  const [first] = words
  if (name === "config" && (first === "get" || first === "set" || first === "unset")) {
    return Effect.succeed(words.length === 1 ? Completion.settings : [])
  }
  if (name === "doctor" || name === "setup") return ofKind("adapters", word, { place, session: {} })
  return Effect.succeed(
    name === "help" || name === "schema" ? continued(words) : first === undefined ? continued([name]) : []
  )
}

/** Returns the session that the words or the environment name, and the directory that chooses among several. */
const selected = (before: ReadonlyArray<string>, { directory, environment }: Place) => {
  const place = before.findLastIndex((word) => word === "-S" || word === "--session")
  const name = (place === -1 ? undefined : before[place + 1]) ?? environment["SIGTRAP_SESSION"]
  return { directory, ...(name === undefined || name === "" ? {} : { session: name }) }
}

const all = ({ before, word }: Typed, place: Place): Names => {
  if (before.includes("--")) return none
  const names = Words.divide(spellings, before).places.map((index) => before[index] ?? "")
  const resolved = Commands.resolve(names)
  const session = selected(before, place)
  const open = openOption(before, resolved ?? {})
  if (open !== undefined) return valuesOf(open, word, { place, session })
  if (word.startsWith("-")) {
    if (resolved?.builtin !== undefined) return Effect.succeed(Completion.builtinFlags(resolved.builtin))
    return Effect.succeed(resolved?.command === undefined ? Completion.globals : Completion.flags(resolved.command))
  }
  if (resolved === undefined) return Effect.succeed(continued(names))
  const rest = names.slice(resolved.length)
  if (resolved.builtin !== undefined) return ofBuiltin(resolved.builtin, rest, word, place)
  const { completes } = resolved.command.meta
  const fields = resolved.command.meta.positional
  const many = resolved.command.options.find(({ field }) => field === fields.at(-1))?.many === true
  // `break` is a command and begins others, such as `break add`.
  const further = rest.length === 0 ? continued(names).filter((name) => name !== "") : []
  const takes =
    completes !== undefined && (many || rest.length < Math.max(fields.length, 1) || hasSentence(resolved.command))
  const session_ = Payload.hasField(resolved.command.operation, "session") ? session : {}
  return takes
    ? Effect.map(ofKind(completes, word, { place, session: session_ }), (found) => [...found, ...further])
    : Effect.succeed(further)
}

const hasSentence = ({ meta }: Commands.Command) => meta.sentence !== undefined

/** Returns what may replace the last word of a line, sorted; nothing if it cannot be found out. */
export const of = (line: string, place: Place): Effect.Effect<ReadonlyArray<string>, never, Client.Client> => {
  const { before, word } = typed(line)
  const words = /(?:^|\/)sigtrap$/.test(before[0] ?? "") ? before.slice(1) : before
  return all({ before: words, word }, place).pipe(
    Effect.map((found) =>
      [...new Set(found)].filter((one) => Predicate.isString(one) && one.startsWith(word)).toSorted()
    ),
    Effect.catch(() => Effect.succeed([]))
  )
}

/** Returns the names of one kind, for the completion scripts. */
export const ofWord = (kind: string, place: Place): Effect.Effect<ReadonlyArray<string>, never, Client.Client> => {
  const known = (["sessions", "adapters", "files", "breakpoints"] as const).find((one) => one === kind)
  return Effect.catch(known === undefined ? none : ofKind(known, "", { place, session: {} }), () => Effect.succeed([]))
}

/** Returns the operation of a line, by the same grammar as the command line. */
export const operationOf = (words: ReadonlyArray<string>): Operation.Any | undefined => {
  const names = Words.divide(spellings, words).places.map((index) => words[index] ?? "")
  const tag = Commands.resolve(names)?.command?.operation._tag
  return tag === undefined ? undefined : Operations.find(tag)
}

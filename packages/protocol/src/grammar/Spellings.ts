/**
 * The spellings of all commands and the options that take a value, computed from the definitions. `source` writes
 * the copy that programs use: the thin client does not load the definitions, and for the daemon it takes a tenth of its start to
 * compute the options of every command.
 */
import * as Aliases from "./Aliases.ts"
import * as Builtins from "./Builtins.ts"
import * as Commands from "./Commands.ts"
import * as Options from "./Options.ts"
import type { Spellings } from "./Words.ts"

/** A name of an option in one command, and whether it takes the next word as its value. */
interface Use {
  readonly name: string
  readonly command: string
  readonly valued: boolean
}

const ofOptions = (command: string, options: ReadonlyArray<Options.Option>): ReadonlyArray<Use> =>
  options.map(({ flag, kind }) => ({ name: flag, command, valued: kind !== "boolean" }))

const ofAliases = ({ name, options }: Commands.Command): ReadonlyArray<Use> =>
  Aliases.options(name).map(({ words: [first = "", ...rest], written }) => ({
    name: written.replace(/^--?/, ""),
    command: name,
    // Several words include the value.
    valued: rest.length === 0 && options.find(({ flag }) => `--${flag}` === first)?.kind !== "boolean"
  }))

const ofLetters = (
  command: string,
  letters: { readonly [letter: string]: string },
  options: ReadonlyArray<Options.Option>
): ReadonlyArray<Use> =>
  Object.entries(letters).map(([name, long]) => ({
    name,
    command,
    valued: options.find(({ flag }) => flag === long)?.kind !== "boolean"
  }))

/** Returns the options of one command by all of their names; the first of equal names applies. */
const ofCommand = (command: Commands.Command): ReadonlyArray<Use> => [
  ...ofOptions(command.name, command.options),
  ...ofAliases(command),
  ...ofOptions(command.name, [...Options.globals, ...(command.meta.resumes ? [] : Options.idle)]),
  ...ofLetters(command.name, Options.letters, Options.globals)
]

const ofBuiltin = ({ letters, name, options }: Builtins.Builtin): ReadonlyArray<Use> => [
  ...ofOptions(name, options),
  ...ofLetters(name, letters, options),
  ...ofOptions(name, Options.globals),
  ...ofLetters(name, Options.letters, Options.globals)
]

const uses = (): ReadonlyArray<Use> =>
  [...Commands.all.map(ofCommand), ...Builtins.all.map(ofBuiltin)].flatMap((all) => [
    ...new Map(all.toReversed().map((use) => [use.name, use])).values()
  ])

/** Returns the spellings of all commands. */
export const compute = (): Spellings => {
  const all = uses()
  const valued = new Set(all.filter((use) => use.valued).map(({ name }) => name))
  const flags = new Set(all.filter((use) => !use.valued).map(({ name }) => name))
  const flagIn = (option: string) =>
    all.flatMap(({ command, name, valued }) => (!valued && name === option ? [command] : []))
  const mixed = [...valued].filter((name) => flags.has(name))
  return {
    commands: Object.fromEntries([
      ...[...Aliases.commands].flatMap(([spelling, { before, command }]) =>
        before === undefined ? [[spelling, command] as const] : []
      ),
      ...Commands.all.map(({ name }) => [name, name] as const),
      ...Object.entries(Builtins.aliases),
      ...Builtins.all.map(({ name }) => [name, name] as const)
    ]),
    valued: [...valued].filter((name) => !flags.has(name)).toSorted(),
    mixed: Object.fromEntries(mixed.toSorted().map((name) => [name, flagIn(name)]))
  }
}

/** Returns the first words of all spellings of built-in commands. */
const builtinWords = ({ commands }: Spellings): ReadonlyArray<string> => {
  const names = new Set<string>(Builtins.all.map(({ name }) => name))
  return [
    ...new Set(
      Object.entries(commands).flatMap(([spelling, name]) => (names.has(name) ? spelling.split(" ").slice(0, 1) : []))
    )
  ]
}

/** An object with one entry per line. */
const lines = (value: object): string => {
  const entries = Object.entries(value).map(([key, entry]) => `  ${JSON.stringify(key)}: ${JSON.stringify(entry)}`)
  return `{\n${entries.join(",\n")}\n}`
}

/** Returns the text of `Spellings.generated.ts`. */
export const source = (): string => {
  const spellings = compute()
  return `/**
 * Generated from the operations and the tables of packages/protocol/src/grammar by tooling/src/reference.ts. Do not edit.
 */
import type { Spellings } from "./Words.ts"

/** The spellings of all commands. */
export const spellings: Spellings = {
commands: ${lines(spellings.commands)},
valued: ${JSON.stringify(spellings.valued)},
mixed: ${lines(spellings.mixed)}
}

/** Commands that run in the client. */
export const client: ReadonlyArray<string> = ${JSON.stringify(Builtins.all.flatMap(({ client, name }) => (client ? [name] : [])))}
/** First words of command lines that may run a built-in command. */
export const builtinWords: ReadonlyArray<string> = ${JSON.stringify(builtinWords(spellings))}
/** Commands after which the program keeps running if the client stops waiting. */
export const running: ReadonlyArray<string> = ${JSON.stringify(Commands.all.flatMap(({ meta, name }) => (meta.leavesStopped ? [] : [name])))}
/** Commands that start a program, which may not have begun if the client stops waiting. */
export const starting: ReadonlyArray<string> = ${JSON.stringify(Commands.all.flatMap(({ meta, name }) => (meta.execution === "start" || meta.execution === "restart" ? [name] : [])))}
`
}

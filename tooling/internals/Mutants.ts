/**
 * Mutants: small faults for lines that a rule depends on, each with the test that notices it.
 *
 * They are data: `mutants/*.json`, one file for each package. `npm run mutants` puts one after the other into a copy of the
 * repository and runs its test, which must fail.
 */
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { Schema } from "effect"

/** The root of the repository; ends with a slash. */
export const root = fileURLToPath(new URL("../..", import.meta.url))

/** One mutant. */
export const Mutant = Schema.Struct({
  /** Words with hyphens; unique. */
  name: Schema.String,
  /** The source, relative to the root of the repository. */
  file: Schema.String,
  /** The text that is replaced; it occurs once in the file. */
  text: Schema.String,
  replacement: Schema.String,
  /** The test file, relative to the root. */
  test: Schema.String,
  /** The title of the test that fails, or the part of it that the test file contains. */
  title: Schema.String,
  /** The rules that depend on the line. */
  ids: Schema.Array(Schema.String)
})
/** One mutant. */
export type Mutant = typeof Mutant.Type

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Mutant)), { onExcessProperty: "error" })

const folder = new URL("mutants/", import.meta.url)

/** All mutants, in the order of their files. */
export const all: ReadonlyArray<Mutant> = readdirSync(folder)
  .toSorted()
  .flatMap((name) => decode(readFileSync(new URL(name, folder), "utf8")))

const counts = (text: string, part: string) => text.split(part).length - 1

const textOf = (path: string): string | undefined => {
  try {
    return readFileSync(join(root, path), "utf8")
  } catch {
    return undefined
  }
}

/** Returns the text of a test file and of the tables that it imports, which can contain titles. */
const titlesOf = (test: string): string | undefined => {
  const text = textOf(test)
  if (text === undefined) return undefined
  const imported = [...text.matchAll(/from "(\.[^"]+)"/g)].map(
    ([, path = ""]) => textOf(join(dirname(test), path)) ?? ""
  )
  const tables = text.includes("testing/AccessTable") ? [textOf("packages/host/src/testing/AccessTable.ts") ?? ""] : []
  return [text, ...imported, ...tables].join("\n")
}

const problemsOf = ({ file, name, replacement, test, text, title }: Mutant): ReadonlyArray<string> => {
  const where = `mutant ${name}`
  const source = textOf(file)
  const tests = titlesOf(test)
  if (source === undefined)
    return [`${where}: there is no file ${file}; write its new path into tooling/internals/mutants`]
  const found = counts(source, text)
  return [
    ...(found === 1
      ? []
      : [`${where}: its text occurs ${found} times in ${file}; copy the changed line into tooling/internals/mutants`]),
    ...(text === replacement ? [`${where}: it changes nothing`] : []),
    ...(tests === undefined
      ? [`${where}: there is no test file ${test}`]
      : title !== "" && tests.includes(title)
        ? []
        : [`${where}: ${test} has no test "${title}"`])
  ]
}

/** Returns what is wrong with the data of mutants: moved lines, absent tests, repeated names. */
export const problems = (mutants: ReadonlyArray<Mutant>): ReadonlyArray<string> => [
  ...mutants.flatMap(problemsOf),
  ...mutants
    .filter(({ name }, at) => mutants.findIndex((each) => each.name === name) !== at)
    .map(({ name }) => `mutant ${name}: another one has the same name`)
]

/**
 * Where the files of a scenario are. Authors write paths relative to the file of the scenario, to where it is run, or to
 * the root of their project, and some to two of these in one file: each path is looked for in all of them.
 */
import { Predicate } from "effect"
import { existsSync } from "node:fs"
import { dirname, isAbsolute, resolve } from "node:path"
import type * as Scenario from "./Scenario.ts"

/** The directories that a scenario may mean. */
export interface Places {
  /** That of its file. */
  readonly here: string
  /** Where whoever runs it stands. */
  readonly invoked: string
  /** A temporary one of its own. */
  readonly work: string
}

/** A directory and those that it is in, without the root. */
const upwards = (directory: string): ReadonlyArray<string> => {
  const above = dirname(directory)
  return above === directory ? [] : [directory, ...upwards(above)]
}

/** Every directory that may be meant, the nearest first. */
const all = ({ here, invoked }: Places): ReadonlyArray<string> => [...new Set([here, invoked, ...upwards(here)])]

/** The words of a scenario that may be files. */
const files = (scenario: Scenario.Scenario): ReadonlyArray<string> => {
  const { program, stdin } = scenario.target ?? {}
  const lines = [...(scenario.setup ?? []), ...scenario.steps].flatMap(({ command, shell: line }) => {
    const said = line?.line ?? command?.line
    return said === undefined ? [] : [Predicate.isString(said) ? said : said.join(" ")]
  })
  const words = lines.flatMap((line) => line.match(/[\w.+/-]+/g) ?? [])
  const relative = words.filter((word) => /[./]/.test(word) && !/^(?:\/|[\d.]+$)/.test(word))
  return [...relative, ...[program, stdin].filter(Predicate.isNotUndefined)].filter((name) => !isAbsolute(name))
}

/** How much speaks for a directory: files that are there; of files that are to be made, their folders. */
const evidence = (names: ReadonlyArray<string>) => (directory: string) =>
  names
    .map((name) => resolve(directory, name))
    .reduce((sum, path, index) => {
      const folder = (names[index] ?? "").includes("/") && existsSync(dirname(path))
      return sum + (existsSync(path) ? 2 : folder ? 1 : 0)
    }, 0)

/**
 * The directory in which a scenario's commands are typed: its temporary one when it says where files are by `${here}` or
 * `${work}`, or when none of its files is anywhere; otherwise the one for which most speaks, the nearest of several.
 */
export const home = (scenario: Scenario.Scenario, text: string, places: Places): string => {
  if (/\$\{(?:here|work)\}/.test(text)) return places.work
  const weigh = evidence(files(scenario))
  const [best] = all(places)
    .map((directory) => ({ directory, weight: weigh(directory) }))
    .toSorted((a, b) => b.weight - a.weight)
  return best === undefined || best.weight === 0 ? places.work : best.directory
}

/** The first of the places where this file is, the given directory before all; the path as it is where it is nowhere. */
export const locate = (name: string, directory: string, places: Places): string => {
  const found = [directory, ...all(places)].map((base) => resolve(base, name)).find((path) => existsSync(path))
  return found ?? name
}

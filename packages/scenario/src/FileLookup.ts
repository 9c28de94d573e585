/**
 * Finds the files of a scenario. A path may be relative to the scenario's file, to the current directory or to the root of the
 * project, even in one file, so each path is tried in all of them.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Predicate from "effect/Predicate"
import type * as Scenario from "./Scenario.ts"
import type { Places } from "./Workspace.ts"

/** Returns whether a file or directory exists; false if that cannot be determined. */
export const exists = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  return yield* Effect.orElseSucceed(files.exists(path), () => false)
})

/** Returns a directory and its parents, without the root. */
const upwards = (path: Path.Path, directory: string): ReadonlyArray<string> => {
  const above = path.dirname(directory)
  return above === directory ? [] : [directory, ...upwards(path, above)]
}

/** Returns every directory that a path may be relative to, the nearest first. */
const candidates = (path: Path.Path, { here, invoked }: Places): ReadonlyArray<string> => [
  ...new Set([here, invoked, ...upwards(path, here)])
]

/** Returns the relative paths among the words of a scenario. */
const files = (path: Path.Path, scenario: Scenario.Scenario): ReadonlyArray<string> => {
  const { program, stdin } = scenario.target ?? {}
  const lines = [...(scenario.setup ?? []), ...scenario.steps].flatMap(({ command, shell }) => {
    const line = shell?.line ?? command?.line
    return line === undefined ? [] : [Predicate.isString(line) ? line : line.join(" ")]
  })
  const words = lines.flatMap((line) => line.match(/[\w.+/-]+/g) ?? [])
  const relative = words.filter((word) => /[./]/.test(word) && !/^(?:\/|[\d.]+$)/.test(word))
  return [...relative, ...[program, stdin].filter(Predicate.isNotUndefined)].filter((name) => !path.isAbsolute(name))
}

/** Counts 2 for each file that exists in a directory, and 1 for a missing one whose folder exists. */
const score = Effect.fnUntraced(function* (directory: string, names: ReadonlyArray<string>) {
  const path = yield* Path.Path
  const scores = yield* Effect.forEach(names, (name) =>
    Effect.gen(function* () {
      const file = path.resolve(directory, name)
      if (yield* exists(file)) return 2
      return name.includes("/") && (yield* exists(path.dirname(file))) ? 1 : 0
    })
  )
  return scores.reduce<number>((sum, each) => sum + each, 0)
})

/**
 * Returns the directory in which a scenario's commands run. It is the temporary one if the file contains `${here}` or
 * `${work}`, or if none of its files is found; otherwise the one with the highest score, the nearest of several.
 */
export const home = Effect.fnUntraced(function* (scenario: Scenario.Scenario, text: string, places: Places) {
  const path = yield* Path.Path
  if (/\$\{(?:here|work)\}/.test(text)) return places.work
  const names = files(path, scenario)
  const scored = yield* Effect.forEach(candidates(path, places), (directory) =>
    Effect.map(score(directory, names), (points) => ({ directory, points }))
  )
  const [best] = scored.toSorted((a, b) => b.points - a.points)
  return best === undefined || best.points === 0 ? places.work : best.directory
})

/** Returns the first existing path of this name, the given directory first; the name itself if there is none. */
export const locate = Effect.fnUntraced(function* (name: string, directory: string, places: Places) {
  const path = yield* Path.Path
  for (const base of [directory, ...candidates(path, places)]) {
    const file = path.resolve(base, name)
    if (yield* exists(file)) return file
  }
  return name
})

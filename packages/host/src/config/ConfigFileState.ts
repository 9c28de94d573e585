/**
 * The state of the files that a configuration depends on.
 *
 * Files of local file systems are looked at by the thread of the daemon, which takes microseconds. Others may not answer, such as a
 * network mount whose server is gone: Node's own threads look at those.
 */
import { upward } from "@sigtrap/manager/ports/FileReader"
import * as Effect from "effect/Effect"
import { lstat, lstatSync, stat, statfs, statSync, type Stats } from "node:fs"
import { dirname, join } from "node:path"
import * as Config from "./Config.ts"

/** A file that a configuration depends on. A link to the user's file is followed. */
interface Source {
  readonly path: string
  readonly isFollowed: boolean
}

/** The state of files: a text that is another one after each change, and the time of the last change. */
export interface State {
  readonly text: string
  readonly changed: number
}

/**
 * Numbers of local file systems in `statfs(2)` of Linux: ext2 to ext4, XFS, Btrfs, tmpfs, overlayfs, F2FS, ZFS, ramfs. Any other one
 * may be remote. Other operating systems have other numbers.
 */
const localTypes: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1, 0x858458f6
])

const sourcesOf = (place: Config.Place): ReadonlyArray<Source> => {
  const user = Config.path(place)
  const trusted = Config.trustFile(place)
  return [
    ...upward(place.directory, dirname).map((folder) => ({
      path: join(folder, Config.projectName),
      isFollowed: false
    })),
    ...(user === undefined ? [] : [{ path: user, isFollowed: true }]),
    ...(trusted === undefined ? [] : [{ path: trusted, isFollowed: false }])
  ]
}

/** What one file adds to the state: a text, and the time of its last change. */
interface Part {
  readonly text: string
  readonly changed: number
}

const partOf = ({ ctimeMs, ino, mtimeMs, size }: Stats): Part => ({
  text: `${ino} ${size} ${mtimeMs} ${ctimeMs}`,
  changed: Math.max(ctimeMs, mtimeMs)
})

/** The codes of a file that does not exist. */
const isAbsent = (code: unknown): boolean => code === "ENOENT" || code === "ENOTDIR"

const absent: Part = { text: "absent", changed: 0 }

/** Returns the part of a file that cannot be looked at. */
const withoutFile = (error: unknown): Part => {
  const code = error instanceof Error && "code" in error ? error.code : ""
  return isAbsent(code) ? absent : { text: String(code), changed: 0 }
}

const stateOf = (parts: ReadonlyArray<Part>): State => ({
  text: parts.map(({ text }) => text).join("\n"),
  changed: Math.max(0, ...parts.map(({ changed }) => changed))
})

/** The state of a path that Node refuses. The reader of the file refuses it with a sentence. */
const unusable: State = { text: "", changed: Infinity }

/** Looks at the files by Node's threads, all at once. */
export const look = (place: Config.Place): Effect.Effect<State> =>
  Effect.callback((resume) => {
    const sources = sourcesOf(place)
    if (sources.some(({ path }) => path.includes("\0"))) return resume(Effect.succeed(unusable))
    const parts: Array<Part> = []
    let left = sources.length
    for (const [index, { isFollowed, path }] of sources.entries()) {
      const ask = isFollowed ? stat : lstat
      ask(path, (error, facts) => {
        parts[index] = error === null ? partOf(facts) : withoutFile(error)
        left -= 1
        if (left === 0) resume(Effect.succeed(stateOf(parts)))
      })
    }
  })

/** Looks at the files at once, by the thread that calls. Only for those that `areLocal`. */
export const lookNow = (place: Config.Place): State =>
  stateOf(
    sourcesOf(place).map(({ isFollowed, path }) => {
      try {
        // An error with its stack would take longer than looking.
        const facts = isFollowed
          ? statSync(path, { throwIfNoEntry: false })
          : lstatSync(path, { throwIfNoEntry: false })
        return facts === undefined ? absent : partOf(facts)
      } catch (error) {
        return withoutFile(error)
      }
    })
  )

/** Returns the type of the file system of a path, or of the nearest folder above it that exists; undefined if it is not known. */
const typeOf = (path: string): Effect.Effect<number | undefined> =>
  Effect.callback((resume) => {
    statfs(path, (error, facts) => {
      if (error === null) return resume(Effect.succeed(facts.type))
      const above = dirname(path)
      resume(isAbsent(error.code) && above !== path ? typeOf(above) : Effect.undefined)
    })
  })

/** True if all files of a configuration are in local file systems, so that looking at them does not wait. */
export const areLocal = (place: Config.Place): Effect.Effect<boolean> => {
  if (process.platform !== "linux" || typeof statfs !== "function") return Effect.succeed(false)
  const paths = sourcesOf(place).flatMap(({ isFollowed, path }) => [dirname(path), ...(isFollowed ? [path] : [])])
  if (paths.some((path) => path.includes("\0"))) return Effect.succeed(false)
  return Effect.map(Effect.forEach([...new Set(paths)], typeOf, { concurrency: "unbounded" }), (types) =>
    types.every((type) => type !== undefined && localTypes.has(type))
  )
}

/**
 * Source text on disk: the only way for text of a source file into an answer.
 *
 * A file is shown only if `SourceRoots` allows it, with its links resolved, and `FileReader` reads it. Debugging works without
 * source text, so most callers ignore the failure.
 */
import { Errors, type Frame, MonotonicTime } from "@sigtrap/protocol"
import * as Context from "effect/Context"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import { FileReader, purposes } from "../../ports/FileReader.ts"
import * as LineStarts from "./LineStarts.ts"
import * as SourceRoots from "./SourceRoots.ts"

/** Size of the cache, in bytes, including the newest file. */
const maxCache = 64 * 1024 * 1024

/** Largest file that is shown as a whole, in bytes. */
const maxWhole = 2 * 1024 * 1024

/** Time for which the place of a file is remembered, in milliseconds. Its text is compared with the disk at each use. */
const rememberedPlace = 1000

/** Time for which `window`, `line` and `newer` do not compare a text with the disk again, in milliseconds. */
const rememberedText = 50

/** Time for which the time of a program's last change is remembered, in milliseconds: a report of each stop asks for it. */
const rememberedProgram = 1000

/** Maximum number of places that are remembered. */
const maxPlaces = 100

/** A file as one text with the offsets of its lines, which needs less memory than a list of lines. */
interface Cached {
  readonly modified: number
  readonly size: number
  readonly text: string
  readonly starts: Uint32Array
  /** The SHA-256 of the text, once it was asked for. */
  hash?: string
  /** When it was compared with the disk, as `MonotonicTime`. */
  checked: number
}

/** Returns the lines `first` to `last`, from 1, that exist. */
const linesOf = ({ starts, text }: Cached, first: number, last: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (let line = Math.max(1, first); line <= Math.min(last, starts.length); line++) {
    lines.push(LineStarts.line(text, starts, line) ?? "")
  }
  return lines
}

/** Finds a file: at its path, or below one of the directories by the longest suffix of its path. */
const located = Effect.fnUntraced(function* (file: string, searched: ReadonlyArray<string>, fs: FileSystem.FileSystem) {
  const isThere = (path: string) => fs.exists(path).pipe(Effect.orElseSucceed(() => false))
  if (searched.length === 0 || (isAbsolute(file) && (yield* isThere(file)))) return file
  const parts = file.split("/").filter((part) => part !== "" && part !== "..")
  for (let from = 0; from < parts.length; from++) {
    for (const root of searched) {
      const candidate = `${root.replace(/\/$/, "")}/${parts.slice(from).join("/")}`
      if (yield* isThere(candidate)) return candidate
    }
  }
  return file
})

/** A relative name says nothing about a directory of this machine. */
const isAbsolute = (file: string) => file.startsWith("/") || /^[A-Za-z]:[\\/]/.test(file)

/** A whole file. */
export interface WholeFile {
  readonly lines: ReadonlyArray<string>
  readonly hash: string
}

/** Requests for source text. Each fails with the rule that keeps the text from being shown. */
export interface Files {
  /** Returns the lines `line - around` to `line + around` that exist, as they were at most 50 ms ago: stops come in series. */
  readonly window: (
    file: string,
    line: number,
    around: number
  ) => Effect.Effect<Frame.SourceLines, Errors.SourceNotFound>
  /** Returns the lines `first` to `last` that exist; fails if there are none. */
  readonly range: (
    file: string,
    first: number,
    last: number
  ) => Effect.Effect<ReadonlyArray<string>, Errors.SourceNotFound>
  /** Returns all lines of a file of at most 2 MiB, and the SHA-256 of the text. */
  readonly whole: (file: string) => Effect.Effect<WholeFile, Errors.SourceNotFound>
  /** Returns a line as it was at most 50 ms ago: breakpoints in one file come in series. */
  readonly line: (file: string, line: number) => Effect.Effect<string, Errors.SourceNotFound>
  /** Returns the number of lines. */
  readonly count: (file: string) => Effect.Effect<number, Errors.SourceNotFound>
  /** True if a source file that is compiled was changed after another file. */
  readonly newer: (file: string, than: string) => Effect.Effect<boolean>
  /** Returns the requests of a session with these roots. */
  readonly within: (roots: SourceRoots.SourceRoots) => Files
}

/** True for a source file that is read when the program runs, so its age is not compared. */
const isInterpreted = (file: string): boolean => /\.(?:pyw?|[cm]?jsx?)$/.test(file)

/** True for a program that compiles the user's files when it runs, such as a test runner: its age is not compared with theirs. */
const isTool = (program: string): boolean => /[\\/]node_modules[\\/]/.test(program)

/** True if both times are known and the first one is later. */
const isLater = <Time>(one: Option.Option<Time>, other: Option.Option<Time>): boolean =>
  Option.isSome(one) && Option.isSome(other) && one.value > other.value

/** Returns the request whether a source file, with its links resolved, was changed after a program. */
const newerIn = (fs: FileSystem.FileSystem, cache: ReadonlyMap<string, Cached>) => {
  type Time = Effect.Effect<Option.Option<number>>
  let program: { readonly file: string; readonly since: number; readonly at: Option.Option<number> } | undefined

  const modified = (file: string): Time =>
    fs.stat(file).pipe(
      Effect.map((info) => Option.map(info.mtime, (date) => date.getTime())),
      Effect.orElseSucceed(() => Option.none())
    )

  /** Returns when a text was changed, without a look at the disk if it was just read. */
  const changed = (file: string): Time =>
    Effect.flatMap(MonotonicTime.now, (now) => {
      const known = cache.get(file)
      return known !== undefined && known.modified > 0 && now - known.checked < rememberedText
        ? Effect.succeed(Option.some(known.modified))
        : modified(file)
    })

  const built = (file: string): Time =>
    Effect.flatMap(MonotonicTime.now, (now) =>
      program?.file === file && now - program.since < rememberedProgram
        ? Effect.succeed(program.at)
        : Effect.map(modified(file), (at) => {
            program = { file, since: now, at }
            return at
          })
    )

  return (file: Effect.Effect<string, unknown>, than: string): Effect.Effect<boolean> =>
    Effect.zipWith(
      file.pipe(
        Effect.flatMap(changed),
        Effect.orElseSucceed(() => Option.none<number>())
      ),
      built(than),
      isLater
    )
}

/**
 * Returns the SHA-256 of a text. The layer is made at each call: it loads the module of Node that has Web Crypto, which most daemons
 * never need.
 */
const digestHex = (text: string): Effect.Effect<string> =>
  Effect.flatMap(Digest.Digest, (digest) => digest.digestHex(Digest.sha256, new TextEncoder().encode(text))).pipe(
    Effect.provide(Digest.layerWebCrypto)
  )

/** Reads source files, with a cache. Without roots, only the sources of the tool chain. */
export class SourceFiles extends Context.Service<SourceFiles, Files>()("@sigtrap/manager/SourceFiles") {
  static readonly layer = Layer.effect(
    SourceFiles,
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const reader = yield* FileReader
      const cache = new Map<string, Cached>()

      const keep = (file: string, cached: Cached) => {
        cache.delete(file)
        cache.set(file, cached)
        let cachedSize = 0
        for (const one of cache.values()) cachedSize += one.size
        for (const [name, one] of cache) {
          if (cachedSize <= maxCache || name === file) break
          cache.delete(name)
          cachedSize -= one.size
        }
      }

      /** Reads a file whose links are resolved. `age` is how long ago its text may have been compared with the disk. */
      const read = Effect.fnUntraced(function* (file: string, age: number) {
        const checked = yield* MonotonicTime.now
        const before = cache.get(file)
        if (before !== undefined && checked - before.checked < age) return before
        const info = yield* fs.stat(file)
        const size = Number(info.size)
        const modified = Option.match(info.mtime, { onNone: () => 0, onSome: (date) => date.getTime() })
        const known = cache.get(file)
        if (known !== undefined && known.modified === modified && known.size === size) {
          known.checked = checked
          return known
        }
        const text = yield* reader.text(file, purposes.source)
        const cached: Cached = { modified, size, text, starts: LineStarts.make(file, text), checked }
        keep(file, cached)
        return cached
      })

      const isNewer = newerIn(fs, cache)

      /** The requests of each session, by its roots. */
      const byRoots = new WeakMap<SourceRoots.SourceRoots, Files>()

      const files = (roots: SourceRoots.SourceRoots): Files => {
        const absent = (file: string) =>
          new Errors.SourceNotFound({ file, near: [], refused: "absent", detail: "there is no such file" })

        const places = new Map<string, { readonly real: string; readonly since: number }>()

        /** Returns the path of a file with its links resolved. */
        const realPath = Effect.fnUntraced(function* (file: string) {
          const now = yield* MonotonicTime.now
          const known = places.get(file)
          if (known !== undefined && now - known.since < rememberedPlace) return known.real
          const candidate = yield* located(file, roots.searched, fs)
          if (!isAbsolute(candidate)) return yield* absent(file)
          const real = yield* Effect.mapError(fs.realPath(candidate), () => absent(file))
          if (places.size >= maxPlaces) places.clear()
          places.set(file, { real, since: now })
          return real
        })

        const open = Effect.fnUntraced(function* (file: string, age = 0) {
          const real = yield* realPath(file)
          const refusal = SourceRoots.refusal(roots, real)
          if (refusal !== undefined) {
            return yield* new Errors.SourceNotFound({
              file,
              near: [],
              refused: refusal.rule,
              detail: refusal.detail,
              remedies: SourceRoots.hints(roots, real, refusal.rule)
            })
          }
          return yield* read(real, age).pipe(
            Effect.catchTags({
              PlatformError: () => Effect.fail(absent(file)),
              FileRefused: ({ detail, rule }) =>
                Effect.fail(new Errors.SourceNotFound({ file, near: [], refused: rule, detail }))
            })
          )
        })

        let last: { readonly file: string; readonly since: number; readonly known: Cached } | undefined
        const opening = Semaphore.makeUnsafe(1)

        /** Returns the file that was read last without a look at the disk. Callers that come together read it once. */
        const recent = (file: string): Effect.Effect<Cached, Errors.SourceNotFound> =>
          Effect.flatMap(MonotonicTime.now, (now) =>
            last?.file === file && now - last.since < rememberedText
              ? Effect.succeed(last.known)
              : Effect.map(open(file), (known) => {
                  last = { file, since: now, known }
                  return known
                })
          )

        const pastEnd = (file: string) =>
          new Errors.SourceNotFound({ file, near: [], refused: "absent", detail: "it has no such line" })

        const tooLarge = (file: string) =>
          new Errors.SourceNotFound({ file, near: [], refused: "size", detail: "it is larger than 2 MiB" })

        return {
          within: (other) => {
            const known = byRoots.get(other) ?? files(other)
            byRoots.set(other, known)
            return known
          },

          range: (file, first, last) =>
            Effect.flatMap(open(file), (one) => {
              const found = linesOf(one, first, last)
              return found.length === 0 ? Effect.fail(pastEnd(file)) : Effect.succeed(found)
            }),

          whole: (file) =>
            Effect.flatMap(open(file), (one) =>
              one.size > maxWhole
                ? Effect.fail(tooLarge(file))
                : Effect.map(one.hash === undefined ? digestHex(one.text) : Effect.succeed(one.hash), (hash) => {
                    one.hash = hash
                    return { lines: linesOf(one, 1, one.starts.length), hash }
                  })
            ),

          line: (file, line) =>
            Effect.flatMap(opening.withPermit(recent(file)), (one) => {
              const [text] = linesOf(one, line, line)
              return text === undefined ? Effect.fail(pastEnd(file)) : Effect.succeed(text)
            }),

          count: (file) => Effect.map(open(file), ({ starts }) => starts.length),

          newer: (file, than) =>
            isInterpreted(file) || isTool(than) ? Effect.succeed(false) : isNewer(realPath(file), than),

          window: (file, line, around) =>
            Effect.flatMap(open(file, rememberedText), (one) => {
              const first = Math.max(1, line - around)
              const lines = linesOf(one, first, line + around)
              return line > one.starts.length || lines.length === 0
                ? Effect.fail(pastEnd(file))
                : Effect.succeed({ first, lines })
            })
        }
      }
      return SourceFiles.of(files(SourceRoots.none))
    })
  )
}

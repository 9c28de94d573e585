/**
 * Source text on disk. A missing file, a file over the limit and anything but a regular file have no lines. None of
 * these is an error, because debugging works without source text.
 */
import type { Frame } from "@sigtrap/protocol"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"

/** Maximum size of a file, in bytes. Amalgamated and generated sources reach tens of megabytes. */
const maxFile = 64 * 1024 * 1024
/** Size of the cache, in bytes, including the newest file. */
const maxCache = 64 * 1024 * 1024

/** A file as one text with the offsets of its lines, which needs less memory than a list of lines. */
interface Cached {
  readonly modified: number
  readonly size: number
  readonly text: string
  readonly starts: Uint32Array
}

const lineStarts = (text: string): Uint32Array => {
  const starts = [0]
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1)
  return Uint32Array.from(starts)
}

/** Returns the lines `first` to `last`, from 1, that exist. */
const linesOf = ({ starts, text }: Cached, first: number, last: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (let line = Math.max(1, first); line <= Math.min(last, starts.length); line++) {
    lines.push(text.slice(starts[line - 1], (starts[line] ?? text.length + 1) - 1).replace(/\r$/, ""))
  }
  return lines
}

/** Finds a file: at its path, or below one of the roots by the longest suffix of its path. */
const located = Effect.fnUntraced(function* (file: string, roots: ReadonlyArray<string>, fs: FileSystem.FileSystem) {
  const isThere = (path: string) => fs.exists(path).pipe(Effect.orElseSucceed(() => false))
  if (roots.length === 0 || (yield* isThere(file))) return file
  const parts = file.split("/").filter((part) => part !== "")
  for (let from = 0; from < parts.length; from++) {
    for (const root of roots) {
      const candidate = `${root.replace(/\/$/, "")}/${parts.slice(from).join("/")}`
      if (yield* isThere(candidate)) return candidate
    }
  }
  return file
})

/** Requests for source text. */
export interface Files {
  /** Returns the lines `line - around` to `line + around` that exist. */
  readonly window: (file: string, line: number, around: number) => Effect.Effect<Option.Option<Frame.SourceLines>>
  /** Returns the lines `first` to `last` that exist. */
  readonly range: (file: string, first: number, last: number) => Effect.Effect<Option.Option<ReadonlyArray<string>>>
  /** True if a file was changed after another one. */
  readonly newer: (file: string, than: string) => Effect.Effect<boolean>
  /** Returns requests that also search files below these directories. */
  readonly below: (roots: ReadonlyArray<string>) => Files
}

/** Reads source files, with a cache. */
export class SourceFiles extends Context.Service<SourceFiles, Files>()("@sigtrap/manager/SourceFiles") {
  static readonly layer = Layer.effect(
    SourceFiles,
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const cache = new Map<string, Cached>()

      const read = Effect.fnUntraced(function* (file: string) {
        const info = yield* fs.stat(file)
        const size = Number(info.size)
        if (info.type !== "File" || size > maxFile) return Option.none<Cached>()
        const modified = Option.match(info.mtime, { onNone: () => 0, onSome: (date) => date.getTime() })
        const known = cache.get(file)
        if (known !== undefined && known.modified === modified && known.size === size) return Option.some(known)
        const text = yield* fs.readFileString(file)
        const cached = { modified, size, text, starts: lineStarts(text) }
        cache.delete(file)
        cache.set(file, cached)
        let cachedSize = 0
        for (const one of cache.values()) cachedSize += one.size
        for (const [name, one] of cache) {
          if (cachedSize <= maxCache || name === file) break
          cache.delete(name)
          cachedSize -= one.size
        }
        return Option.some(cached)
      })

      const modified = (file: string) =>
        fs.stat(file).pipe(
          Effect.map((info) => Option.map(info.mtime, (date) => date.getTime())),
          Effect.orElseSucceed(() => Option.none())
        )

      const files = (roots: ReadonlyArray<string>): Files => ({
        below: files,

        range: (file, first, last) =>
          Effect.flatMap(located(file, roots, fs), read).pipe(
            Effect.map((known) => {
              const found = Option.match(known, { onNone: () => [], onSome: (one) => linesOf(one, first, last) })
              return found.length === 0 ? Option.none() : Option.some(found)
            }),
            Effect.orElseSucceed(() => Option.none())
          ),

        newer: (file, than) =>
          Effect.map(
            Effect.all([Effect.flatMap(located(file, roots, fs), modified), modified(than)]),
            ([changed, built]) => (Option.isSome(changed) && Option.isSome(built) ? changed.value > built.value : false)
          ),

        window: (file, line, around) =>
          Effect.flatMap(located(file, roots, fs), read).pipe(
            Effect.map((known) =>
              Option.flatMap(known, (one) => {
                const first = Math.max(1, line - around)
                const window = linesOf(one, first, line + around)
                return line > one.starts.length || window.length === 0
                  ? Option.none()
                  : Option.some({ first, lines: window })
              })
            ),
            Effect.orElseSucceed(() => Option.none())
          )
      })
      return SourceFiles.of(files([]))
    })
  )
}

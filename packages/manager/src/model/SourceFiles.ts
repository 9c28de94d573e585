/**
 * Source text as it lies on disk. A file that is missing, too large or no regular file has no lines here; that is
 * never an error, since a debugger can do without.
 */
import type { Frame } from "@sigtrap/protocol"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"

/** Amalgamated and generated sources reach tens of megabytes; what is larger is no text to be shown by lines. */
const largest = 64 * 1024 * 1024
/** Bytes of source text that are remembered, the file that was asked for last included. */
const kept = 64 * 1024 * 1024

/** A file as one text and where its lines begin, which costs a fraction of a list of lines. */
interface Cached {
  readonly modified: number
  readonly size: number
  readonly text: string
  readonly starts: Uint32Array
}

const indexed = (text: string): Uint32Array => {
  const starts = [0]
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1)
  return Uint32Array.from(starts)
}

/** Lines `first` to `last`, counted from 1, as far as there are such. */
const cut = ({ starts, text }: Cached, first: number, last: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (let line = Math.max(1, first); line <= Math.min(last, starts.length); line++) {
    lines.push(text.slice(starts[line - 1], (starts[line] ?? text.length + 1) - 1).replace(/\r$/, ""))
  }
  return lines
}

/** Where a file is: where it is said to be, else below one of the roots by as much of its path as fits. */
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

/** What can be asked about source text. */
export interface Files {
  /** Lines `line - around` to `line + around` of a file, as far as it has them. */
  readonly window: (file: string, line: number, around: number) => Effect.Effect<Option.Option<Frame.SourceLines>>
  /** Lines `first` to `last` of a file, as far as it has them. */
  readonly range: (file: string, first: number, last: number) => Effect.Effect<Option.Option<ReadonlyArray<string>>>
  /** Whether a file was changed after another one. */
  readonly newer: (file: string, than: string) => Effect.Effect<boolean>
  /** The same for files that may lie below one of these directories instead of where they are said to be. */
  readonly below: (roots: ReadonlyArray<string>) => Files
}

/** The service. */
export class SourceFiles extends Context.Service<SourceFiles, Files>()("@sigtrap/manager/SourceFiles") {
  static readonly layer = Layer.effect(
    SourceFiles,
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const cache = new Map<string, Cached>()

      const read = Effect.fnUntraced(function* (file: string) {
        const info = yield* fs.stat(file)
        const size = Number(info.size)
        if (info.type !== "File" || size > largest) return Option.none<Cached>()
        const modified = Option.match(info.mtime, { onNone: () => 0, onSome: (date) => date.getTime() })
        const known = cache.get(file)
        if (known !== undefined && known.modified === modified && known.size === size) return Option.some(known)
        const text = yield* fs.readFileString(file)
        const cached = { modified, size, text, starts: indexed(text) }
        cache.delete(file)
        cache.set(file, cached)
        let held = 0
        for (const one of cache.values()) held += one.size
        for (const [name, one] of cache) {
          if (held <= kept || name === file) break
          cache.delete(name)
          held -= one.size
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
              const found = Option.match(known, { onNone: () => [], onSome: (one) => cut(one, first, last) })
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
                const window = cut(one, first, line + around)
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

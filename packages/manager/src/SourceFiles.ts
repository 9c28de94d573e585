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

const largest = 2 * 1024 * 1024
const kept = 64

interface Cached {
  readonly modified: number
  readonly size: number
  readonly lines: ReadonlyArray<string>
}

/** The service. */
export class SourceFiles extends Context.Service<
  SourceFiles,
  {
    /** Lines `line - around` to `line + around` of a file, as far as it has them. */
    readonly window: (file: string, line: number, around: number) => Effect.Effect<Option.Option<Frame.SourceLines>>
    /** Lines `first` to `last` of a file, as far as it has them. */
    readonly range: (file: string, first: number, last: number) => Effect.Effect<Option.Option<ReadonlyArray<string>>>
    /** Whether a file was changed after another one. */
    readonly newer: (file: string, than: string) => Effect.Effect<boolean>
  }
>()("@sigtrap/manager/SourceFiles") {
  static readonly layer = Layer.effect(
    SourceFiles,
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const cache = new Map<string, Cached>()

      const lines = Effect.fnUntraced(function* (file: string) {
        const info = yield* fs.stat(file)
        const size = Number(info.size)
        if (info.type !== "File" || size > largest) return []
        const modified = Option.match(info.mtime, { onNone: () => 0, onSome: (date) => date.getTime() })
        const known = cache.get(file)
        if (known !== undefined && known.modified === modified && known.size === size) return known.lines
        const text = yield* fs.readFileString(file)
        const split = text.split(/\r?\n/)
        cache.set(file, { modified, size, lines: split })
        const oldest = cache.size > kept ? cache.keys().next().value : undefined
        if (oldest !== undefined) cache.delete(oldest)
        return split
      })

      const modified = (file: string) =>
        fs.stat(file).pipe(
          Effect.map((info) => Option.map(info.mtime, (date) => date.getTime())),
          Effect.orElseSucceed(() => Option.none())
        )

      return SourceFiles.of({
        range: (file, first, last) =>
          lines(file).pipe(
            Effect.map((all) => {
              const found = all.slice(first - 1, last)
              return found.length === 0 ? Option.none() : Option.some(found)
            }),
            Effect.orElseSucceed(() => Option.none())
          ),

        newer: (file, than) =>
          Effect.map(Effect.all([modified(file), modified(than)]), ([changed, built]) =>
            Option.isSome(changed) && Option.isSome(built) ? changed.value > built.value : false
          ),

        window: (file, line, around) =>
          lines(file).pipe(
            Effect.map((all) => {
              const first = Math.max(1, line - around)
              const window = all.slice(first - 1, line + around)
              return line > all.length || window.length === 0 ? Option.none() : Option.some({ first, lines: window })
            }),
            Effect.orElseSucceed(() => Option.none())
          )
      })
    })
  )
}

/**
 * Finds the absolute paths of a program's source files, for adapters that accept no other paths.
 */
import { type Backend, FileReader, LineStarts } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import type * as Path from "effect/Path"
import * as Schema from "effect/Schema"

/** The fields of a source map that name the sources. */
const SourceMap = Schema.fromJsonString(
  Schema.Struct({ sourceRoot: Schema.optionalKey(Schema.String), sources: Schema.Array(Schema.NullOr(Schema.String)) })
)

type Reader = FileReader.FileReader["Service"]

/** Returns the absolute paths of the sources that a program was compiled from, as the source map beside it lists them. */
export const compiledFrom = Effect.fnUntraced(function* (reader: Reader, path: Path.Path, program: string) {
  const { sourceRoot = "", sources } = yield* reader.text(`${program}.map`, FileReader.purposes.script).pipe(
    Effect.flatMap(Schema.decodeUnknownEffect(SourceMap)),
    Effect.orElseSucceed((): typeof SourceMap.Type => ({ sources: [] }))
  )
  const absolute = (source: string) => path.resolve(path.dirname(program), sourceRoot, source)
  return sources.flatMap((source) => (source === null || source.includes("://") ? [] : [absolute(source)]))
})

/**
 * Returns the absolute path of a source file. A relative path means the program, a file that the program was compiled from,
 * or a file in the directory of its sources.
 */
export const absolutePath =
  (path: Path.Path, { program, sources }: Backend.LaunchRequest, from: ReadonlyArray<string> = []) =>
  (file: string) =>
    path.isAbsolute(file)
      ? file
      : ([program, ...from].find((known) => `/${known}`.endsWith(`/${file}`)) ??
        path.join(sources ?? path.dirname(program), file))

/** The number of a file's last line; Infinity if it is too large to be counted. */
export const lastLine = (reader: Reader, file: string) =>
  reader.text(file, FileReader.purposes.script).pipe(
    Effect.map((text) => LineStarts.count(file, text)),
    Effect.catchTag("FileRefused", ({ rule }) => Effect.succeed(rule === "size" ? Infinity : ("absent" as const)))
  )

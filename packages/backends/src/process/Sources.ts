/**
 * Finds the absolute paths of a program's source files, for adapters that accept no other paths.
 */
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as Schema from "effect/Schema"

/** The fields of a source map that name the sources. */
const SourceMap = Schema.fromJsonString(
  Schema.Struct({ sourceRoot: Schema.optionalKey(Schema.String), sources: Schema.Array(Schema.NullOr(Schema.String)) })
)

/** Largest source map that is read, in bytes. */
const largestMap = 16 * 1024 * 1024

/** Returns the absolute paths of the sources that a program was compiled from, as the source map beside it lists them. */
export const compiledFrom = Effect.fnUntraced(function* (fs: FileSystem.FileSystem, path: Path.Path, program: string) {
  const { sourceRoot = "", sources } = yield* fs.stat(`${program}.map`).pipe(
    Effect.filterOrFail(({ size }) => Number(size) <= largestMap),
    Effect.andThen(fs.readFileString(`${program}.map`)),
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

/** Largest source whose lines are counted, in bytes. */
const largestSource = 2 * 1024 * 1024

/** The number of a file's last line; Infinity if it is too large to be counted. */
export const lastLine = (fs: FileSystem.FileSystem, file: string) =>
  fs.stat(file).pipe(
    Effect.flatMap((info) =>
      Number(info.size) > largestSource
        ? Effect.succeed(Infinity)
        : Effect.map(fs.readFileString(file), (text) => text.replace(/\n$/, "").split("\n").length)
    ),
    Effect.orElseSucceed(() => "absent" as const)
  )

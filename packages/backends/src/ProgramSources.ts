/**
 * Source files of a program, for adapters that know them by their whole paths and look at them late.
 */
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"

/** A file as adapters know it that match no endings of paths: a relative one is the program's, or lies beside its sources. */
export const whole =
  (path: Path.Path, { program, sources }: Backend.Launch) =>
  (file: string) =>
    path.isAbsolute(file)
      ? file
      : `/${program}`.endsWith(`/${file}`)
        ? program
        : path.join(sources ?? path.dirname(program), file)

/** Largest source that is counted, in bytes. */
const largestSource = 2 * 1024 * 1024

/** The number of a file's last line; beyond all numbers when it is too large to be counted. */
export const lastLine = (fs: FileSystem.FileSystem, file: string) =>
  fs.stat(file).pipe(
    Effect.flatMap((info) =>
      Number(info.size) > largestSource
        ? Effect.succeed(Infinity)
        : Effect.map(fs.readFileString(file), (text) => text.replace(/\n$/, "").split("\n").length)
    ),
    Effect.orElseSucceed(() => "absent" as const)
  )

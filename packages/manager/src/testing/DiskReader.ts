/**
 * A `FileReader` over Effect's `FileSystem`, for tests whose files are data. It checks the size; every owner is the user.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type { PlatformError } from "effect/PlatformError"
import { FileReader, FileRefused, type Purpose } from "../ports/FileReader.ts"

const refused = (file: string) => (error: PlatformError) =>
  new FileRefused({
    file,
    rule: error.reason._tag === "NotFound" ? "absent" : "unreadable",
    detail: "it cannot be read"
  })

/** Reads the files of a `FileSystem`. */
export const layer: Layer.Layer<FileReader, never, FileSystem.FileSystem> = Layer.effect(
  FileReader,
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const limited = Effect.fnUntraced(function* (file: string, content: Uint8Array, purpose: Purpose) {
      if (content.length <= purpose.limit) return content
      return yield* new FileRefused({ file, rule: "size", detail: `it is larger than ${purpose.limit} bytes` })
    })
    const bytes = (file: string, purpose: Purpose) =>
      fs.readFile(file).pipe(
        Effect.mapError(refused(file)),
        Effect.flatMap((content) => limited(file, content, purpose))
      )
    return FileReader.of({
      home: undefined,
      bytes,
      text: (file, purpose) =>
        fs.readFileString(file).pipe(
          Effect.mapError(refused(file)),
          Effect.tap((text) => limited(file, new TextEncoder().encode(text), purpose))
        ),
      parts: (file, purpose) =>
        Effect.map(Effect.mapError(fs.readFile(file), refused(file)), (content) => ({
          size: content.length,
          read: (offset, length) =>
            Effect.succeed(length > purpose.limit ? new Uint8Array(0) : content.subarray(offset, offset + length))
        })),
      owner: (path) =>
        fs.exists(path).pipe(
          Effect.map((found) => (found ? ("user" as const) : ("absent" as const))),
          Effect.orElseSucceed(() => "absent" as const)
        )
    })
  })
)

/**
 * Writes a file that the user named, with the file system of this machine.
 */
import * as Writer from "@sigtrap/manager/model/FileWriter"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as NodeServices from "../runtime/NodeServices.ts"

/** Writes a file. One that exists is replaced with `force` only. */
export const write: (
  file: string,
  content: string | Uint8Array,
  options: Writer.Options
) => Effect.Effect<void, Writer.Refused> = Effect.fnUntraced(function* (file, content, options) {
  yield* Writer.write(file, content, options, { fs: yield* FileSystem.FileSystem, path: yield* Path.Path })
}, Effect.provide(NodeServices.layer))

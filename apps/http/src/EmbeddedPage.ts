/**
 * The files of the page in a compiled executable. Every other program has none here. The entry of the executable, which
 * tooling/bundle.mjs writes, adds them.
 */
import { embedded } from "@sigtrap/host/runtime/AnswerFile"
import { Effect } from "effect"
import { readFile } from "node:fs/promises"

/** The paths of the files by their names, in the file system of the executable. */
export const paths: ReadonlyMap<string, string> = embedded

/** Reads a file. It is part of the executable, so it cannot be a pipe or another user's. No descriptor of it can be opened. */
export const read = (path: string): Effect.Effect<Uint8Array> => Effect.promise(() => readFile(path))

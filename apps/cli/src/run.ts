/**
 * Entry of `sigtrap daemon run` without options, as clients start the daemon: it loads the daemon without the client, which takes some
 * milliseconds to read. The entry module has checked the words.
 */
import * as CompileCache from "@sigtrap/host/runtime/CompileCache"
import { dirname, join } from "node:path"
import type * as Daemon from "./daemon.ts"
import * as LoadedDaemon from "./thin/LoadedDaemon.ts"
import * as StandardStreams from "./thin/StandardStreams.ts"

/** Runs the daemon until it ends, and exits. */
export const run = async (): Promise<void> => {
  CompileCache.enable()
  const { daemon }: typeof Daemon = await LoadedDaemon.load(join(dirname(import.meta.filename), "daemon.mjs"))
  StandardStreams.exit(await daemon())
}

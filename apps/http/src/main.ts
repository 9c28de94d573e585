/**
 * The entry of the HTTP server. The command `sigtrap serve` and the package @sigtrap/http call `run`; importing this module
 * starts nothing.
 */
import * as ServerEntry from "@sigtrap/host/ServerEntry"

/** Runs the server in this process. */
export const run: ServerEntry.Run = ServerEntry.make("sigtrap serve", () => import("./Program.ts"))

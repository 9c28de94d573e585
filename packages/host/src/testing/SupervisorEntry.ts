/** Entry of the supervisor's thread of `FakeDaemon`. Prints `supervised` when clients can connect. */
import { writeSync } from "node:fs"
import * as SupervisorThread from "../daemon/supervisor/SupervisorThread.ts"

// The standard output of a thread passes through the main thread, which tests hold.
SupervisorThread.run(() => void writeSync(1, "supervised\n"))

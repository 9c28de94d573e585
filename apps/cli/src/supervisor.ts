/**
 * Entry of the supervisor's thread, a bundle of its own beside the daemon's.
 */
import * as SupervisorThread from "@sigtrap/host/daemon/supervisor/SupervisorThread"

SupervisorThread.run()

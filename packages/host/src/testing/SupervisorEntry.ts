/** Entry of the supervisor's thread of `FakeDaemon`. */
import * as SupervisorThread from "../daemon/SupervisorThread.ts"

SupervisorThread.run()

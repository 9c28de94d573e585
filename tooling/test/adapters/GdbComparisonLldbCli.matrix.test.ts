// The command line of LLDB, compared with GDB: see gdbSuite.ts.
import { gdbSuite } from "./gdbSuite.ts"

gdbSuite("lldb-cli", "some")

// lldb-dap, compared with GDB: see gdbSuite.ts.
import { gdbSuite } from "./gdbSuite.ts"

gdbSuite("dap", "some")

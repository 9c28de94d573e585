// LLDB's command line, compared with GDB at all compilers and levels: see gdbSuite.ts.
import { gdbSuite } from "./gdbSuite.ts"

gdbSuite("lldb-cli", "all")

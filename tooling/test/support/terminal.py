# Runs a command in a pseudo-terminal whose other end is this program's stdin and stdout. Exits with the command's code.
import os
import pty
import sys

sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))

/**
 * Python for LLDB: what LLDB does before each call of a formatter, which takes longer than most formatters. It runs a statement that
 * names the debugger, always the same text, and compiles it anew. It opens Python files for the debugger's output and errors.
 */

/** The source of the corrections of that, which do nothing where LLDB does it in another way. */
export const sessionStarts = String.raw`def compile_session_starts_once():
    """Replaces the function with which LLDB runs one line, for the lines that name the debugger. Others run as before."""
    import __main__

    run = getattr(__main__, "run_one_line", None)
    if run is None:
        return
    compiled = {}

    def run_line(names, line):
        if not line.startswith("lldb.debugger_unique_id = "):
            return run(names, line)
        code = compiled.get(line)
        if code is None:
            code = compiled[line] = compile(line, "<debugger>", "exec")
        exec(code, names)

    __main__.run_one_line = run_line


def open_session_files_once():
    """
    Replaces the function with which C code opens a Python file for a descriptor that it closes itself, if the file is written. It
    returns the same file for the same descriptor, and the file writes at once. Other files are opened as before.
    """
    import _io

    opened = {}
    run = _io.open

    class Unbuffered(_io.BufferedWriter):
        """Writes all of a text at once, also where the system takes it in parts."""

        def write(self, data):
            count = super().write(data)
            self.flush()
            return count

    def open_file(file, mode="r", buffering=-1, encoding=None, errors=None, newline=None, closefd=True, opener=None):
        if not isinstance(file, int) or closefd or mode != "w" or buffering != -1 or opener is not None:
            return run(file, mode, buffering, encoding, errors, newline, closefd, opener)
        key = (file, encoding, errors, newline)
        found = opened.get(key)
        if found is None or found.closed:
            writer = Unbuffered(_io.FileIO(file, mode, closefd=False))
            found = opened[key] = _io.TextIOWrapper(writer, encoding, errors, newline, write_through=True)
        return found

    _io.open = open_file
`

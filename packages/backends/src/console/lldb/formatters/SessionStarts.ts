/**
 * Python for LLDB: the statement that LLDB runs before each call of a formatter. It names the debugger, is always the same text, and LLDB
 * compiles it anew each time, which takes longer than most formatters.
 */

/** The source of the correction of that, which does nothing where LLDB runs such statements in another way. */
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
`

/**
 * Python code that ends the debugger's tracing in forked children.
 *
 * After `os.fork` a child has the breakpoints and exception filters of its parent, but none of the debugger's threads (pydevd): at a stop it
 * would wait for a client for ever, and so would the parent that waits for the child.
 */

/**
 * Registers what runs in each forked child, before any of the program's code. These are functions written in C, which no debugger traces:
 * `sys.settrace` before Python 3.12, the callbacks of `sys.monitoring` from then on. pydevd replaces `sys.settrace` by a function that writes a
 * warning. Without a global debugger pydevd traces no thread that the child starts.
 */
export const untraced = `
import functools as _f, os as _o, sys as _s, threading as _t
from _pydevd_bundle import pydevd_constants as _c
if hasattr(_o, "register_at_fork"):
    _own = getattr(getattr(_s.modules.get("pydevd_tracing"), "TracingFunctionHolder", None), "_original_tracing", None)
    _calls = [(_own or _s.settrace, None), (setattr, _t, "_trace_hook", None)]
    if hasattr(_c, "GlobalDebuggerHolder"):
        _calls.append((setattr, _c.GlobalDebuggerHolder, "global_dbg", None))
    _m = getattr(_s, "monitoring", None)
    if _m is not None:
        _calls.extend((_m.register_callback, _m.DEBUGGER_ID, _e, None) for _e in vars(_m.events).values() if type(_e) is int and _e)
    for _call in _calls:
        _o.register_at_fork(after_in_child=_f.partial(*_call))
`

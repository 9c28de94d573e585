/**
 * Exceptions under debugpy: those in a group (`ExceptionGroup`, PEP 654), those that led to an exception, and the repair of filters that
 * are set while the program is stopped.
 */

/**
 * Makes an expression that debugpy evaluates in the frame of the stop, where `__exception__` has type, value and traceback. Its value is
 * JSON in hexadecimal digits: the found pairs of an exception and whether it is a cause. Of more than 8 the first 5 and the last 2 are
 * read, and a text has the number of the others in their place. The last entry of a traceback is where an exception was raised.
 * `format_exception_only` shows also an exception whose `__str__` fails.
 */
const listed = (found: string, ...functions: ReadonlyArray<readonly [name: string, text: string]>) =>
  `(lambda traceback, json, group, described, ${functions.map(([name]) => name).join(", ")}:
 json.dumps([dict(text=f"{one} more exceptions", isCause=cause, omitted=one) if isinstance(one, int) else dict(text=("".join(traceback.format_exception_only(type(one), one)).strip() if described is None else described(one))[:300], isCause=cause,
  **next((dict(function=getattr(frame.f_code, "co_qualname", frame.f_code.co_name), file=frame.f_code.co_filename, line=line)
   for frame, line in list(traceback.walk_tb(one.__traceback__))[-1:]), {}))
  for one, cause in (lambda all: all if len(all) <= 8 else all[:5] + [(len(all) - 7, all[5][1])] + all[-2:])(${found})]).encode().hex()
)(__import__("traceback"), __import__("json"), getattr(__import__("builtins"), "BaseExceptionGroup", ()),
 getattr(__import__("sys").modules.get("_pydevd_bundle.pydevd_suspended_frames"), "sigtrap_described", None),
 ${functions.map(([, text]) => text).join(", ")})`.replaceAll(/\n */g, " ")

/** The exceptions in a group; those of groups in the group are in their places. */
export const members = listed(
  "(within(within, group, __exception__[1]) if isinstance(__exception__[1], group) else [])",
  [
    "within",
    `lambda within, group, one: sum((within(within, group, inner) for inner in one.exceptions), []) if isinstance(one, group) else [(one, False)]`
  ]
)

/**
 * The exceptions that led to the current one, the newest first: each the cause of the one before, or what was handled when it was raised, unless
 * that was `raise ... from None`. A chain of more than 1000, or one that returns to itself, ends there.
 */
export const earlier = listed(
  "chain(list(__import__('itertools').takewhile(lambda pair: pair[0] is not None, __import__('itertools').accumulate(range(1000), before, initial=(__exception__[1], False)))))[1:]",
  [
    "before",
    `lambda pair, _: (None, False) if pair[0] is None else (pair[0].__cause__, True) if pair[0].__cause__ is not None
     else (None if pair[0].__suppress_context__ else pair[0].__context__, False)`
  ],
  [
    "chain",
    `lambda found: (lambda ids: found[:next((at for at, one in enumerate(ids) if ids.index(one) < at), len(found))])([id(one) for one, _ in found])`
  ]
)

/** What the program writes to the debugger at its end if the debugger traced it until then. */
export const traced = "sigtrap: traced to the end"

/**
 * Code for the program, in three parts.
 *
 * debugpy before 1.8 remembers which frames it need not trace, and keeps that when exception filters are set: an exception that
 * a caller of the stopped function raised later did not stop. Newer versions forget it themselves, and have no function for it.
 *
 * debugpy takes `sys.exit(3)` as an uncaught exception. It ends the program with a code, as `exit(3)` does in C, so nothing stops. With the
 * option `breakOnSystemExitZero` debugpy ignores no code, and each exit stops.
 *
 * The function that traces the program fails itself at the end of the stack, and Python stops tracing that thread then. So a
 * `RecursionError` that ends the program stops where it leaves the program, and at the program's end `traced` is sent only if no thread
 * was left untraced. From Python 3.12 on debugpy uses `sys.monitoring`, which Python keeps.
 */
export const tracing = String.raw`
import sys, threading
pydevd = sys.modules['pydevd']
debugger = pydevd.PyDB
if hasattr(debugger, '_clear_skip_caches'):
    add_before = debugger.add_break_on_exception
    def add(self, *how, **named):
        self._clear_skip_caches()
        return add_before(self, *how, **named)
    debugger.add_break_on_exception = add
untraced = []
main = threading.main_thread()
ended = []
def check():
    if sys.gettrace() is None and not hasattr(sys, 'monitoring'):
        untraced.append(True)
    own = (main, threading.current_thread())
    others = [one for one in threading.enumerate() if not (one.daemon or one in own or getattr(one, 'is_pydev_daemon_thread', False))]
    if ended and not others:
        tell()
bootstrap_before = threading.Thread._bootstrap_inner
def bootstrap(self):
    try:
        bootstrap_before(self)
    finally:
        if not getattr(self, 'is_pydev_daemon_thread', False):
            check()
threading.Thread._bootstrap_inner = bootstrap
def tell():
    present = pydevd.get_global_debugger()
    if present and not untraced:
        command = sys.modules['_pydevd_bundle.pydevd_net_command'].NetCommand
        schema = sys.modules['_pydevd_bundle._debug_adapter.pydevd_schema']
        body = schema.OutputEventBody(output='${traced}', category='telemetry')
        present.writer.add_command(command(118, 0, schema.OutputEvent(body=body), is_json=True))
stopped = []
stop_before = debugger.do_stop_on_unhandled_exception
def stop(self, thread, frame, frames, info, *more):
    if info[0] is SystemExit and self._ignore_system_exit_codes:
        return None
    stopped[:] = [info[1]]
    return stop_before(self, thread, frame, frames, info, *more)
debugger.do_stop_on_unhandled_exception = stop
programs = sys.modules.get('_pydevd_bundle.pydevd_runpy')
if hasattr(programs, 'run_path'):
    run_before = programs.run_path
    def run(*how, **named):
        try:
            return run_before(*how, **named)
        except RecursionError as error:
            present = pydevd.get_global_debugger()
            if present and not any(one is error for one in stopped):
                thread = threading.current_thread()
                state = present.set_additional_thread_info(thread)
                state.is_tracing += 1
                try:
                    present.stop_on_unhandled_exception(present, thread, state, (type(error), error, error.__traceback__))
                finally:
                    state.is_tracing -= 1
            raise
        finally:
            ended.append(True)
            check()
    programs.run_path = run
`

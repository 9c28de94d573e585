/**
 * Code that limits the time of `__repr__` under debugpy, which runs it in the stopped thread: without a limit, a `__repr__` that does not
 * return holds debugpy, and so the session, for ever. debugpy executes the code in the program before the program runs.
 *
 * A timer of the process (SIGALRM) interrupts the main thread, also in a system call. Without a limit are values that are read in other threads,
 * those of a program that has set this timer, and calls of C functions that do not return to Python.
 */

/** Replaces how debugpy calls `__repr__`. Uses names of the code before it: `Texts`, which shows a value without its `__repr__`. */
export const code: string = String.raw`
import _signal, _thread
class Late(BaseException):
    pass
class Running:
    text = None
running = Running()
slow = set()
call_before = resolvers.SafeRepr.__call__
parts_before = resolvers.SafeRepr._repr
def parts_of(self, value, level):
    kind = type(value)
    if kind in slow:
        return iter((Texts()(value),))
    self.shown_kind = kind
    return parts_before(self, value, level)
def overdue(number, frame):
    text = running.text
    if text is not None:
        running.text = None
        if text.shown_kind not in scalars and text.shown_kind not in containers:
            slow.add(text.shown_kind)
        raise Late()
def timed():
    return (running.text is None and _thread.get_ident() == sys.modules['threading'].main_thread().ident
        and _signal.getitimer(_signal.ITIMER_REAL)[0] == 0 and _signal.getsignal(_signal.SIGALRM) is not None)
def attempt(self, value):
    # Returns None at the limit.
    before = _signal.signal(_signal.SIGALRM, overdue)
    try:
        running.text, self.shown_kind = self, type(value)
        _signal.setitimer(_signal.ITIMER_REAL, 2)
        return call_before(self, value)
    except Late:
        return None
    finally:
        running.text = None
        _signal.setitimer(_signal.ITIMER_REAL, 0)
        _signal.signal(_signal.SIGALRM, before)
def limited(self, value):
    if not hasattr(_signal, 'setitimer') or not timed():
        return call_before(self, value)
    # A container is shown again without the texts that have not returned.
    for _ in range(2):
        text = attempt(self, value)
        if text is not None:
            return text
    return Texts()(value)
resolvers.SafeRepr._repr = parts_of
resolvers.SafeRepr.__call__ = limited
`

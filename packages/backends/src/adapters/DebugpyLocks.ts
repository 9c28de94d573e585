/**
 * Locks of Python's `threading` for which threads wait, under debugpy: a part of the function that lists threads and tasks.
 */

/**
 * Functions for `with lock:`, `lock.acquire()` and `thread.join()`. A thread waits if its innermost frame is in the instruction that
 * calls the lock, and the lock is locked, twice with a pause between. The expression of the instruction is resolved by dictionaries only,
 * so no code of the program runs. An RLock has its owner in its text; a Lock is held by the one thread that is in the body of a `with`
 * statement with it. Needs the positions of instructions (Python 3.11).
 */
export const source = String.raw`
kinds_of_locks = {type(threading.Lock()): 'threading.Lock', type(threading.RLock()): 'threading.RLock'}
calling = ('CALL', 'CALL_KW', 'CALL_FUNCTION_EX')
parsed = {}
def lines_of(frame):
    lines = sys.modules.get('linecache')
    return [] if lines is None else lines.getlines(frame.f_code.co_filename)
def instruction(frame):
    names = sys.modules.get('opcode')
    return None if names is None or frame.f_lasti < 0 else names.opname[frame.f_code.co_code[frame.f_lasti]]
def position(frame):
    positions = getattr(frame.f_code, 'co_positions', None)
    name = instruction(frame)
    if positions is None or name is None:
        return None
    # The instruction that enters a lock has the place of the whole statement; the one before it loads the lock.
    at = frame.f_lasti // 2 - (1 if name == 'BEFORE_WITH' else 0)
    for index, found in enumerate(positions()):
        if index == at:
            return None if None in found else found
    return None
def resolved(frame, text):
    names = text.split('.')
    if not all(name.isidentifier() for name in names):
        return None
    missing = object()
    value = frame.f_locals.get(names[0], missing)
    if value is missing:
        value = frame.f_globals.get(names[0], missing)
    for name in names[1:]:
        if value is missing:
            return None
        found = missing
        own = next((owner.__dict__['__dict__'] for owner in type(value).__mro__ if '__dict__' in owner.__dict__), None)
        if type(own) is types.GetSetDescriptorType:
            found = own.__get__(value).get(name, missing)
        for owner in type(value).__mro__ if found is missing else ():
            found = owner.__dict__.get(name, missing)
            if type(found) is types.MemberDescriptorType:
                try:
                    found = found.__get__(value)
                except AttributeError:
                    found = missing
            if found is not missing:
                break
        value = found
    return None if value is missing else value
def called_lock(frame):
    at = position(frame)
    name = instruction(frame)
    lines = lines_of(frame)
    if at is None or at[0] != at[1] or at[0] > len(lines) or name != 'BEFORE_WITH' and name not in calling:
        return None
    text = lines[at[0] - 1].encode()[at[2]:at[3]].decode(errors='replace').strip()
    if name in calling:
        text, separator, _ = text.partition('.acquire(')
        if not separator:
            return None
    lock = resolved(frame, text)
    return None if type(lock) not in kinds_of_locks else (text, lock)
def joined_thread(frame):
    for _ in range(most):
        if frame is None or not of_library(frame):
            return None
        if frame.f_code is threading.Thread.join.__code__:
            thread = frame.f_locals.get('self')
            return thread if isinstance(thread, threading.Thread) else None
        frame = frame.f_back
def is_locked(lock):
    return repr(lock).startswith('<locked ')
def has_with(frame):
    names = sys.modules.get('opcode')
    codes = set(frame.f_code.co_code[::2])
    return names is not None and any(names.opmap.get(name) in codes for name in ('BEFORE_WITH', 'LOAD_SPECIAL'))
def entered(frame):
    trees = sys.modules.get('ast')
    name = frame.f_code.co_filename
    # Only the files of functions with such statements are parsed.
    if trees is None or of_library(frame) or not has_with(frame):
        return
    at = position(frame)
    if at is None:
        return
    if name not in parsed:
        try:
            tree = trees.parse(''.join(lines_of(frame)))
            parsed[name] = [node for node in trees.walk(tree) if isinstance(node, trees.With)]
        except (SyntaxError, ValueError, RecursionError):
            parsed[name] = []
    for node in parsed[name]:
        if frame.f_code.co_firstlineno > node.lineno or not node.lineno <= at[0] <= node.end_lineno:
            continue
        for item in node.items:
            inner = item.context_expr
            if (at[0], at[2]) >= (inner.end_lineno, inner.end_col_offset):
                lock = resolved(frame, trees.unparse(inner))
                if type(lock) in kinds_of_locks:
                    yield lock
def locks_of(tops, names):
    waits = {}
    for ident, frame in tops.items():
        found = None if of_library(frame) else called_lock(frame)
        if found is not None and is_locked(found[1]):
            waits[ident] = (frame, frame.f_lasti, *found)
    if not waits:
        return {}
    sys.modules['time'].sleep(0.02)
    current = sys._current_frames()
    still = {ident: (text, lock) for ident, (frame, at, text, lock) in waits.items()
        if current.get(ident) is frame and frame.f_lasti == at and is_locked(lock)}
    holders = {}
    for ident in names:
        frame = current.get(ident)
        for _ in range(most):
            if frame is None:
                break
            for lock in entered(frame):
                holders.setdefault(id(lock), set()).add(ident)
            frame = frame.f_back
    answers = {}
    for ident, (text, lock) in still.items():
        owner = None
        if ' owner=' in repr(lock):
            owner = int(repr(lock).split(' owner=')[1].split()[0])
        elif len(holders.get(id(lock), ())) == 1:
            owner = next(iter(holders[id(lock)]))
        answers[ident] = {'kind': kinds_of_locks[type(lock)], 'name': text, **({'owner': owner} if owner in names else {})}
    return answers
`

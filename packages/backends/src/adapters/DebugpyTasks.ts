/**
 * Threads of Python and tasks of asyncio under debugpy.
 *
 * The adapter runs a function in the program, on a thread of its own, that reads `sys._current_frames()` and the tasks of each running
 * loop. This works while the program runs, also if no thread of it runs Python. The adapter shows no value of an expression without a
 * frame, so the function raises an exception whose text is JSON in hexadecimal digits. It imports nothing that the program has not
 * imported, except `json`, and calls no code of the program.
 */
import type { Tasks } from "@sigtrap/manager"
import { Errors, Task } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as DebugpyLocks from "./DebugpyLocks.ts"
import type * as RuntimeTasks from "./RuntimeTasks.ts"

/**
 * The function. A task waits if its future is not done. A thread that the debugger holds was running; of another one Python does not
 * know whether it runs or waits.
 */
const source = String.raw`
import json, os, sys, threading, types
most = 40
folder = os.path.dirname(os.path.abspath(threading.__file__)) + os.sep
own = tuple(os.path.dirname(os.path.abspath(sys.modules[name].__file__)) + os.sep
    for name in ('debugpy', 'pydevd') if getattr(sys.modules.get(name), '__file__', None))
kinds = {types.CoroutineType: ('cr_frame', 'cr_await'), types.GeneratorType: ('gi_frame', 'gi_yieldfrom'),
    types.AsyncGeneratorType: ('ag_frame', 'ag_await')}
def of_debugger(frame):
    name = frame.f_code.co_filename
    return name == '<sigtrap>' or name.startswith(own)
def of_library(frame):
    name = frame.f_code.co_filename
    return name.startswith('<frozen ') or name.startswith(folder) and '-packages' + os.sep not in name
def place(frame):
    code = frame.f_code
    name = getattr(code, 'co_qualname', code.co_name)
    found = {'function': name, 'file': code.co_filename, 'line': frame.f_lineno or code.co_firstlineno}
    if of_library(frame):
        found['module'] = str(frame.f_globals.get('__name__', '')).split('.')[0]
    return found
def chain(coroutine):
    frames = []
    while type(coroutine) in kinds and len(frames) < most:
        at, on = kinds[type(coroutine)]
        frame = getattr(coroutine, at)
        if frame is not None:
            frames.append(place(frame))
        coroutine = getattr(coroutine, on)
    return frames[::-1]
${DebugpyLocks.source}
def run():
    asyncio = sys.modules.get('asyncio')
    current = sys._current_frames()
    threads, loops, tops, names, ids = [], [], {}, {}, {}
    for thread in threading.enumerate():
        frame = current.get(thread.ident)
        if frame is None or getattr(thread, 'is_pydev_daemon_thread', False):
            continue
        if thread.ident == threading.get_ident():
            while frame is not None and not frame.f_code.co_filename.startswith(own):
                frame = frame.f_back
        # A newer debugger holds a thread in a wait of the library.
        below = frame
        while below is not None and of_library(below):
            below = below.f_back
        if below is not None and of_debugger(below) and 'wait_suspend' in below.f_code.co_name:
            frame = below
        held = frame is None or of_debugger(frame)
        while frame is not None and of_debugger(frame):
            frame = frame.f_back
        frames = []
        while frame is not None:
            if asyncio is not None and frame.f_code.co_name == 'run_forever':
                loop = frame.f_locals.get('self')
                if isinstance(loop, asyncio.AbstractEventLoop):
                    loops.append(loop)
            if len(frames) < most and not of_debugger(frame):
                frames.append(place(frame))
            frame = frame.f_back
        names[thread.ident] = str(thread.name)
        ids[thread.ident] = thread.native_id or 0
        if not held:
            tops[thread.ident] = current[thread.ident]
        threads.append({'name': str(thread.name), 'id': thread.native_id or 0, 'ident': thread.ident, 'held': held,
            'frames': frames})
    try:
        locks = locks_of(tops, names)
    except Exception:
        # Another version of Python may describe its code differently. Its threads are listed without locks then.
        locks = {}
    for thread in threads:
        ident = thread.pop('ident')
        lock = locks.get(ident)
        joined = joined_thread(tops.get(ident))
        if lock is not None:
            owner = lock.pop('owner', None)
            thread['lock'] = lock
            if owner is not None:
                thread['other'] = {'name': names[owner], 'id': ids[owner]}
        elif joined is not None and joined.ident in ids and joined.is_alive():
            thread['other'] = {'name': names[joined.ident], 'id': ids[joined.ident]}
    tasks = []
    for loop in loops:
        running = asyncio.current_task(loop)
        for task in asyncio.all_tasks(loop):
            on = getattr(task, '_fut_waiter', None)
            state = 'running' if task is running else 'waiting' if on is not None and not on.done() else 'runnable'
            parts = [on] if isinstance(on, asyncio.Task) else list(getattr(on, '_children', None) or [])
            awaits = [{'name': str(one.get_name()), 'id': '%x' % id(one)} for one in parts
                if isinstance(one, asyncio.Task) and not one.done()]
            tasks.append({'id': '%x' % id(task), 'name': str(task.get_name()), 'state': state, 'awaits': awaits,
                'frames': chain(task.get_coro())})
    return RuntimeError('sigtrap:' + json.dumps({'threads': threads, 'tasks': tasks}).encode().hex())
`

/** A statement that runs the function in a namespace of its own. */
const statement = `raise (lambda ns: (exec(compile(${JSON.stringify(source)}, '<sigtrap>', 'exec'), ns), ns['run']())[1])({})`

const Place = Schema.Struct({
  function: Schema.String,
  file: Schema.String,
  line: Schema.Int,
  /** The module of a frame of Python's library, without its package. */
  module: Schema.optionalKey(Schema.String)
})

const Found = Schema.fromJsonString(
  Schema.Struct({
    threads: Schema.Array(
      Schema.Struct({
        name: Schema.String,
        id: Schema.Int,
        held: Schema.Boolean,
        frames: Schema.Array(Place),
        /** The lock of `threading` for which the thread waits. */
        lock: Schema.optionalKey(Schema.Struct({ kind: Schema.String, name: Schema.String })),
        /** The thread that holds the lock, or for whose end the thread waits. */
        other: Schema.optionalKey(Schema.Struct({ name: Schema.String, id: Schema.Int }))
      })
    ),
    tasks: Schema.Array(
      Schema.Struct({
        id: Schema.String,
        name: Schema.String,
        state: Task.TaskState,
        awaits: Schema.Array(Schema.Struct({ name: Schema.String, id: Schema.String })),
        frames: Schema.Array(Place)
      })
    )
  })
)

type Place = typeof Place.Type

/** Modules in whose functions threads and tasks wait. */
const waiting = new Set(["asyncio", "threading", "queue", "selectors", "concurrent", "subprocess", "socket"])

/** Private functions, and methods that run the function of a thread: their names do not say for what a thread waits. */
const isSilent = (name: string) => /(?:^|\.)_|\.run$/.test(name)

/**
 * Returns the function of the library that waits: the outermost one of the innermost frames that says what it does. A loop that waits in
 * its selector waits for events.
 */
const waitOf = (frames: ReadonlyArray<Place>): string | undefined => {
  const own = frames.findIndex(({ module }) => module === undefined || !waiting.has(module))
  const library = own === -1 ? frames : frames.slice(0, own)
  if (library.some(({ function: name }) => /(?:^|\.)run_forever$/.test(name)))
    return library[0]?.module === "selectors" ? "events of the loop" : undefined
  const outer = library.findLast(({ function: name }) => !isSilent(name))
  return outer === undefined ? undefined : `${outer.module}.${outer.function}`
}

/** Returns the frames outside of Python's library, or all if there are none. */
const placesOf = (frames: ReadonlyArray<Place>) => {
  const user = frames.filter(({ module }) => module === undefined)
  return (user.length === 0 ? frames : user).map(({ module: _, ...place }) => place)
}

const quoted = (names: ReadonlyArray<string>) => names.map((name) => JSON.stringify(name)).join(", ")

const taskOf = ({ awaits, frames, id, name, state }: (typeof Found.Type)["tasks"][number]): Tasks.RuntimeTask => {
  const wait = state === "waiting" ? waitOf(frames) : undefined
  return {
    id,
    name,
    kind: "asyncio",
    state,
    frames: placesOf(frames),
    ...(wait === undefined ? {} : { wait }),
    ...(awaits.length === 0
      ? {}
      : {
          awaits: `task${awaits.length === 1 ? "" : "s"} ${quoted(awaits.map((one) => one.name))}`,
          waits_on: awaits.map((one) => one.id)
        })
  }
}

const threadOf = ({
  frames,
  held,
  id,
  lock,
  name,
  other
}: (typeof Found.Type)["threads"][number]): Tasks.RuntimeTask => {
  const wait = held ? undefined : (lock?.kind ?? waitOf(frames))
  const thread = other === undefined ? undefined : `thread ${JSON.stringify(other.name)}`
  const awaits = lock === undefined ? thread : thread === undefined ? lock.name : `${lock.name}, held by ${thread}`
  return {
    id: String(id),
    name,
    kind: "thread",
    state: held ? "running" : wait === undefined ? "unknown" : "waiting",
    frames: placesOf(frames),
    ...(wait === undefined ? {} : { wait }),
    ...(awaits === undefined ? {} : { awaits }),
    ...(other === undefined ? {} : { waits_on: [String(other.id)] }),
    ...(held || wait !== undefined ? {} : { os_id: id })
  }
}

const decode = Schema.decodeEffect(Found)

/** Returns the list of threads and tasks of a connection. */
export const make: RuntimeTasks.Make = ({ raised }) => ({
  runsCode: true,
  list: Effect.gen(function* () {
    const shown = yield* raised(statement)
    const digits = /sigtrap:((?:[0-9a-f]{2})+)/.exec(shown)?.[1]
    const bytes = Uint8Array.from(digits?.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
    const { tasks, threads } = yield* Effect.mapError(
      decode(new TextDecoder().decode(bytes)),
      () => new Errors.AdapterError({ command: "evaluate", detail: shown.slice(-200) })
    )
    // A loop has its tasks in no order.
    const sorted = tasks.toSorted((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }))
    return { tasks: [...threads.map(threadOf), ...sorted.map(taskOf)] }
  })
})

/**
 * The Python scripts that run in GDB, each with the schema of its answer. They use only what GDB 14's Python interface has;
 * tested with GDB 16 and 18.
 */
import * as Schema from "effect/Schema"
import type { Script } from "./Console.ts"

const text = Schema.NullOr(Schema.String)

const Place = Schema.Struct({
  address: Schema.String,
  function: text,
  file: text,
  line: Schema.NullOr(Schema.Int),
  module: text
})

/** A location as GDB reports it. */
export type Place = typeof Place.Type

const places = `
def place(location):
    module = gdb.solib_name(location.address) or gdb.current_progspace().filename
    source = location.source
    return {
        "address": hex(location.address),
        "function": location.function,
        "file": location.fullname or (source and source[0]),
        "line": source and source[1],
        "module": module and module.rsplit("/", 1)[-1],
    }
def points(numbers):
    return [one for one in (gdb.breakpoints() or ()) if one.number in numbers]
def places(numbers):
    return [place(location) for one in points(numbers) for location in one.locations]
`

/**
 * Works around a defect of GDB's adapter (16 and 18). When a function is called during another call, such as the resolver of
 * `strlen`, the adapter still treats the program as running after both have returned.
 */
export const calls: Pick<Script<boolean>, "text"> = {
  text: `
import gdb.dap.events as state
depth = 0
outside = False
def called(event):
    global depth, outside
    if isinstance(event, gdb.InferiorCallPreEvent):
        if depth == 0:
            outside = state._infcall_was_running
        depth += 1
    else:
        depth -= 1
        if depth == 0 and not outside:
            state.inferior_running = False
if hasattr(state, "inferior_running") and hasattr(state, "_infcall_was_running"):
    gdb.events.inferior_call.connect(called)
`
}

/** Runs a \`command\` at each stop. */
export const atStop: Pick<Script<boolean>, "text"> = {
  text: `
gdb.events.stop.connect(lambda event: gdb.execute(given["command"]))
`
}

/** Opens a core file by \`command\`. The adapter would take its threads for running ones. */
export const openCore: Pick<Script<boolean>, "text"> = {
  text: `
import gdb.dap.events
gdb.execute(given["command"])
gdb.dap.events.inferior_running = False
`
}

/** The locations of the breakpoints with these \`numbers\`. */
export const located: Script<ReadonlyArray<Place>> = {
  title: "places of a breakpoint",
  text: `${places}
answer(places(given["numbers"]))
`,
  answer: Schema.Array(Place)
}

const Made = Schema.Struct({
  numbers: Schema.Array(Schema.Int),
  places: Schema.Array(Place),
  problem: text
})

/** The numbers and locations of a breakpoint that was set, or the \`problem\`; then nothing is set. */
export type Made = typeof Made.Type

/** Sets a breakpoint at an address, on a function in one file, or on every matching function (at most 200). */
export const set: Script<Made> = {
  title: "setting a breakpoint",
  text: `${places}
from contextlib import nullcontext
made = []
try:
    at = given["at"]
    if at["kind"] == "address":
        with nullcontext() if given["calls"] else gdb.with_parameter("may-call-functions", "off"):
            address = int(gdb.parse_and_eval("(unsigned long)(" + at["expression"] + ")"))
        try:
            gdb.selected_inferior().read_memory(address, 1)
        except gdb.error:
            if not any(one.is_valid() for one in gdb.objfiles()) or gdb.selected_inferior().pid:
                raise gdb.GdbError("there is no code at that address")
        made.append(gdb.Breakpoint("*" + hex(address)))
    elif at["kind"] == "function":
        how = {"function": at["name"]}
        if "file" in at:
            how["source"] = at["file"]
        made.append(gdb.Breakpoint(**how))
    else:
        found = gdb.execute_mi("-symbol-info-functions", "--include-nondebug", "--name", at["pattern"])["symbols"]
        wanted = {}
        for table in found.get("debug", ()):
            for symbol in table["symbols"]:
                wanted[symbol["name"]] = {"function": symbol["name"]}
        for symbol in found.get("nondebug", ()):
            wanted.setdefault(symbol["name"], {"function": symbol["name"]})
        if not wanted:
            # GDB sets these when a library with them is loaded.
            for name in at["names"]:
                wanted[name] = {"function": name}
        if len(wanted) > 200:
            raise gdb.GdbError("%d functions match; narrow the pattern" % len(wanted))
        for how in wanted.values():
            made.append(gdb.Breakpoint(**how))
    for one in made:
        one.condition = given["condition"]
        if given["hits"] is not None and len(made) == 1:
            one.ignore_count = given["hits"] - 1
    numbers = [one.number for one in made]
    answer({"numbers": numbers, "places": places(numbers), "problem": None})
except (gdb.error, gdb.GdbError, RuntimeError, TypeError, ValueError) as error:
    for one in made:
        one.delete()
    answer({"numbers": [], "places": [], "problem": str(error)})
`,
  answer: Made
}

/** Sets a hardware watchpoint on memory; x86 has four slots of eight bytes. */
export const watch: Script<Made> = {
  title: "setting a watchpoint",
  text: `
kinds = {"write": gdb.WP_WRITE, "read": gdb.WP_READ, "access": gdb.WP_ACCESS}
hardware = [getattr(gdb, name) for name in ("BP_HARDWARE_WATCHPOINT", "BP_READ_WATCHPOINT", "BP_ACCESS_WATCHPOINT")]
made = None
try:
    taken = sum((int(a, 0) + s + 7) // 8 - int(a, 0) // 8 for a, s in given["taken"] + [[given["address"], given["size"]]])
    machine = gdb.selected_inferior().architecture().name()
    if machine.startswith("i386") and taken > 4:
        raise gdb.GdbError("no hardware slot free (%d of 4 used)" % sum(1 for _ in given["taken"]))
    what = "*(char (*)[%d]) %s" % (given["size"], given["address"])
    made = gdb.Breakpoint(what, gdb.BP_WATCHPOINT, kinds[given["access"]])
    if made.type not in hardware:
        raise gdb.GdbError("size or alignment refused")
    made.condition = given["condition"]
    answer({"numbers": [made.number], "places": [], "problem": None})
except (gdb.error, gdb.GdbError, RuntimeError, TypeError, ValueError) as error:
    if made is not None:
        made.delete()
    answer({"numbers": [], "places": [], "problem": str(error)})
`,
  answer: Made
}

/** Changes the \`condition\` and the count of \`hits\` of the breakpoints with these \`numbers\`. */
export const modify: Script<boolean> = {
  title: "changing a breakpoint",
  text: `${places}
for one in points(given["numbers"]):
    one.condition = given["condition"]
    if given["hits"] is not None:
        one.ignore_count = given["hits"] - 1
answer(True)
`,
  answer: Schema.Boolean
}

/** Removes the breakpoints with these \`numbers\`. */
export const remove: Script<boolean> = {
  title: "removing a breakpoint",
  text: `${places}
for one in points(given["numbers"]):
    one.delete()
answer(True)
`,
  answer: Schema.Boolean
}

/** The ids of the operating system by GDB's numbers of threads. */
export const threads: Script<ReadonlyArray<readonly [number, number]>> = {
  title: "ids of threads",
  text: `
answer([[one.global_num, one.ptid[1]] for one in gdb.selected_inferior().threads() if one.ptid[1]])
`,
  answer: Schema.Array(Schema.Tuple([Schema.Int, Schema.Int]))
}

/** Lines of a \`file\` that have code. */
export const lines: Script<ReadonlyArray<Place>> = {
  title: "lines with code",
  text: `
found = []
try:
    rows = [(int(one["pc"], 0), one["line"]) for one in gdb.execute_mi("-symbol-list-lines", given["file"])["lines"]]
    rows = [row for row in rows if row[1] > 0]
    sals = gdb.decode_line("%s:%d" % (json.dumps(given["file"]), rows[0][1]))[1] if rows else ()
    path = next((one.symtab.fullname() for one in sals if one.symtab), None)
    for pc, row in rows:
        found.append({"address": hex(pc), "function": None, "file": path, "line": row, "module": None})
except gdb.error:
    pass
found.sort(key=lambda one: one["line"])
answer(found)
`,
  answer: Schema.Array(Place)
}

const Signal = Schema.Struct({ name: text, address: text })

/** The signal of the stop, and the address that faulted. */
export const signal: Script<typeof Signal.Type> = {
  title: "the signal",
  text: `
import signal
name = address = None
try:
    info = gdb.parse_and_eval("$_siginfo")
    number = int(info["si_signo"])
    name = signal.Signals(number).name
    # SI_KERNEL (128): the processor tells no address, as of one that is not canonical or not aligned (sigaction(2)).
    if name in ("SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE") and int(info["si_code"]) > 0 and int(info["si_code"]) != 128:
        address = hex(int(info["_sifields"]["_sigfault"]["si_addr"].cast(gdb.lookup_type("unsigned long"))))
except (gdb.error, ValueError):
    pass
answer({"name": name, "address": address})
`,
  answer: Signal
}

/** The adapter's id of the selected thread. GDB selects that of the signal when it opens a core file. */
export const selectedThread: Script<number | null> = {
  title: "the selected thread",
  text: `
thread = gdb.selected_thread()
answer(None if thread is None else thread.global_num)
`,
  answer: Schema.NullOr(Schema.Int)
}

/** How the program ended: by a signal or with an exit code; neither if it never started. */
export const endedBy: Script<{ readonly signal: string | null; readonly code: number | null }> = {
  title: "the end of the program",
  text: `
import signal
number = gdb.convenience_variable("_exitsignal")
code = gdb.convenience_variable("_exitcode")
answer({"signal": None if number is None else signal.Signals(int(number)).name, "code": None if code is None else int(code)})
`,
  answer: Schema.Struct({ signal: text, code: Schema.NullOr(Schema.Int) })
}

const Exception = Schema.Struct({ type: text, what: text })

/**
 * The C++ exception of a stop at \`throw\`, \`rethrow\` or \`catch\`. It sets \`$arg1\` and \`$arg2\` to the object and its type, which
 * the manager reads: a compiler may describe no \`what()\` that GDB can call.
 */
export const exception: Script<typeof Exception.Type> = {
  title: "the exception",
  text: `
kind = what = None
# GDB finds the exception in the innermost frame only.
selected = gdb.selected_frame()
frame = gdb.newest_frame()
frame.select()
def keep(values):
    for index, value in enumerate(values):
        gdb.set_convenience_variable("arg%d" % (index + 1), value)
try:
    value = gdb.parse_and_eval("$_exception")
    kind = str(value.type.strip_typedefs().unqualified())
    if kind == "void":
        kind = None
    else:
        keep(gdb.parse_and_eval("(unsigned long) $_probe_arg%d" % index) for index in range(2))
        if value.type.strip_typedefs().code == gdb.TYPE_CODE_STRUCT:
            what = gdb.parse_and_eval("$_exception.what()").string()
        else:
            what = str(value)
except gdb.error:
    # Without probes in the runtime GDB does not know the exception; the arguments of __cxa_throw are in registers.
    names = {"i386:x86-64": ("rdi", "rsi"), "aarch64": ("x0", "x1")}.get(frame.architecture().name())
    if kind is None and frame.name() == "__cxa_throw" and names is not None:
        keep(frame.read_register(name) for name in names)
finally:
    if selected.is_valid():
        selected.select()
answer({"type": kind, "what": what})
`,
  answer: Exception
}

# Runs a walk under GDB and prints what GDB says at each stop, one line of JSON each. gdbAnswers.ts starts it:
# gdb -nx -batch -x gdbAnswers.py PROGRAM, with the walk as JSON in the variable GDB_WALK.
import json
import os
import re

import gdb

walk = json.loads(os.environ["GDB_WALK"])
DEPTH = 3
CONSTANTS = (gdb.SYMBOL_LOC_CONST, gdb.SYMBOL_LOC_CONST_BYTES)
SCALARS = (gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_ENUM, gdb.TYPE_CODE_FLT, gdb.TYPE_CODE_INT)
# The object of a lambda, and what a constructor of a base class gets to find its virtual bases.
ARTIFICIAL = ("__closure", "__vtt_parm", "__in_chrg", "vtt")
ended = []


def plain(value, depth=0):
    kind = value.type.strip_typedefs()
    code = kind.code
    # Of a structure some members may be known.
    if value.is_optimized_out and code not in (gdb.TYPE_CODE_ARRAY, gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
        return "<optimized out>"
    try:
        if code == gdb.TYPE_CODE_PTR:
            return "<pointer>" if int(value) != 0 else "<null>"
        if code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
            # The object may be of a derived class.
            isScalar = kind.target().strip_typedefs().code in SCALARS
            return plain(value.referenced_value(), depth) if isScalar else "<pointer>"
        if code == gdb.TYPE_CODE_BOOL:
            return bool(value)
        if code == gdb.TYPE_CODE_ENUM:
            return str(value)
        if code == gdb.TYPE_CODE_FLT:
            return float(value)
        if code == gdb.TYPE_CODE_INT and kind.sizeof == 1:
            return {"char": int(value)}
        if code == gdb.TYPE_CODE_INT:
            return str(int(value))
        if depth >= DEPTH:
            return "<deeper>"
        if code == gdb.TYPE_CODE_ARRAY:
            first, last = kind.range()
            return [plain(value[i], depth + 1) for i in range(first, last + 1)]
        if code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
            # A static member has no place in the object; LLDB does not list it.
            members = [one for one in kind.fields() if not one.artificial and hasattr(one, "bitpos")]
            return [plain(value[field], depth + 1) for field in members]
    except gdb.error as error:
        return "<optimized out>" if "optimized out" in str(error) else "<error: %s>" % error
    return "<other>"


def variables(frame):
    args, local = {}, {}
    line = frame.find_sal().line
    try:
        block = frame.block()
    except RuntimeError:
        return args, local
    while block is not None and not block.is_static and not block.is_global:
        for symbol in block:
            is_value = symbol.is_argument or symbol.is_variable or symbol.addr_class in CONSTANTS
            # LLDB hides these.
            if not is_value or symbol.addr_class == gdb.SYMBOL_LOC_STATIC or symbol.name in ARTIFICIAL:
                continue
            into = args if symbol.is_argument else local
            if symbol.name in into or symbol.name in args:
                continue
            if not symbol.is_argument and symbol.line >= line:
                # Its declaration has not run yet: what is there differs from run to run.
                into[symbol.name] = "<not set>"
                continue
            try:
                into[symbol.name] = plain(symbol.value(frame))
            except (gdb.error, RuntimeError) as error:
                into[symbol.name] = "<error: %s>" % error
        if block.function is not None:
            break
        block = block.superblock
    return args, local


def rows(symtab, pc):
    # Several rows of the line table may begin at one address. The lines of those that cover the instruction:
    table = sorted((entry.pc, entry.line) for entry in symtab.linetable())
    begin = max([address for address, _ in table if address <= pc], default=None)
    return [line for address, line in table if address == begin and line > 0]


def frames():
    found, frame, called = [], gdb.newest_frame(), False
    while frame is not None:
        sal = frame.find_sal()
        one = {"function": frame.name(), "line": sal.line if sal.symtab else None}
        if frame.type() == gdb.INLINE_FRAME:
            one["inlined"] = True
        # An inlined function has rows of its own only where it is the innermost one.
        if sal.symtab and walk.get("addresses") and ("inlined" not in one or not found):
            one["lines"] = rows(sal.symtab, frame.pc() - (1 if called else 0))
        called = frame.type() != gdb.INLINE_FRAME
        found.append(one)
        frame = frame.older()
    return found


def stop(returned=None):
    if ended:
        return {"event": "exited", "exit_code": ended[-1]}
    args, local = variables(gdb.newest_frame())
    answer = {"event": "stopped", "pc": hex(gdb.newest_frame().pc()), "frames": frames(), "args": args, "locals": local}
    if returned is not None:
        answer["returned"] = returned
    return answer


def exited(event):
    ended.append(getattr(event, "exit_code", None))


def say(answer):
    gdb.write("ANSWER %s\n" % json.dumps(answer), gdb.STDOUT)


gdb.events.exited.connect(exited)
for setting in ["confirm off", "pagination off", "style enabled off", "debuginfod enabled off", "print finish off"]:
    try:
        gdb.execute("set " + setting, to_string=True)
    except gdb.error:
        pass
# LLDB steps over functions outside the program.
gdb.execute("skip -rfu ^_*(printf|mem.*)$", to_string=True)
for place in walk["breakpoints"]:
    say({"breakpoint": gdb.execute("break " + place, to_string=True).strip()})
gdb.execute("run > /dev/null", to_string=True)
for address in walk.get("addresses", []):
    gdb.execute("break *" + address, to_string=True)
say(stop())
for command in walk["commands"]:
    if ended:
        break
    returned = None
    if command == "finish":
        text = gdb.execute("finish", to_string=True)
        if "Value returned" in text:
            returned = plain(gdb.parse_and_eval("$"))
    else:
        gdb.execute(command, to_string=True)
    say(stop(returned))

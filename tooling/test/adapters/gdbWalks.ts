/** The walks that run under GDB and under sigtrap. */
import type { Command, Walk } from "./gdbComparison.ts"

const times = (count: number, command: Command): ReadonlyArray<Command> => Array.from({ length: count }, () => command)

/** A difference in which GDB is wrong or silent, with what the DWARF says. */
export interface Difference {
  readonly form: RegExp
  readonly dwarf: string
}

/** The differences, each with the fact from `readelf --debug-dump`. */
export const differences: ReadonlyArray<Difference> = [
  {
    form: /at shadowed:\d+ local result: "3" \| 10$/,
    dwarf:
      "result: 0x1200 v2 to 0x1200 v4 is DW_OP_lit3, 0x1200 v4 to 0x121a is DW_OP_lit10. GDB 13 reads no location views and takes the empty range."
  }
]

/** A walk from breakpoint to breakpoint until the program ends. */
const along = (
  source: string,
  what: string,
  breakpoints: ReadonlyArray<string>,
  brief?: ReadonlyArray<string>
): Walk => ({
  name: `${source}: continue to ${what}`,
  source,
  breakpoints,
  commands: times(60, "continue"),
  ...(brief === undefined ? {} : { brief })
})

const marked = (source: string, marks: ReadonlyArray<string>) => marks.map((mark) => `${source}:mark ${mark}`)

const finished = (source: string, breakpoints: ReadonlyArray<string>, brief: ReadonlyArray<string>): Walk => ({
  name: `${source}: finish`,
  source,
  breakpoints,
  commands: Array.from({ length: 8 }, (): ReadonlyArray<Command> => ["finish", "continue"]).flat(),
  brief
})

const stepped = (source: string, from: string, command: Command, count: number): Walk => ({
  name: `${source}: ${command} from ${from}`,
  source,
  breakpoints: [from],
  commands: times(count, command)
})

/** The walks that are compared. In a place, `mark NAME` is the line that the source marks so. */
export const walks: ReadonlyArray<Walk> = [
  along("calls.c", "functions", [
    "square",
    "add",
    "many",
    "factorial",
    "swapped",
    "scaled",
    "letter",
    "apply",
    "negative"
  ]),
  along("calls.c", "lines", [
    ...marked("calls.c", ["sum", "many", "innermost", "swapped", "scaled", "letter", "applied", "negative"])
  ]),
  along("calls.c", "conditions", [
    "square if side == 4",
    "calls.c:mark squares if i == 3",
    "factorial if n == 2",
    "add if a == 20"
  ]),
  stepped("calls.c", "main", "next", 40),
  stepped("calls.c", "main", "step", 60),
  finished("calls.c", ["add", "many", "swapped", "scaled", "letter", "negative"], ["gcc-O0"]),
  along("loops.c", "functions", ["kind", "search", "shadowed", "countdown"]),
  along("loops.c", "lines", marked("loops.c", ["zero", "below", "searching", "inner", "again", "sum"]), [
    "gcc-O0",
    "gcc-O2"
  ]),
  stepped("loops.c", "main", "next", 40),
  stepped("loops.c", "main", "step", 80),
  along("values.c", "values", ["read_record", ...marked("values.c", ["read", "printed"])], ["clang-O2"]),
  stepped("values.c", "main", "step", 40),
  along("classes.cpp", "functions", [
    "measure",
    "overloaded",
    "Counter::advance",
    "shapes::Square::area",
    "larger<int>"
  ]),
  along(
    "classes.cpp",
    "lines",
    marked("classes.cpp", ["constructor", "area", "measured", "larger", "of int", "of double", "advanced"])
  ),
  stepped("classes.cpp", "main", "step", 55),
  finished("classes.cpp", ["shapes::Square::area", "measure", "overloaded", "Counter::advance"], []),
  along("bases.cpp", "lines", marked("bases.cpp", ["constructed", "size", "printed"])),
  { ...stepped("bases.cpp", "main", "next", 10), brief: ["gcc-O0"] },
  // clang writes no line for a thunk, and LLDB 19 steps over what it calls.
  { ...stepped("bases.cpp", "main", "step", 18), compiler: "gcc" },
  along("registers.c", "functions", ["text_of", "mixed_of", "used"]),
  along("registers.c", "lines", marked("registers.c", ["mixed", "printed", "summed", "used"]), ["gcc-O1"]),
  along("inlined.c", "functions", ["outer", "unused", ...marked("inlined.c", ["called"])]),
  along("inlined.c", "lines", marked("inlined.c", ["twice", "nested", "unused"])),
  stepped("inlined.c", "main", "step", 60),
  along("split.cpp", "lines", [...marked("split.cpp", ["second", "caught", "third", "end"])])
]

/**
 * Finds symbols, called functions and values of a program that is stopped under GDB, and assigns. No script runs code of the program.
 */
import type { Backend, Faults } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { adapterError } from "../Failures.ts"
import type { Console, Script } from "./Console.ts"
import { failures } from "./Failures.ts"

const text = Schema.NullOr(Schema.String)

const symbol: Script<string | null> = {
  title: "finding a symbol",
  text: `
answer(gdb.execute("info symbol " + given["address"], to_string=True).split("\\n")[0])
`,
  answer: text
}

/** The calls of x86-64 whose target GDB names have five or six bytes. */
const called: Script<string | null> = {
  title: "finding a called function",
  text: `
import re
name = None
machine = gdb.selected_inferior().architecture()
for size in (5, 6):
    try:
        [found] = machine.disassemble(int(given["address"], 0) - size, count=1)
    except gdb.error:
        continue
    match = re.match(r"callq? .*<([A-Za-z_]\\w*)(?:@\\S*)?>$", found["asm"].strip())
    if found["length"] == size and match:
        name = match.group(1)
        break
answer(name)
`,
  answer: text
}

const number: Script<string | null> = {
  title: "reading a number",
  text: `
found = None
with gdb.with_parameter("may-write-memory", "off"), gdb.with_parameter("may-call-functions", "off"):
    try:
        found = str(int(gdb.parse_and_eval("(unsigned long)(" + given["expression"] + ")")) % 2**64)
    except gdb.error:
        pass
answer(found)
`,
  answer: text
}

const assigned: Script<string | null> = {
  title: "assigning a value",
  text: `
found = None
with gdb.with_parameter("may-call-functions", "off"):
    try:
        gdb.parse_and_eval(given["expression"])
    except gdb.error as error:
        found = str(error)
answer(found)
`,
  answer: text
}

/** Evaluates an assignment in a frame, and fails where it would call a function of the program. */
export const assign =
  ({ ask }: Console) =>
  (expression: string, frame: number): Effect.Effect<void, Backend.Failure> =>
    Effect.flatMap(ask(assigned, { expression }, frame), (problem) =>
      problem === null ? Effect.void : Effect.fail(adapterError(failures, assigned.title, problem))
    )

const hex = (address: bigint) => `0x${address.toString(16)}`

/** Makes the answers of one GDB. */
export const make = ({ ask }: Console): Faults.Lookup => ({
  symbol: (address) =>
    Effect.map(ask(symbol, { address: hex(address) }), (found) => {
      const [, name, offset] = /^(\S.*?)(?: \+ (\d+))? in section /.exec(found ?? "") ?? []
      return name === undefined ? undefined : { name, offset: Number(offset ?? 0) }
    }),
  called: (returnAddress) => Effect.map(ask(called, { address: hex(returnAddress) }), (name) => name ?? undefined),
  number: (expression, frame) =>
    Effect.map(ask(number, { expression }, frame), (found) => (found === null ? undefined : BigInt(found)))
})

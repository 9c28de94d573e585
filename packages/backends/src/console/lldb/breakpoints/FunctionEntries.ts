/**
 * Finds where the body of a function begins: the address where its arguments are in the places that the debug information
 * names.
 *
 * Without optimization a compiler stores the arguments into the frame first. Until then the slots have old values. The second
 * row of the line table begins after these stores, as GDB assumes. LLDB uses the first row of another line. For a function on
 * one line that is function + 0 or a later statement.
 *
 * The facts of a function are read once and kept until the modules change.
 */
import { type Breakpoint, LineTable, Locations, Lookup, type Parse } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as CommandBatch from "../CommandBatch.ts"
import * as Keywords from "../Keywords.ts"

/** The parts of a connection that this module uses. */
export interface Options {
  readonly command: (line: string) => Effect.Effect<string, Backend.Failure>
  readonly major: number
}

/** A function. Addresses are as in `Lookup.Code`. */
export interface FunctionEntry {
  /** The ranges, lowest first. LLDB up to 19 takes the first one for the start of the function. */
  readonly ranges: ReadonlyArray<Lookup.Range>
  /** The address that calls jump to; undefined if unknown. */
  readonly entry: bigint | undefined
  /** The second row of the line table after `entry`; undefined if it is not in the function. */
  readonly body: bigint | undefined
  /** The line of the row at `entry`. */
  readonly firstLine: number
  /** The later one of the line of the declaration and that of the row at `entry`. */
  readonly openingLine: number
  readonly file: string | undefined
  readonly hasParameters: boolean
  /** True if it has variables and all are in slots of the frame, as without optimization. */
  readonly usesFrame: boolean
  /** Parameters in slots of the frame that are written between `entry` and `body`. */
  readonly unset: ReadonlyArray<string>
}

/** An address of a module, or of the program. */
interface Place {
  readonly address: bigint
  readonly module?: string
}

/** The facts of one connection. */
export interface FunctionEntries {
  /** Returns the code at an address of a module, or of the program; undefined if there is none. */
  readonly codeAt: (address: bigint, module?: string) => Effect.Effect<Lookup.Code | undefined, Backend.Failure>
  /** Returns the function that contains an address; undefined if it has no debug information. */
  readonly functionAt: (address: bigint, module?: string) => Effect.Effect<FunctionEntry | undefined, Backend.Failure>
  /** Returns the function that contains an address if `functionAt` needs no question to LLDB. */
  readonly knownAt: (address: bigint, module?: string) => FunctionEntry | undefined
  /** Runs an effect that reads the functions at these addresses. If they are several, they are looked up with few requests before. */
  readonly together: <A>(
    places: ReadonlyArray<Place>,
    effect: Effect.Effect<A, Backend.Failure>
  ) => Effect.Effect<A, Backend.Failure>
  /** Returns the function if its parameters are not in their places yet at an address; the instruction there has not run. */
  readonly unsetAt: (address: bigint, module?: string) => Effect.Effect<FunctionEntry | undefined, Backend.Failure>
  /** Returns the variables whose values are false at an address, because LLDB finds another frame in a split function. */
  readonly inSplitFrame: (address: bigint, module: string) => Effect.Effect<ReadonlyArray<string>, Backend.Failure>
  /** Returns the rows of the line table for a line of a file. */
  readonly rowsAt: (file: string, line: number) => Effect.Effect<ReadonlyArray<LineTable.Row>, Backend.Failure>
  /** Returns functions with a tag in their name, which LLDB does not find, as locations of a breakpoint. */
  readonly tagged: (name: string) => Effect.Effect<ReadonlyArray<Parse.BreakpointLocation>, Backend.Failure>
  /** Remembers a loaded location, for further breakpoints in its function. */
  readonly remember: (location: Parse.BreakpointLocation) => void
  /** True if there is a remembered location in a file. */
  readonly knows: (file: string) => boolean
  /**
   * Returns the location of a new breakpoint at a line of a file, without a question to LLDB; undefined if that is needed. The function
   * has a remembered location, is not optimized and is in the file, so that LLDB lists nothing else.
   */
  readonly located: (
    made: Omit<Breakpoint.CreatedAt, "function">,
    id: number,
    file: string
  ) => Parse.BreakpointLocation | undefined
  /** Forgets everything; called when modules were loaded or unloaded. */
  readonly forget: () => void
}

/** Names of implicit parameters, which are not in the function's type. */
const implicit = new Set(["this", "__closure", "self"])

/** Matches a slot below the frame's base, which the function itself writes. The caller has written those above. */
const ownSlot = /^DW_OP_fbreg -/

/** Words of integer types that change nothing beside others: `long int` is `long`. */
const integerWords = /\b(?:short|long|signed|unsigned|int)\b/g

/**
 * Returns what two texts of one type have in common. The type of a function has clang's words and the type of a variable those of
 * the debug information: `class std::vector<int> &` is `std::vector<int, std::allocator<int> > &`, and `long` is `long int`.
 */
export const canonicalType = (type: string): string => {
  let plain = type
  for (let before = ""; before !== plain;) {
    before = plain
    plain = plain.replace(/<[^<>]*>/g, "")
  }
  plain = plain
    .replace(/\b(?:const|volatile|struct|class|union|enum)\b/g, " ")
    .replace(/(?:\w+|\([^()]*\))::/g, "")
    .replace(/\b_Bool\b/g, "bool")
  const words = plain.match(integerWords) ?? []
  const sized = words.length > 1 ? words.filter((word) => word !== "int") : words
  return [...sized.toSorted(), plain.replace(integerWords, " ")].join(" ").replaceAll(/\s+/g, "")
}

/** Matches a slot of the frame, the place of every variable of code that is not optimized. */
const frameSlot = /^DW_OP_fbreg /

/** True if a variable of the code is in a register, or has no place. */
export const isOptimized = ({ variables }: Pick<Lookup.Code, "variables">): boolean =>
  !variables.every(({ location }) => frameSlot.test(location))

/**
 * Returns the visible variables that are parameters: they come first, in the order of the function's type. Types are compared
 * because a parameter that was optimized out is not among the variables. Without optimization the order is enough.
 */
export const parametersOf = ({ parameters, variables }: Pick<Lookup.Code, "parameters" | "variables">) => {
  const types = parameters.map(canonicalType)
  let next = 0
  const typed = variables.filter(({ name, type }) => {
    if (implicit.has(name)) return true
    const index = types.indexOf(canonicalType(type), next)
    if (index < 0) return false
    next = index + 1
    return true
  })
  const count = variables.filter(({ name }) => implicit.has(name)).length + parameters.length
  return isOptimized({ variables }) || typed.length >= count ? typed : variables.slice(0, count)
}

const contains = ({ end, start }: Lookup.Range, address: bigint) => start <= address && address < end

/** True if one of the ranges of a function contains the address. */
export const isIn = ({ ranges }: Pick<FunctionEntry, "ranges">, address: bigint): boolean =>
  ranges.some((range) => contains(range, address))

/** True if a program that stopped at the address has not written the slots of the parameters yet. */
const isUnset = ({ body, entry, unset }: FunctionEntry, address: bigint) =>
  unset.length > 0 && entry !== undefined && body !== undefined && entry <= address && address < body

/**
 * Returns the parameters that an expression may read. With an unset `this` that may be every name, since members need no
 * `this`. Registers (`$rdi`), numbers and keywords do not count as names.
 */
export const readsUnset = ({ unset }: Pick<FunctionEntry, "unset">, expression: string): ReadonlyArray<string> => {
  const words =
    expression.replaceAll(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/g, "").match(/(?<![\w$.])[A-Za-z_]\w*/g) ?? []
  const names = words.filter((word) => !Keywords.isKeyword(word))
  const read = unset.filter((name) => names.some((one) => one === name))
  return read.length === 0 && names.length > 0 && unset.includes("this") ? ["this"] : read
}

/** Lookups of one request. Each is up to some milliseconds of work for LLDB, and has some KiB. */
const lookupsTogether = 25

/** Makes the lookups of one connection, alone and together. */
const makeLookups = ({ command, major }: Options) => {
  /** The answers that `together` has read, by the command. */
  const answers = new Map<string, string>()

  const codeAt: FunctionEntries["codeAt"] = (address, module) => {
    const query = Lookup.at(address, module, major)
    if (Result.isFailure(query)) return Effect.succeed(undefined)
    const known = answers.get(query.success)
    return known === undefined
      ? Effect.map(command(query.success), Lookup.parse)
      : Effect.sync(() => Lookup.parse(known))
  }

  const queryOf = ({ address, module }: Place): ReadonlyArray<string> => {
    const query = Lookup.at(address, module, major)
    return Result.isSuccess(query) ? [query.success] : []
  }

  /** Looks up the code at addresses together, for `codeAt`. */
  const lookUpAll = Effect.fnUntraced(function* (places: ReadonlyArray<Place>) {
    const lines = [...new Set(places.flatMap(queryOf))].filter((line) => !answers.has(line))
    if (!CommandBatch.isBatch(lines.length)) return
    const texts = yield* CommandBatch.run(command, lines, lookupsTogether)
    for (const [index, line] of lines.entries()) {
      const text = texts[index]
      if (text !== undefined && Result.isSuccess(text) && !text.success.startsWith("error:"))
        answers.set(line, text.success)
    }
  })

  return {
    codeAt,
    together: <A>(places: ReadonlyArray<Place>, effect: Effect.Effect<A, Backend.Failure>) =>
      Effect.gen(function* () {
        yield* lookUpAll(places)
        const starts = places.flatMap((place) =>
          queryOf(place).flatMap((line) =>
            (Lookup.parse(answers.get(line) ?? "")?.ranges ?? []).map(({ start }) => ({ ...place, address: start }))
          )
        )
        yield* lookUpAll(starts)
        return yield* effect
      }).pipe(Effect.ensuring(Effect.sync(() => answers.clear()))),
    forget: () => answers.clear()
  }
}

/** Makes the facts of one connection. */
export const make = ({ command, major }: Options): FunctionEntries => {
  let known = new Map<string, ReadonlyArray<FunctionEntry>>()
  let remembered = new Map<FunctionEntry, Parse.BreakpointLocation>()
  let files = new Set<string>()

  const lookups = makeLookups({ command, major })
  const { codeAt } = lookups

  /** Returns the code at the address that calls jump to. The other parts of a split function have symbols of their own. */
  const entryOf = Effect.fnUntraced(function* (here: Lookup.Code, address: bigint, module: string | undefined) {
    const starts = here.ranges.map(({ start }) => start)
    const codes = yield* Effect.forEach(starts, (start) =>
      start === address ? Effect.succeed(here) : codeAt(start, module)
    )
    const parts = codes.flatMap((code, index) => {
      const start = starts[index]
      return code === undefined || start === undefined ? [] : [{ code, start }]
    })
    const [only, ...others] = parts.length === 1 ? parts : parts.filter(({ code }) => isEntry(code))
    return others.length === 0 ? only : undefined
  })

  const isEntry = ({ symbol }: Lookup.Code) => symbol !== undefined && !/\.cold(?:\.\d+)*$/.test(symbol)

  const read = Effect.fnUntraced(function* (address: bigint, module: string | undefined) {
    const here = yield* codeAt(address, module)
    if (here === undefined || here.ranges.length === 0) return undefined
    const found = yield* entryOf(here, address, module)
    const row = found?.code.row
    const parameters = found === undefined ? [] : parametersOf(found.code)
    const range = here.ranges.find((one) => found !== undefined && contains(one, found.start))
    const body = row !== undefined && range !== undefined && contains(range, row.end) ? row.end : undefined
    const firstLine = row?.line ?? 0
    const one: FunctionEntry = {
      ranges: here.ranges,
      entry: found?.start,
      body,
      firstLine,
      openingLine: Math.max(firstLine, here.declared ?? 0),
      file: row?.file,
      hasParameters: here.parameters.length > 0 || parameters.length > 0,
      usesFrame: here.variables.length > 0 && !isOptimized(here),
      unset: parameters.filter(({ location }) => ownSlot.test(location)).map(({ name }) => name)
    }
    return one
  })

  const knownAt: FunctionEntries["knownAt"] = (address, module = "") =>
    known.get(module)?.find((one) => isIn(one, address))

  const functionAt: FunctionEntries["functionAt"] = Effect.fnUntraced(function* (address, module) {
    const name = module ?? ""
    const before = knownAt(address, module)
    if (before !== undefined) return before
    const started = known
    const made = yield* read(address, module)
    // Several functions are read at once, and the modules can change meanwhile.
    if (made !== undefined) started.set(name, [...(started.get(name) ?? []), made])
    return made
  })

  return {
    codeAt,
    functionAt,
    knownAt,
    together: (places, effect) =>
      lookups.together(
        places.filter(({ address, module }) => knownAt(address, module) === undefined),
        effect
      ),
    unsetAt: (address, module) =>
      Effect.map(functionAt(address, module), (found) =>
        found !== undefined && isUnset(found, address) ? found : undefined
      ),
    inSplitFrame: (address, module) => {
      const query = Lookup.at(address, module, major)
      return Result.isSuccess(query) ? Effect.map(command(query.success), Locations.inSplitFrame) : Effect.succeed([])
    },
    rowsAt: (file, line) => {
      const query = LineTable.dump(file, major)
      return Result.isSuccess(query)
        ? Effect.map(command(query.success), (output) => LineTable.rowsOf(output, line))
        : Effect.succeed([])
    },
    tagged: Effect.fnUntraced(function* (name) {
      const query = Lookup.tagged(name, major)
      if (Result.isFailure(query)) return []
      return Lookup.parseAll(yield* command(query.success)).flatMap((code) => {
        const start = code.ranges.find((range) => code.row !== undefined && contains(range, code.row.start))?.start
        if (start === undefined || code.row === undefined || code.module === undefined) return []
        const { fileAddress, module, row } = code
        const location: Parse.BreakpointLocation = {
          number: `tagged ${fileAddress}`,
          address: row.start,
          loaded: row.start !== fileAddress,
          module,
          file: row.file,
          line: row.line,
          ...(code.function === undefined ? {} : { function: code.function })
        }
        return [location]
      })
    }),
    remember: (location) => {
      const { address, file, loaded, module = "" } = location
      const found = knownAt(address, module)
      if (!loaded || file === undefined || found?.usesFrame !== true || found.file !== file) return
      files.add(file)
      if (!remembered.has(found)) remembered.set(found, location)
    },
    knows: (file) => files.has(file),
    located: ({ address, column, line, module }, id, file) => {
      for (const [name, functions] of known) {
        if (name !== module && !name.endsWith(`/${module}`)) continue
        const found = functions.find((one) => one.file === file && isIn(one, address))
        const like = found === undefined ? undefined : remembered.get(found)
        if (like === undefined) continue
        const { column: _, ...place } = like
        return { ...place, number: `${id}.1`, address, line, ...(column === undefined ? {} : { column }) }
      }
      return undefined
    },
    forget: () => {
      lookups.forget()
      known = new Map()
      remembered = new Map()
      files = new Set()
    }
  }
}

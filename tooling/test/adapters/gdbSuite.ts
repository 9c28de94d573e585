/**
 * Compares sigtrap on one backend with GDB: places, stacks, arguments, locals and return values at every stop.
 *
 * Not optimized, both make the same steps. Optimized, GDB stops at the instructions at which sigtrap stopped, and both must say
 * the same there. Values that sigtrap reports as unknown are not compared. `npm test` compares some builds, `npm run matrix`
 * the same on the other backend, and `npm run long` all compilers and levels.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { debugging, environment, platform, Programs } from "../support/fixturePrograms.ts"
import { recorded } from "../support/tools.ts"
import * as Tools from "../../tools.mjs"
import { type Backend, compare, gdb, type Walk } from "./gdbComparison.ts"
import { differences, walks } from "./gdbWalks.ts"

const folder = fileURLToPath(new URL("../../fixtures/compared/", import.meta.url))

/** A compiler of C and one of C++, which optimize to a level. */
interface Build {
  readonly name: "gcc" | "clang"
  readonly level: "O0" | "O1" | "O2"
}

const every: ReadonlyArray<Build> = (["gcc", "clang"] as const).flatMap((name) =>
  (["O0", "O1", "O2"] as const).map((level) => ({ name, level }))
)

/** Returns the compiler, with the version of its package if only that is on the path. */
const compilerOf = ({ name }: Build, source: string): string | undefined => {
  const isCpp = source.endsWith(".cpp")
  const plain = name === "gcc" ? (isCpp ? "g++" : "gcc") : isCpp ? "clang++" : "clang"
  return [plain, `${plain}-19`].find((one) => Tools.runs(one, environment))
}

/** Replaces `mark NAME` in a place by the number of the line that the source marks. */
const placed = ({ source }: Walk, place: string) =>
  place.replace(/mark ([\w ]+?)(?= if |$)/, (_, mark: string) => {
    const lines = readFileSync(folder + source, "utf8").split("\n")
    const index = lines.findIndex((text) => text.includes(`// mark: ${mark}`))
    assert(index >= 0, `${source} has no mark ${mark}`)
    return String(index + 1)
  })

const suite = layer(platform, { excludeTestServices: true, timeout: "120 seconds" })

/** Defines the tests of a backend, with all builds or those that a walk names. */
export const gdbSuite = (backend: Backend, builds: "all" | "some"): void => {
  const compiled = new Set<string>()

  /** Compiles a source of `fixtures/compared`, once for all walks through it; returns the program. */
  const compile = Effect.fnUntraced(function* (compiler: string, { level, name }: Build, source: string) {
    const { directory } = yield* Programs
    const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
    const program = `${directory}/${source.replace(/\.\w+$/, "")}.${name}.${level}`
    if (compiled.has(program)) return program
    const options = ["-g", `-${level}`, folder + source, "-o", program]
    assert.strictEqual(yield* spawner.exitCode(ChildProcess.make(compiler, options)), 0, compiler)
    compiled.add(program)
    return program
  })

  const tests: Parameters<typeof suite>[1] = (it) => {
    for (const build of every) {
      const chosen = walks.filter(
        ({ brief, compiler = build.name }) =>
          compiler === build.name && (builds === "all" || brief?.includes(`${build.name}-${build.level}`) === true)
      )
      for (const walk of chosen) {
        it.effect(`${backend}, ${build.name} -${build.level}: ${walk.name}`, ({ skip }) =>
          Effect.gen(function* () {
            const compiler = compilerOf(build, walk.source)
            if (!recorded(build.name, compiler !== undefined) || compiler === undefined) return skip()
            const program = yield* compile(compiler, build, walk.source)
            const places = { ...walk, breakpoints: walk.breakpoints.map((place) => placed(walk, place)) }
            const { found, stops } = yield* debugging((one) =>
              compare(one, program, places, backend, build.level !== "O0")
            )
            const unknown = found.filter((line) => !differences.some(({ form }) => form.test(line)))
            assert.deepStrictEqual(unknown, [], `${build.name} -${build.level}, ${stops} stops`)
            assert.isAbove(stops, 1)
          })
        )
      }
    }
  }

  // A GDB without Python cannot run the script.
  const hasGdb = Tools.runs(gdb, environment)
  if (recorded("gdb", hasGdb)) suite("sigtrap says what GDB says", tests)
}

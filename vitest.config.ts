// Every test of the repository, as four kinds: run one with `--project`, narrow either by a path (`vitest run packages/dap`).
import { statSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

const conditions = ["@sigtrap/source", "module", "node", "development|production"]

/** All kinds have the same number, so that one run of them leaves no core idle. Debuggers need a core beside each worker's. */
const maxWorkers = Math.max(2, Math.floor(availableParallelism() / 2))

/**
 * Larger room for young objects: with the 16 MiB of V8 its collector takes a fifth of the CPU time of the unit tests. Bun and Deno
 * have other options.
 */
const execArgv =
  process.versions["bun"] === undefined && process.versions["deno"] === undefined ? ["--max-semi-space-size=64"] : []

/**
 * The files that take longest, in the order in which they start: live files, then those of processes, then unit files. A long file that
 * starts last keeps one core busy alone.
 */
const longest: { readonly [kind: string]: ReadonlyArray<string> } = {
  matrix: ["adapters/Python.", "reexecution/Reexecution", "traces/RunTrace", "sessions/ThreadHits"],
  live: [
    "recover/Recover",
    "surfaces/Mcp.",
    "surfaces/Guides",
    "sessions/Faults",
    "sessions/Sessions",
    "simulator/SimulatorSessions",
    "breakpoints/Breakpoints",
    "sessions/Programs",
    "scenarios/Scenarios",
    "sessions/AttachCoreConnect"
  ],
  process: ["client/ForcedStop", "surfaces/Poison", "daemon/Daemon", "socket/Limits"],
  unit: [
    "surfaces/SurfaceAnswers",
    "surfaces/JsonOutput",
    "surfaces/SurfaceCalls",
    "repository/types",
    "resume/Resume",
    "session/Session.model",
    "process/ProgramStreams",
    "test/Replay",
    "dap/Replay",
    "test/Errors",
    "surfaces/OutputPages",
    "test/Matching"
  ]
}

/** The kinds in the order in which their files start. */
const kinds = ["long", "matrix", "live", "process", "unit"]

/** Returns the place of a file in the order; files that are not listed come after those of their kind. */
const rank = ({ moduleId, project }: TestSpecification) => {
  const names = longest[project.name] ?? []
  const place = names.findIndex((name) => moduleId.includes(`/${name}`))
  return kinds.indexOf(project.name) * 1000 + (place === -1 ? names.length : place)
}

/** Runs the longest files of a kind first; the others by their size, as their times are not known. */
class LongestFirst extends BaseSequencer {
  override sort(files: Array<TestSpecification>) {
    const size = new Map(files.map((file) => [file, statSync(file.moduleId).size]))
    return Promise.resolve(files.toSorted((a, b) => rank(a) - rank(b) || (size.get(b) ?? 0) - (size.get(a) ?? 0)))
  }
}

/** `--sequence.shuffle.files` runs files in a random order. Vitest would ignore it beside a sequencer. */
const isShuffled = process.argv.some((arg) => arg.startsWith("--sequence.shuffle"))

/**
 * `unit` needs no other process than its own and short-lived tools; `process` starts daemons and servers of the product; `live`
 * debugs real programs. Files of these run side by side. `matrix` repeats what `live` tests with each compiler, backend and revision
 * of a protocol, and has what would make `npm test` too long; `.ci/run` runs it. `long` has tests like those of `live` that take minutes together;
 * `npm run ci` runs them.
 */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    execArgv,
    // Programs that tests start do not compile the same code at each start.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules/.cache/compiled") },
    sequence: isShuffled ? {} : { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["{packages,apps}/*/test/**/*.test.ts", "tooling/test/**/*.test.ts"],
          exclude: ["**/node_modules/**", "**/*.{process,live,matrix,long}.test.ts"],
          maxWorkers,
          // Files share their workers' modules: importing them again for each file takes longer than the tests.
          isolate: false,
          // A busy machine must not fail a test: time is never what a test is about.
          testTimeout: 60_000,
          hookTimeout: 60_000
        }
      },
      {
        extends: true,
        test: {
          name: "process",
          include: ["{packages,apps}/*/test/**/*.process.test.ts", "tooling/test/**/*.process.test.ts"],
          maxWorkers,
          isolate: false,
          testTimeout: 60_000,
          hookTimeout: 60_000
        }
      },
      ...(["live", "matrix", "long"] as const).map((name) => ({
        extends: true as const,
        test: {
          name,
          include: [`{packages,apps}/*/test/**/*.${name}.test.ts`, `tooling/test/**/*.${name}.test.ts`],
          maxWorkers,
          isolate: false,
          globalSetup: "tooling/test/support/programs.ts",
          setupFiles: "tooling/test/support/ownHome.ts",
          testTimeout: 60_000,
          hookTimeout: 60_000
        }
      }))
    ]
  }
})

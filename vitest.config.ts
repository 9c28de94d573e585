// Every test of the repository, as two kinds: run one with `--project`, narrow either by a path (`vitest run packages/dap`).
import { defineConfig } from "vitest/config"

const conditions = ["@sigtrap/source", "module", "node", "development|production"]

/** `unit` runs in parallel and needs no external program; `live` debugs real programs, one file at a time. */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["{packages,apps}/*/test/**/*.test.ts", "tooling/test/**/*.test.ts"],
          exclude: ["**/node_modules/**", "**/*.live.test.ts"],
          // A busy machine must not fail a test: time is never what a test is about.
          testTimeout: 60_000,
          hookTimeout: 60_000
        }
      },
      {
        extends: true,
        test: {
          name: "live",
          include: ["{packages,apps}/*/test/**/*.live.test.ts", "tooling/test/**/*.live.test.ts"],
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 60_000
        }
      }
    ]
  }
})

// Ruby parses the formula. Homebrew itself is not needed.
import { assert, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import * as Downloads from "../../release/Downloads.ts"
import * as Tools from "../support/tools.ts"

it("the formula for Homebrew is Ruby", () => {
  if (!Tools.isPresent("ruby", { PATH: process.env["PATH"] ?? "" })) return
  const platforms = ["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64"]
  const sums = platforms.map((platform) => `${"a".repeat(64)}  sigtrap-bin-${platform}-1.2.3.tgz\n`).join("")
  const input = Downloads.formula(sums, "1.2.3", "https://host.example/v1.2.3", "https://host.example")
  const { stderr, stdout } = spawnSync("ruby", ["-wc", "-"], { input, encoding: "utf8" })
  assert.strictEqual(stdout + stderr, "Syntax OK\n")
})

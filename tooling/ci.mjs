// `npm run ci`: runs `npm test`, then what takes longer, one part after the other. Ends at the first part that fails, names it,
// and prints the time of each part in one line. Like `ready.mjs` it imports nothing of the product.
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))

/** The parts, by the names of their npm scripts. */
const parts = ["test", "matrix", "long", "mutants", "unit:bun", "unit:deno"]

/** Returns the time since a moment as minutes and seconds: 4:05. */
const timeSince = (start) => {
  const seconds = Math.round((performance.now() - start) / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`
}

const begin = performance.now()
const times = []
let failed
for (const part of parts) {
  const start = performance.now()
  const { status } = spawnSync("npm", ["run", "--silent", part], { cwd: root, stdio: "inherit" })
  times.push(`${part} ${timeSince(start)}`)
  if (status === 0) continue
  failed = part
  break
}

const result = failed === undefined ? "passed" : `failed in ${failed}`
process.stdout.write(`ci: ${result}: ${times.join(", ")}; ${timeSince(begin)} in total\n`)
if (failed !== undefined) process.exitCode = 1

// `npm run ci`: runs what a change must pass, one part after the other. Ends at the first part that fails, names it, and
// prints the time of each part in one line. `--after PART` runs only the parts after that one; `--all` adds the long tests and
// the mutants. Like `ready.mjs` it imports nothing of the product.
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))

/** The parts, by the names of their npm scripts. */
const required = ["test", "matrix", "runtimes"]
const longer = ["long", "mutants"]

/** Returns the parts that the arguments ask for, or nothing if an argument is wrong. */
const chosenParts = (args) => {
  const all = args.includes("--all")
  const parts = all ? [...required, ...longer] : required
  const others = args.filter((argument) => argument !== "--all")
  if (others.length === 0) return parts
  const [option, part, ...rest] = others
  if (option !== "--after" || !parts.includes(part) || rest.length > 0) return undefined
  return parts.slice(parts.indexOf(part) + 1)
}

/** Returns the time since a moment as minutes and seconds: 4:05. */
const timeSince = (start) => {
  const seconds = Math.round((performance.now() - start) / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`
}

const parts = chosenParts(process.argv.slice(2))
if (parts === undefined) {
  process.stderr.write(`ci: usage: npm run ci -- [--all] [--after ${required.join("|")}]\n`)
  process.exit(2)
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

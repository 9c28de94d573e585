// `npm run chaos -- --points N [--seed S]`: kills the daemon with SIGKILL at random points of operations, recovers the session
// with the next daemon, and compares. Half of the recoveries are killed too, and repeated. Prints a table. The exit code is 1 if
// something that was acknowledged was lost, or
// if something that was not acknowledged came back in part. What
// `recover` itself reports as not restored is counted apart.
import { execFileSync } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { Arena } from "../soak/Arena.ts"
import * as Machine from "../soak/Machine.ts"
import { randomOf } from "../soak/Random.ts"
import { Actions, type Name, names } from "./Actions.ts"
import { type Finding, Points } from "./Point.ts"

const { values } = parseArgs({
  options: { points: { type: "string", default: "40" }, seed: { type: "string" } }
})
const count = Number(values.points)
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
const say = (line: string) => process.stdout.write(`${line}\n`)
const source = fileURLToPath(new URL("../soak/counter.c", import.meta.url))

/** Operations that may come before the one that is interrupted. */
const earlier: ReadonlyArray<Name> = ["break", "edit", "watch", "catch", "continue", "restart"]

/** Ends every process of the run and removes its folders. */
const cleanUp = (folder: string) => {
  for (const { pid } of Machine.carrying(`=${folder}/`)) if (pid !== process.pid) Machine.signal(pid, "SIGKILL")
  rmSync(folder, { recursive: true, force: true })
}

/** Compiles the program. Its debug information names the folder `/build`, so a source map is needed. */
const compile = (folder: string) => {
  const folders = ["one", "two"].map((name) => join(folder, name))
  for (const each of folders) {
    mkdirSync(each)
    copyFileSync(source, join(each, "counter.c"))
  }
  const [first = ""] = folders
  const program = join(folder, "counter")
  const flags = ["-g", "-O0", "-no-pie", `-fdebug-prefix-map=${first}=/build`]
  execFileSync("cc", [...flags, join(first, "counter.c"), "-o", program], { cwd: first })
  const lines = readFileSync(source, "utf8").split("\n")
  return { program, folders, line: lines.findIndex((text) => text.includes("mark: before")) + 1 }
}

const table = (findings: ReadonlyArray<Finding>) => {
  say("\nkilled during   points  acknowledged  unanswered: complete  absent  reported  losses")
  for (const name of names) {
    const own = findings.filter((finding) => finding.name === name)
    const times = (fate: Finding["fate"]) => own.filter((finding) => finding.fate === fate).length
    const losses = own.filter((finding) => finding.losses.length > 0).length
    const reported = own.filter((finding) => finding.reported.length > 0).length
    const cells = [own.length, times("acknowledged"), times("complete"), times("absent"), reported, losses]
    const widths = [6, 14, 22, 8, 10, 8]
    say(name.padEnd(16) + cells.map((cell, at) => String(cell).padStart(widths[at] ?? 0)).join(""))
  }
}

const main = async () => {
  const folder = mkdtempSync("/tmp/ch-")
  process.once("exit", () => cleanUp(folder))
  say(`chaos: ${count} points, seed ${seed}, in ${folder}`)
  const random = randomOf(seed)
  const arena = new Arena({ folder, unsafe: false })
  const actions = new Actions({ ...compile(arena.directory), random })
  await arena.startDaemon()
  const points = new Points(arena, random)
  const findings: Array<Finding> = []
  for (let at = 0; at < count; at++) {
    const name = names[at % names.length] ?? "start"
    const more = Array.from({ length: Math.floor(random() * 3) }, () => earlier[Math.floor(random() * earlier.length)])
    const preparations: ReadonlyArray<Name> =
      name === "start" ? [] : ["start", ...more.filter((each) => each !== undefined)]
    const finding = await points.run(`p${at}`, actions, preparations, name)
    findings.push(finding)
    say(`${at + 1} ${[...preparations, name].join(", ")}: ${finding.fate}`)
    for (const loss of finding.reported) say(`  not restored, as recover says: ${loss}`)
    for (const loss of finding.losses) say(`  LOSS ${loss}`)
  }
  await points.close()
  await arena.stopDaemon()
  table(findings)
  process.exitCode = findings.some(({ losses }) => losses.length > 0) ? 1 : 0
}

await main()

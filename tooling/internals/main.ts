// `npm run mutants [-- --jobs N] [NAME or ID]...`: puts each mutant into a copy of the repository and runs its test, which
// must fail. Before that, every test is run without a mutant and must pass. Prints the mutants that no test noticed.
// `--find` runs the whole test file, or folder, of each mutant and prints the titles of the tests that fail.
import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as Copy from "./Copy.ts"
import * as Mutants from "./Mutants.ts"

/** Time for one run of a test, in milliseconds; a test that hangs has noticed its mutant. */
const runLimit = 150_000

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { jobs: { type: "string" }, find: { type: "boolean", default: false } }
})
const jobs = Number(values.jobs ?? Math.max(2, Math.floor(availableParallelism() / 2)))
const chosen = Mutants.all.filter(
  ({ ids, name }) => positionals.length === 0 || positionals.some((each) => each === name || ids.includes(each))
)

/** The results of a run: titles of the tests that passed and failed, and the text of the last failure. */
interface Results {
  readonly passed: ReadonlyArray<string>
  readonly failed: ReadonlyArray<string>
  readonly output: string
}

const record = (value: unknown): { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {}
const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")

const projectOf = (test: string) => /\.(process|live|long)\.test\.ts$/.exec(test)?.[1] ?? "unit"

/** Runs the tests with these titles in a copy. */
const run = (folder: string, test: string, titles: ReadonlyArray<string>) =>
  new Promise<Results>((resolve) => {
    const report = join(folder, ".report.json")
    rmSync(report, { force: true })
    const args = [
      "run",
      "--project",
      projectOf(test),
      test,
      "--maxWorkers=1",
      "--testTimeout=20000",
      "--hookTimeout=20000",
      "--reporter=json",
      `--outputFile=${report}`,
      ...(titles.length === 0 ? [] : ["-t", titles.map(escaped).join("|")])
    ]
    const child = spawn(join(folder, "node_modules/.bin/vitest"), args, {
      cwd: folder,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
      env: { ...process.env, NODE_ENV: "test" }
    })
    let output = ""
    const keep = (piece: unknown) => (output = `${output}${String(piece)}`.slice(-4000))
    child.stdout.on("data", keep)
    child.stderr.on("data", keep)
    let hung = false
    const timer = setTimeout(() => {
      hung = true
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL")
    }, runLimit)
    child.once("exit", () => {
      clearTimeout(timer)
      let results: unknown
      try {
        results = JSON.parse(readFileSync(report, "utf8"))
      } catch {
        results = {}
      }
      const tests = list(record(results)["testResults"]).flatMap((file) => list(record(file)["assertionResults"]))
      const titled = (status: string) =>
        tests.filter((each) => record(each)["status"] === status).map((each) => String(record(each)["fullName"]))
      resolve({ passed: titled("passed"), failed: hung ? [...titles] : titled("failed"), output })
    })
  })

const say = (line: string) => process.stdout.write(`${line}\n`)

/** Runs tasks on all copies, one at a time on each. */
const spread = async <A>(
  tasks: ReadonlyArray<A>,
  folders: ReadonlyArray<string>,
  work: (task: A, folder: string) => Promise<void>
) => {
  const queue = [...tasks]
  await Promise.all(
    folders.map(async (folder) => {
      for (let task = queue.shift(); task !== undefined; task = queue.shift()) await work(task, folder)
    })
  )
}

const main = async () => {
  const wrong = values.find ? [] : Mutants.problems(Mutants.all)
  if (wrong.length > 0) return wrong
  const place = mkdtempSync(join(tmpdir(), "sigtrap-mutants-"))
  const folders = Array.from({ length: jobs }, (_, index) => join(place, String(index)))
  const problems: Array<string> = []
  try {
    mkdirSync(place, { recursive: true })
    for (const folder of folders) Copy.make(folder)

    const tests = [...Map.groupBy(chosen, ({ test }) => test)]
    await spread(values.find ? [] : tests, folders, async ([test, mutants], folder) => {
      const titles = [...new Set(mutants.map(({ title }) => title))]
      const { failed, output, passed } = await run(folder, test, titles)
      for (const title of failed) problems.push(`${test}: "${title}" fails without a mutant`)
      for (const title of titles) {
        if (!passed.some((each) => each.includes(title))) problems.push(`${test}: "${title}" did not run\n${output}`)
      }
    })
    if (problems.length > 0) return problems

    await spread(chosen, folders, async (mutant, folder) => {
      const { file, name, replacement, test, text, title } = mutant
      const path = join(folder, file)
      const source = readFileSync(path, "utf8")
      if (source.split(text).length !== 2) {
        problems.push(`${name}: its text does not occur once in ${file}`)
        return
      }
      writeFileSync(
        path,
        source.replace(text, () => replacement)
      )
      const { failed, output, passed } = await run(folder, test, values.find ? [] : [title])
      writeFileSync(path, source)
      if (values.find)
        say(JSON.stringify({ name, failed, ...(failed.length > 0 ? {} : { passed: passed.length, output }) }))
      else if (failed.some((each) => each.includes(title))) say(`noticed   ${name}`)
      else problems.push(`NOT NOTICED ${name} (${mutant.ids.join(", ")}): ${file}, by "${title}" in ${test}\n${output}`)
    })
    return problems
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}

const problems = await main()
for (const problem of problems) say(problem)
say(`${chosen.length} mutants, ${problems.length} problems`)
if (problems.length > 0) process.exitCode = 1

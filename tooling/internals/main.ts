// `npm run mutants [-- --jobs N] [NAME or ID]...`: puts each mutant into a copy of the repository and runs its test, which
// must fail. Before that, every test is run without a mutant and must pass. Prints the mutants that no test noticed.
// `--find` runs the whole test file, or folder, of each mutant and prints the titles of the tests that fail.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as Copy from "./Copy.ts"
import { CopyTests } from "./CopyTests.ts"
import * as Mutants from "./Mutants.ts"

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { jobs: { type: "string" }, find: { type: "boolean", default: false } }
})
const jobs = Number(values.jobs ?? Math.max(2, Math.floor(availableParallelism() / 2)))
const chosen = Mutants.all.filter(
  ({ ids, name }) => positionals.length === 0 || positionals.some((each) => each === name || ids.includes(each))
)

const say = (line: string) => process.stdout.write(`${line}\n`)

/** Runs tasks on all copies, one at a time on each. */
const spread = async <A>(
  tasks: ReadonlyArray<A>,
  copies: ReadonlyArray<CopyTests>,
  work: (task: A, copy: CopyTests) => Promise<void>
) => {
  const queue = [...tasks]
  await Promise.all(
    copies.map(async (copy) => {
      for (let task = queue.shift(); task !== undefined; task = queue.shift()) await work(task, copy)
    })
  )
}

const main = async () => {
  const wrong = values.find ? [] : Mutants.problems(Mutants.all)
  if (wrong.length > 0) return wrong
  const place = mkdtempSync(join(tmpdir(), "sigtrap-mutants-"))
  const copies = Array.from({ length: jobs }, (_, index) => new CopyTests(join(place, String(index))))
  const problems: Array<string> = []
  try {
    mkdirSync(place, { recursive: true })
    for (const { folder } of copies) Copy.make(folder)

    const tests = [...Map.groupBy(chosen, ({ test }) => test)]
    await spread(values.find ? [] : tests, copies, async ([test, mutants], copy) => {
      const titles = [...new Set(mutants.map(({ title }) => title))]
      const { failed, output, passed } = await copy.run({ test, titles, changed: [] })
      for (const title of failed) problems.push(`${test}: "${title}" fails without a mutant`)
      for (const title of titles) {
        if (!passed.some((each) => each.includes(title))) problems.push(`${test}: "${title}" did not run\n${output}`)
      }
    })
    if (problems.length > 0) return problems

    /** The source that the last mutant changed in each copy. */
    const restored = new Map<CopyTests, ReadonlyArray<string>>()
    await spread(chosen, copies, async (mutant, copy) => {
      const { file, name, replacement, test, text, title } = mutant
      const path = join(copy.folder, file)
      const source = readFileSync(path, "utf8")
      if (source.split(text).length !== 2) {
        problems.push(`${name}: its text does not occur once in ${file}`)
        return
      }
      writeFileSync(
        path,
        source.replace(text, () => replacement)
      )
      const { failed, output, passed } = await copy.run({
        test,
        titles: values.find ? [] : [title],
        changed: [path, ...(restored.get(copy) ?? [])]
      })
      writeFileSync(path, source)
      restored.set(copy, [path])
      if (values.find)
        say(JSON.stringify({ name, failed, ...(failed.length > 0 ? {} : { passed: passed.length, output }) }))
      else if (failed.some((each) => each.includes(title))) say(`noticed   ${name}`)
      else problems.push(`NOT NOTICED ${name} (${mutant.ids.join(", ")}): ${file}, by "${title}" in ${test}\n${output}`)
    })
    return problems
  } finally {
    for (const copy of copies) copy.end()
    rmSync(place, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  }
}

const problems = await main()
for (const problem of problems) say(problem)
say(`${chosen.length} mutants, ${problems.length} problems`)
if (problems.length > 0) process.exitCode = 1

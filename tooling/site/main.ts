/**
 * `npm run docs`: builds the site from the documents and from the doc comments of the packages into `.artifacts/site`. VitePress and
 * TypeDoc are large, so they are installed at the first run, into `node_modules/.cache/site`. The build fails for a link that leads nowhere.
 */
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Downloads from "../release/Downloads.ts"
import * as Pack from "../release/Pack.ts"
import * as Api from "./Api.ts"
import * as Configuration from "./Configuration.ts"
import * as Pages from "./Pages.ts"

const say = (text: string) => process.stdout.write(`docs: ${text}\n`)

/** Installs the tools, unless this version of them is installed; returns their folder. */
const install = (): string => {
  const folder = join(Pack.root, "node_modules/.cache/site")
  const own = join(import.meta.dirname, "tools")
  const isInstalled = ["package.json", "bun.lock"].every(
    (name) =>
      existsSync(join(folder, name)) &&
      readFileSync(join(folder, name), "utf8") === readFileSync(join(own, name), "utf8")
  )
  if (isInstalled && existsSync(join(folder, "node_modules/vitepress"))) return folder
  say("installing VitePress and TypeDoc")
  rmSync(folder, { recursive: true, force: true })
  cpSync(own, folder, { recursive: true })
  const bun = join(Pack.root, "node_modules/.bin/bun")
  Pack.run(bun, ["install", "--frozen-lockfile", "--ignore-scripts", "--linker", "hoisted"], folder)
  return folder
}

const tools = install()
// Below the tools, where the pages find Vue.
const source = join(tools, "source")
const output = join(Pack.root, ".artifacts/site")
rmSync(source, { recursive: true, force: true })

const write = (path: string, text: string) => {
  const file = join(source, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

const patterns = ["docs/**/*.md", "{packages,apps}/*/README.md", "examples/README.md", "*.md"]
const documents = globSync(patterns, { cwd: Pack.root, exclude: ["**/node_modules/**"] })
  .toSorted((a, b) => a.localeCompare(b))
  // The README of the repository says the same as the index of the documents.
  .filter((path) => path !== "README.md" && Pages.pageOf(path) !== undefined)
  .map((path): Configuration.Document => ({ path, text: readFileSync(join(Pack.root, path), "utf8") }))

const { repository, version } = Pack.shared()
const page = Downloads.page(repository)
const files = page === undefined ? undefined : `${page}/blob/v${version}`
for (const { path, text } of documents) write(Pages.pageOf(path) ?? path, Pages.written(path, text, files))
cpSync(join(Pack.root, "docs/pictures"), join(source, "pictures"), { recursive: true })
say(`${documents.length} documents`)
const packages = Api.all(join(source, "api"), tools)
say(`API of ${packages.join(", ")}`)
write(".vitepress/config.mjs", Configuration.text(documents, packages))
const vitepress = join(tools, "node_modules/vitepress/bin/vitepress.js")
Pack.run(process.execPath, [vitepress, "build", source, "--outDir", output], tools)
say(`the site is in ${output}`)

// Bundles the page into its dist/: index.html, one script and one style sheet, whose names have a hash of their content.
// Fails if the page is larger than its limit.
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"

const bun = fileURLToPath(new URL("../node_modules/.bin/bun", import.meta.url))

/** The largest size of the page, compressed, in bytes. */
const limit = 110_000

const fail = (message) => {
  process.stderr.write(`page: ${message}\n`)
  process.exit(1)
}

const built = mkdtempSync(join(tmpdir(), "sigtrap-page-"))
const { status, stdout, stderr } = spawnSync(
  bun,
  [
    "build",
    "--conditions=@sigtrap/source",
    "--target=browser",
    "--minify",
    `--outdir=${built}`,
    "src/main.tsx",
    "src/style/page.css"
  ],
  { encoding: "utf8" }
)
if (status !== 0) fail(`bun build failed\n${stdout}${stderr}`)

const files = readdirSync(built, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))
const one = (extension) =>
  readFileSync([...files, "src/icon.svg"].find((file) => file.endsWith(extension)) ?? fail(`no ${extension} was built`))

rmSync("dist", { recursive: true, force: true })
mkdirSync("dist")
let size = 0
/** Writes a file with a hash of its content in its name; returns the name. */
const write = (extension) => {
  const content = one(extension)
  const name = `page-${createHash("sha256").update(content).digest("hex").slice(0, 12)}${extension}`
  writeFileSync(join("dist", name), content)
  size += gzipSync(content).length
  return name
}
const index = readFileSync("src/index.html", "utf8")
  .replace("STYLE", write(".css"))
  .replace("SCRIPT", write(".js"))
  .replace("ICON", write(".svg"))
writeFileSync("dist/index.html", index)
rmSync(built, { recursive: true })
size += gzipSync(index).length
if (size > limit) fail(`the page has ${size} bytes compressed, more than ${limit}`)

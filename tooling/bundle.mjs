// Bundles the app in the current folder with the pinned Bun into its dist/, from the sources of the packages it uses. An Effect
// program that is not bundled takes seconds to start. `--binary` makes a compiled executable of the command line instead.
// Every output is checked: it starts with a hashbang where people run it, and names no path of the machine that built it.
import { spawnSync } from "node:child_process"
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const bun = join(root, "node_modules/.bin/bun")

/** What each app consists of. Only files with `bin` are run directly; the others are imported by one that is. */
const outputs = {
  sigtrap: [
    // The thin client is CommonJS: Node starts it a few milliseconds faster than a module, and it runs at every command.
    { entry: "src/main.ts", file: "sigtrap.js", format: "cjs", bin: true },
    { entry: "src/daemon.ts", file: "daemon.mjs", format: "esm", bin: false }
  ],
  // An agent waits for it to start: what is imported on demand is in files of its own.
  "@sigtrap/mcp": [{ entry: "src/main.ts", file: "sigtrap-mcp.js", format: "esm", bin: true, parts: "mcp-" }],
  "@sigtrap/http": [{ entry: "src/main.ts", file: "sigtrap-http.js", format: "esm", bin: true }]
}

// Bun writes the source's own path for import.meta.url and its kin into a CommonJS bundle. These stand for where the bundle is.
const whereItIs = [
  "--define=import.meta.filename=bundleFilename",
  "--define=import.meta.dirname=bundleDirname",
  `--banner=const bundleFilename = __filename, bundleDirname = __dirname;`
]

/** In a module there is no such name; a library that reads it all the same, guarded, must find nothing. */
const namesNothing = ["--define=__filename=undefined"]

/** A library that has modules is bundled from these: the `main` of some (jsonc-parser) is UMD, whose parts Bun does not find. */
const mainFields = ["--main-fields=module", "--main-fields=main"]

const fail = (message) => {
  process.stderr.write(`bundle: ${message}\n`)
  process.exit(1)
}

const build = (...args) => {
  const { status, stdout, stderr, error } = spawnSync(
    bun,
    ["build", "--conditions=@sigtrap/source", ...mainFields, ...args],
    {
      stdio: ["ignore", "pipe", "pipe"],
      encoding: "utf8"
    }
  )
  if (error) fail(`${bun}: ${error.message}`)
  if (status !== 0) fail(`bun build ${args.join(" ")} failed\n${stdout}${stderr}`)
}

/** The files beside an entry that begin with its prefix. */
const partsOf = (prefix) =>
  prefix === undefined
    ? []
    : readdirSync("dist")
        .filter((name) => name.startsWith(prefix))
        .map((name) => join("dist", name))

const { name } = JSON.parse(readFileSync("package.json", "utf8"))
const files = outputs[name]
if (files === undefined) fail(`${name} is not an app; bundle.mjs knows ${Object.keys(outputs).join(", ")}`)
mkdirSync("dist", { recursive: true })

if (process.argv.includes("--binary")) {
  // A debugger is run in other people's projects: their .env and bunfig.toml are not its configuration.
  const foreign = ["--no-compile-autoload-dotenv", "--no-compile-autoload-bunfig"]
  build(
    "--compile",
    "--bytecode",
    "--format=esm",
    "--splitting",
    "--minify",
    ...foreign,
    "--outfile=dist/sigtrap",
    "src/binary.ts"
  )
} else {
  for (const { entry, file, format, bin, parts } of files) {
    const path = join("dist", file)
    rmSync(path, { force: true })
    for (const old of partsOf(parts)) rmSync(old)
    build(
      "--target=node",
      `--format=${format}`,
      ...(format === "cjs" ? whereItIs : namesNothing),
      ...(parts === undefined
        ? [`--outfile=${path}`]
        : ["--splitting", "--minify", "--outdir=dist", `--entry-naming=${file}`, `--chunk-naming=${parts}[hash].js`]),
      entry
    )
    for (const made of [path, ...partsOf(parts)]) {
      const code = readFileSync(made, "utf8").replace(/^#!.*\n/, "")
      if (code.includes(root))
        fail(
          `${made} contains ${root}: a source reads __dirname or __filename; import.meta.dirname is right in every bundle`
        )
      writeFileSync(made, bin && made === path ? `#!/usr/bin/env node\n${code}` : code)
    }
    if (bin) chmodSync(path, 0o755)
  }
  // The app's own manifest says "module"; this one, nearer to the bundle, is the one Node reads for it.
  if (files.some((file) => file.format === "cjs")) writeFileSync("dist/package.json", `{ "type": "commonjs" }\n`)
}

// Bundles the app in the current folder with the pinned Bun into its dist/, from the sources of its packages. Without a bundle
// an Effect program takes seconds to start. `--binary` compiles an executable of the command line instead.
// Every output is checked: executable files start with a hashbang, and none contains a path of the build machine.
import { spawnSync } from "node:child_process"
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const bun = join(root, "node_modules/.bin/bun")
const require = createRequire(import.meta.url)

/**
 * The files of each app. Files with `bin` are executable; `run` names an executable that calls the function `run` of its
 * module. The package `sigtrap` has the servers too: `copies` are the bundles of other apps.
 */
const outputs = {
  sigtrap: [
    // The thin client runs at every command. It is CommonJS because Node starts that a few milliseconds faster than a module.
    { entry: "src/main.ts", file: "sigtrap.js", format: "cjs", bin: true },
    // What it loads for the command lines that it does not run itself.
    { entry: "src/client.ts", file: "client.cjs", format: "cjs", bin: false },
    // What loads the daemon when a client starts it.
    { entry: "src/run.ts", file: "run.cjs", format: "cjs", bin: false },
    // What the daemon loads on demand, such as its HTTP server, is in separate files.
    { entry: "src/daemon.ts", file: "daemon.mjs", format: "esm", bin: false, parts: "daemon-" },
    // A thread of the daemon. It is small because it loads no Effect.
    { entry: "src/supervisor.ts", file: "supervisor.mjs", format: "esm", bin: false }
  ],
  // An agent waits for its start, so the start answers first and loads the server then. Dynamic imports are in separate files.
  "@sigtrap/mcp": [
    { entry: "src/main.ts", file: "mcp.cjs", format: "cjs", bin: false, run: "sigtrap-mcp.js" },
    { entry: "src/Program.ts", file: "mcp.mjs", format: "esm", bin: false, parts: "mcp-" }
  ],
  "@sigtrap/http": [
    { entry: "src/main.ts", file: "http.mjs", format: "esm", bin: false, parts: "http-", run: "sigtrap-http.js" }
  ]
}

/** The bundles of other apps that an app has in its own dist/, by the prefix of their files. */
const copies = {
  sigtrap: [
    { from: "../mcp/dist", prefix: "mcp" },
    { from: "../http/dist", prefix: "http" }
  ]
}

/** The programs that write files of answers which are computed once, here: entry and file by the name of the app. */
const answers = {
  sigtrap: { entry: "src/answers.ts", file: "answers.bin" },
  "@sigtrap/mcp": { entry: "src/answers.ts", file: "mcp.bin" }
}

/** The apps that serve the page have its files in `page/`, beside their bundles. */
const pageServers = ["sigtrap", "@sigtrap/http"]
const pageSource = "../web/dist"

// In a CommonJS bundle Bun replaces import.meta.filename and dirname by the paths of the source. These defines use those of
// the bundle instead. `import.meta.require` is Bun's name for its `require`.
const bundlePaths = [
  "--define=import.meta.require=bundleRequire",
  "--define=import.meta.filename=bundleFilename",
  "--define=import.meta.dirname=bundleDirname",
  `--banner=const bundleFilename = __filename, bundleDirname = __dirname, bundleRequire = require;`
]

/** A module has no __filename; a library that checks for it must find it undefined. */
const noFilename = ["--define=__filename=undefined"]

/** Prefers the ES modules of a library: the `main` of some (jsonc-parser) is UMD, whose parts Bun does not find. */
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

/**
 * Returns code with escapes for the characters beyond ASCII, which occur in texts and patterns only. V8 reads such code faster, and
 * keeps one byte for each character instead of two.
 */
const inAscii = (code) =>
  code.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** Modules of Node that most calls do not use. Each takes up to a tenth of the time of `node -e 0` to load. */
const rarelyUsed = ["child_process", "crypto", "fs/promises", "tls", "worker_threads"]

/** True if a module of Node exports a function by this name: a value, such as `workerData`, cannot wait for a call. */
const isFunction = (module, part) => typeof require(`node:${module}`)[part] === "function"

/** Returns the declaration of one name that a module of Node exports. A function that is rarely used is loaded by its first call. */
const builtinPart = (module, name, part) => {
  const loaded = `process.getBuiltinModule("node:${module}")`
  if (!rarelyUsed.includes(module) || !isFunction(module, part)) return `${name}=${loaded}.${part}`
  // A class is made by `new`, which takes the object that a function returns.
  return /^[A-Z]/.test(part)
    ? `${name}=function(...a){return Reflect.construct(${loaded}.${part},a)}`
    : `${name}=(...a)=>${loaded}.${part}(...a)`
}

/**
 * Returns the code of a module that takes modules of Node from the process. An `import` of one makes a list of its exports first, which
 * loads all that it loads on demand, such as the streams of `node:fs`.
 */
const withBuiltins = (code) =>
  code
    .replace(/import\s*\{([^}]*)\}\s*from"node:([\w/]+)";/g, (_, names, module) => {
      const parts = names.split(",").map((part) => part.split(" as "))
      return `var ${parts.map(([part, name = part]) => builtinPart(module, name, part)).join(",")};`
    })
    .replace(/import\s*\*\s*as ([\w$]+) from"node:([\w/]+)";/g, (_, name, module) => {
      const loaded = `process.getBuiltinModule("node:${module}")`
      const lazy = `new Proxy({},{get:(_,part)=>${loaded}[part]})`
      return `var ${name}=${rarelyUsed.includes(module) ? lazy : loaded};`
    })

/** Returns the files in dist/ that start with a prefix. */
const partsOf = (prefix) =>
  prefix === undefined
    ? []
    : readdirSync("dist")
        .filter((name) => name.startsWith(prefix))
        .map((name) => join("dist", name))

/** Runs a program that writes a file of answers into dist/. */
const writeAnswers = ({ entry, file }) => {
  const { status, stderr } = spawnSync(bun, ["--conditions=@sigtrap/source", entry, join("dist", file)], {
    encoding: "utf8"
  })
  if (status !== 0) fail(`${entry} failed\n${stderr}`)
}

/**
 * Returns the names of the page's files; none if the page was not built. A build that comes from turbo's cache leaves the files of
 * the build before, so only those that the page names count.
 */
const pageFiles = () => {
  const index = join(pageSource, "index.html")
  if (!existsSync(index)) return []
  const text = readFileSync(index, "utf8")
  return readdirSync(pageSource).filter((file) => file === "index.html" || text.includes(file))
}

/**
 * Writes the entry of the executable, which holds the files of the page, and returns its path. A module with the type "file" is
 * its path in the file system of the executable.
 */
const binaryEntry = () => {
  const folder = "dist/binary"
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const imports = pageFiles().map((file, at) => [
    `import file${at} from ${JSON.stringify(`../../${pageSource}/${file}`)} with { type: "file" }`,
    `embedded.set(${JSON.stringify(file)}, file${at})`
  ])
  const lines = [
    // This module loads no Effect, so neither does the start of the executable.
    'import { embedded } from "@sigtrap/host/runtime/AnswerFile"',
    ...["answers.bin", "mcp.bin"].flatMap((file, at) => [
      `import answers${at} from "../${file}" with { type: "file" }`,
      `embedded.set("${file}", answers${at})`
    ]),
    ...imports.map(([line]) => line),
    ...imports.map(([, line]) => line)
  ]
  writeFileSync(join(folder, "page.ts"), `${lines.join("\n")}\n`)
  writeFileSync(join(folder, "sigtrap.ts"), 'import "./page.ts"\nimport "../../src/binary.ts"\n')
  return join(folder, "sigtrap.ts")
}

const { name } = JSON.parse(readFileSync("package.json", "utf8"))
const files = outputs[name]
if (files === undefined) fail(`${name} is not an app; bundle.mjs knows ${Object.keys(outputs).join(", ")}`)
mkdirSync("dist", { recursive: true })

if (process.argv.includes("--binary")) {
  // The debugger runs in any project, whose .env and bunfig.toml are not its configuration.
  const ignoreProject = ["--no-compile-autoload-dotenv", "--no-compile-autoload-bunfig"]
  // `--binary TARGET FILE` compiles for another platform.
  const [target, file = "dist/sigtrap"] = process.argv.slice(process.argv.indexOf("--binary") + 1)
  build(
    "--compile",
    ...(target === undefined ? [] : [`--target=${target}`]),
    "--bytecode",
    "--format=esm",
    "--splitting",
    "--minify",
    ...ignoreProject,
    `--outfile=${file}`,
    binaryEntry()
  )
  rmSync("dist/binary", { recursive: true })
} else {
  for (const { entry, file, format, bin, parts, run } of files) {
    const path = join("dist", file)
    rmSync(path, { force: true })
    for (const old of partsOf(parts)) rmSync(old)
    build(
      "--target=node",
      `--format=${format}`,
      "--minify",
      ...(format === "cjs" ? bundlePaths : noFilename),
      ...(parts === undefined
        ? [`--outfile=${path}`]
        : ["--splitting", "--outdir=dist", `--entry-naming=${file}`, `--chunk-naming=${parts}[hash].mjs`]),
      entry
    )
    for (const output of [path, ...partsOf(parts)]) {
      const text = inAscii(readFileSync(output, "utf8").replace(/^#!.*\n/, ""))
      const code = format === "cjs" ? text : withBuiltins(text)
      const imported = /(?:^|[;}])(import[^;(]*"node:[^"]*")/.exec(code)
      if (imported !== null) fail(`${output} has ${imported[1]}, which withBuiltins does not know`)
      if (code.includes(root))
        fail(
          `${output} contains ${root}: a source reads __dirname or __filename; import.meta.dirname is right in every bundle`
        )
      writeFileSync(output, bin && output === path ? `#!/usr/bin/env node\n${code}` : code)
    }
    if (bin) chmodSync(path, 0o755)
    if (run !== undefined) {
      const loading = format === "cjs" ? `const { run } = require("./${file}")` : `import { run } from "./${file}"`
      const text = `#!/usr/bin/env node\n${loading}\nrun(process.argv.slice(2))\n`
      writeFileSync(join("dist", run), text, { mode: 0o755 })
    }
  }
  for (const { from, prefix } of copies[name] ?? []) {
    const isPart = (file) => file.startsWith(prefix) && /\.(?:mjs|cjs|bin)$/.test(file)
    for (const old of readdirSync("dist").filter(isPart)) rmSync(join("dist", old))
    for (const file of readdirSync(from).filter(isPart)) copyFileSync(join(from, file), join("dist", file))
  }
  if (answers[name] !== undefined) writeAnswers(answers[name])
  if (pageServers.includes(name)) {
    rmSync("dist/page", { recursive: true, force: true })
    mkdirSync("dist/page")
    for (const file of pageFiles()) cpSync(join(pageSource, file), join("dist/page", file), { recursive: true })
  }
  // The manifest of the app says "module"; Node reads this nearer one for the bundle.
  if (files.some((file) => file.format === "cjs")) writeFileSync("dist/package.json", `{ "type": "commonjs" }\n`)
}

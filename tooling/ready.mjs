// Prepares the repository, with only Node 20 and npm installed: installs the dependencies of bun.lock and, with --debugger, a
// debug adapter and C and C++ compilers for the live tests and the demo; with --compilers also clang, libc++ and Delve, with which the
// long tests compile. Every npm script runs it first, so it takes 0.1 s when
// nothing is missing. It imports nothing of the product, as it runs before any dependency is installed.
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { accessSync, constants, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
import { runs } from "./tools.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))
const say = (line) => process.stderr.write(`ready: ${line}\n`)

/** Runs a command without a terminal's input, so that nothing can wait for an answer. `quiet` shows output only on failure. */
const run = (command, { quiet = false } = {}) => {
  const [file, ...args] = command
  const { status, stdout, stderr, error } = spawnSync(file, args, {
    cwd: root,
    env: { ...process.env, npm_config_update_notifier: "false" },
    stdio: quiet ? ["ignore", "pipe", "pipe"] : ["ignore", "inherit", "inherit"],
    encoding: "utf8",
    timeout: 15 * 60_000,
    maxBuffer: 64 << 20
  })
  if (quiet && status !== 0) process.stderr.write(`${stdout ?? ""}${stderr ?? ""}`)
  if (error) say(`${file}: ${error.message}`)
  return status === 0
}

const answer = (file, ...args) => {
  const { status, stdout } = spawnSync(file, args, {
    stdio: ["ignore", "pipe", "ignore"],
    encoding: "utf8",
    timeout: 60_000
  })
  return status === 0 ? stdout.trim() : undefined
}

// Dependencies

const manifests = [
  "package.json",
  "bunfig.toml",
  "bun.lock",
  ...["packages", "apps", "examples"].flatMap((folder) =>
    readdirSync(join(root, folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(folder, entry.name, "package.json"))
      .toSorted()
  ),
  "tooling/package.json"
].filter((path) => existsSync(join(root, path)))

const fingerprint = () => {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}`)
  for (const path of manifests) hash.update(path).update(readFileSync(join(root, path)))
  return hash.digest("hex")
}

const installDependencies = () => {
  const stamp = join(root, "node_modules", ".sigtrap-ready")
  const wanted = fingerprint()
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  say(`installing dependencies with ${packageManager} (bun.lock or a manifest is new here)`)
  if (!run(["npx", "--yes", packageManager, "install", "--frozen-lockfile"])) {
    say(`the dependencies could not be installed: npx --yes ${packageManager} install --frozen-lockfile`)
    process.exit(1)
  }
  writeFileSync(stamp, wanted)
}

// Debugger and compilers

/** The LLVM release the live tests are written against; where a distribution offers several, this one is taken. */
const preferredLldb = 19

const isProgram = (path) => {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** Returns whether a program of PATH whose name matches runs. */
const onPath = (pattern) =>
  (process.env.PATH ?? "").split(delimiter).some((folder) => {
    try {
      return readdirSync(folder || ".").some((name) => pattern.test(name) && runs(join(folder, name)))
    } catch {
      return false
    }
  })

/** Every Python of PATH, of which any may have a module. */
const pythons = () =>
  (process.env.PATH ?? "")
    .split(delimiter)
    .map((folder) => join(folder, "python3"))
    .filter(isProgram)

const isMac = process.platform === "darwin"
// macOS has /usr/bin/cc even where the developer tools behind it are missing.
const hasMacTools = () => answer("xcode-select", "-p") !== undefined

const tools = [
  {
    what: "a debug adapter (lldb-dap)",
    found: () =>
      (process.env.SIGTRAP_LLDB_DAP !== undefined && runs(process.env.SIGTRAP_LLDB_DAP)) ||
      (isMac && answer("xcrun", "--find", "lldb-dap") !== undefined) ||
      onPath(/^lldb-(dap|vscode)(-\d+)?$/),
    apt: () => {
      const names = answer("apt-cache", "search", "--names-only", "^lldb-[0-9]+$") ?? ""
      const versions = [...names.matchAll(/^lldb-(\d+) /gm)].map((match) => Number(match[1])).toSorted((a, b) => b - a)
      if (versions.length === 0) return ["lldb"]
      return [`lldb-${versions.includes(preferredLldb) ? preferredLldb : versions[0]}`]
    },
    dnf: ["lldb"]
  },
  {
    what: "a debug adapter for Python (debugpy)",
    found: () => pythons().some((python) => answer(python, "-c", "import debugpy") !== undefined),
    apt: () => ["python3", "python3-debugpy"],
    dnf: ["python3-debugpy"]
  },
  {
    what: "a C compiler (cc)",
    found: () => (isMac ? hasMacTools() : onPath(/^(cc|gcc|clang)$/)),
    apt: () => ["gcc", "libc6-dev"],
    dnf: ["gcc"]
  },
  {
    what: "a C++ compiler (c++)",
    found: () => (isMac ? hasMacTools() : onPath(/^(c\+\+|g\+\+|clang\+\+)$/)),
    apt: () => ["g++", "libc6-dev"],
    dnf: ["gcc-c++"]
  },
  {
    // What sigtrap says is compared with it.
    what: "a second debugger (gdb)",
    found: () => isMac || onPath(/^gdb$/),
    apt: () => ["gdb"],
    dnf: ["gdb"]
  },
  {
    // Simulated simulators list their apps with it, as simctl's do.
    what: "a list of processes (ps)",
    found: () => onPath(/^ps$/),
    apt: () => ["procps"],
    dnf: ["procps-ng"]
  }
]

/** What the long tests compile with beside gcc, and the browser that they open; without it these tests are skipped. */
const compilers = [
  {
    what: "a debug adapter and a compiler for Go (delve, go)",
    found: () => isMac || (onPath(/^dlv$/) && onPath(/^go$/)),
    apt: () => ["delve", "golang-go"],
    dnf: ["delve", "golang"]
  },
  {
    what: "a second compiler (clang)",
    found: () => isMac || onPath(/^clang\+\+(-19)?$/),
    apt: () => ["clang"],
    dnf: ["clang"]
  },
  {
    what: "a second C++ library (libc++)",
    found: () =>
      isMac ||
      answer("clang++", "-stdlib=libc++", "-x", "c++", "-fsyntax-only", "-include", "vector", "/dev/null") !==
        undefined,
    apt: () => ["libc++-dev", "libc++abi-dev"],
    dnf: ["libcxx-devel", "libcxxabi-devel"]
  },
  {
    what: "libraries and runners of tests (GoogleTest, Catch2, CMake)",
    found: () =>
      isMac ||
      (["/usr/include/gtest/gtest.h", "/usr/include/catch2/catch.hpp"].every((file) => existsSync(file)) &&
        onPath(/^ctest$/)),
    apt: () => ["libgtest-dev", "catch2", "cmake", "make"],
    dnf: ["gtest-devel", "catch2-devel", "cmake", "make"]
  },
  {
    what: "a runner of tests for Python (pytest)",
    found: () => pythons().some((python) => answer(python, "-c", "import debugpy, pytest") !== undefined),
    apt: () => ["python3-debugpy", "python3-pytest"],
    dnf: ["python3-debugpy", "python3-pytest"]
  },
  {
    // The tests of the page.
    what: "a browser (chromium)",
    found: () => isMac || onPath(/^chromium$/),
    apt: () => ["chromium"],
    dnf: ["chromium"]
  }
]

// `npm run pictures` draws the page with its own fonts.
const pictures = [
  {
    what: "the fonts Inter and JetBrains Mono",
    found: () =>
      isMac ||
      ["Inter", "JetBrains Mono"].every(
        (font) => answer("fc-list", font) !== undefined && answer("fc-list", font) !== ""
      ),
    apt: () => ["chromium", "fonts-inter", "fonts-jetbrains-mono"],
    dnf: ["chromium", "rsms-inter-fonts", "jetbrains-mono-fonts"]
  }
]

const wanted = [
  ...tools,
  ...(process.argv.includes("--compilers") ? compilers : []),
  ...(process.argv.includes("--pictures") ? pictures : [])
]
const missing = () => wanted.filter((tool) => !tool.found())
const names = (list) => list.map((tool) => tool.what).join(", ")

const installWithApt = (absent) => {
  const isRoot = process.getuid?.() === 0
  if (!isRoot && answer("sudo", "-n", "true") === undefined) return false
  const apt = [
    ...(isRoot ? [] : ["sudo", "-n"]),
    "env",
    "DEBIAN_FRONTEND=noninteractive",
    "apt-get",
    "-q",
    "-o=DPkg::Lock::Timeout=120",
    "-o=Acquire::Retries=2",
    "-o=Acquire::http::Timeout=30"
  ]
  const why = "the live tests and the demo debug real programs"
  say(`${names(absent)}: not found, but ${why}. Running apt-get update, then apt-get install; this takes a minute`)
  // A third-party source that does not answer does not matter: the packages may come from the others.
  run([...apt, "update"], { quiet: true })
  const packages = [...new Set(absent.flatMap((tool) => tool.apt()))]
  say(`apt-get install -y --no-install-recommends ${packages.join(" ")}`)
  return run([...apt, "install", "-y", "--no-install-recommends", ...packages], { quiet: true })
}

const howToInstall = (absent) => {
  const unversioned = absent.flatMap((tool) => tool.dnf)
  if (isMac) return "xcode-select --install (or: brew install llvm, then set SIGTRAP_LLDB_DAP)"
  if (onPath(/^apt-get$/)) return `sudo apt-get install ${[...new Set(absent.flatMap((tool) => tool.apt()))].join(" ")}`
  if (onPath(/^dnf$/)) return `sudo dnf install ${unversioned.join(" ")}`
  return `install ${unversioned.join(", ")} with your system's package manager`
}

const installDebugger = () => {
  if (missing().length === 0) return
  if (onPath(/^apt-get$/)) installWithApt(missing())
  const left = missing()
  if (left.length === 0) return say("debugger and compilers are installed")
  say(`still missing: ${names(left)}. To get it: ${howToInstall(left)}`)
  say("without it the demo replays a recorded session, and the live tests fail and name what they need")
}

installDependencies()
if (process.argv.includes("--debugger")) installDebugger()

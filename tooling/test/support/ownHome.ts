// Gives each live test file its own HOME, temporary folder and runtime directory, so that files run side by side and no test
// reaches the daemon, settings or caches of the user.
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { join } from "node:path"
import { afterAll } from "vitest"

const before = { ...process.env }
const home = before["HOME"] ?? "/"

/** Where toolchains keep what they installed when no variable says so. */
const toolchains = {
  RUSTUP_HOME: join(home, ".rustup"),
  CARGO_HOME: join(home, ".cargo"),
  GOPATH: join(home, "go"),
  GOCACHE: join(home, ".cache/go-build"),
  PYTHONUSERBASE: join(home, ".local")
}

// Short enough for the paths of sockets, which macOS limits to 104 bytes.
const folder = realpathSync(mkdtempSync("/tmp/st-"))
const own = {
  HOME: join(folder, "home"),
  TMPDIR: join(folder, "tmp"),
  SIGTRAP_RUNTIME_DIR: join(folder, "run"),
  // lldb-dap 18 and 19 abort after disconnect; the stack that they print would take 0.15 s each time.
  LLVM_DISABLE_SYMBOLIZATION: "1"
}
for (const path of [own.HOME, own.TMPDIR]) mkdirSync(path)

for (const [name, path] of Object.entries(toolchains)) if (existsSync(path)) process.env[name] ??= path
for (const name of Object.keys(before)) if (name.startsWith("XDG_")) delete process.env[name]
Object.assign(process.env, own)

afterAll(() => {
  for (const name of [...Object.keys(toolchains), ...Object.keys(own)]) delete process.env[name]
  Object.assign(process.env, before)
  rmSync(folder, { recursive: true, force: true })
})

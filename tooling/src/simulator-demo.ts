/**
 * The demonstration of simulators, also where there are none: a small app is installed on a simulated iPhone, launched,
 * and debugged from its first line, by the built command with a real lldb-dap. The simulated machine is that of
 * `fake-xcrun`; nothing of it is left at the end.
 */
import { spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { bundle, prepare } from "../fake-xcrun/src/Seed.ts"
import { say, sigtrap, typing } from "./typing.ts"

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const xcrun = at("../fake-xcrun/bin/xcrun")

const directory = mkdtempSync(join(tmpdir(), "sigtrap-demo-"))
const machine = join(directory, "machine")
const env = {
  ...process.env,
  SIGTRAP_RUNTIME_DIR: join(directory, "run"),
  SIGTRAP_SIM_STATE: machine,
  SIGTRAP_XCRUN: xcrun
}

const run = typing(directory, env)

const build = () => {
  cpSync(at("../fixtures/c/sim_app.c"), join(directory, "sim_app.c"))
  say("$ cc -g sim_app.c -o App.app/App")
  const { status } = spawnSync("cc", ["-g", "-O0", "sim_app.c", "-o", "program"], { cwd: directory, stdio: "inherit" })
  if (status !== 0) throw new Error("cc failed")
  bundle(directory, { bundleId: "com.example.app", name: "App", program: join(directory, "program") })
  prepare(machine)
}

try {
  say("SIMULATED: the xcrun of this demonstration is our own, its iPhone is a folder, its apps are local programs.")
  say()
  build()
  run("sim", "list", "--name", "iPhone 17")
  say("# One call: boot, install, launch held before main, attach, set the breakpoint, go.")
  run("sim", "debug", "iPhone 17", "App.app", "-b", "tick", "--env", "GREETING=hello")
  run("output")
  run("next")
  run("finish")
  say("# Whoever wants to tap and swipe can ask whether anybody would notice.")
  run("sim", "guard", "booted")
  run("detach")
  run("sim", "guard", "booted")
  say("# The app runs on. Say once which phone and which app are meant, and take hold of it again.")
  run("defaults", "set", "--simulator", "iPhone 17", "--bundle", "com.example.app")
  run("sim", "attach", "--pause")
  run("backtrace")
  run("stop")
  run("sim", "shutdown", "all")
} finally {
  spawnSync(xcrun, ["simctl", "shutdown", "all"], { env, stdio: "ignore" })
  spawnSync(process.execPath, [sigtrap, "daemon", "stop"], { cwd: directory, env, stdio: "ignore" })
  rmSync(directory, { recursive: true, force: true })
}

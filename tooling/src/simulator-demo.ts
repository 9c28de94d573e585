/**
 * The demo of simulators, which also runs on Linux: the built command installs a small app on a simulated iPhone, launches
 * it and debugs it from its first line with a real lldb-dap. `fake-xcrun` simulates the simulators; the demo removes all
 * its files at the end.
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
  say("SIMULATED: this demo uses a simulated xcrun: the iPhone is a folder, its apps are local programs.")
  say()
  build()
  run("sim", "list", "--name", "iPhone 17")
  say("# One command: boot, install, launch and stop before main, attach, set the breakpoint, continue.")
  run("sim", "debug", "iPhone 17", "App.app", "-b", "tick", "--env", "GREETING=hello")
  run("output")
  run("next")
  run("finish")
  say("# An app that a session has paused ignores taps. Check that before tapping:")
  run("sim", "guard", "booted")
  run("detach")
  run("sim", "guard", "booted")
  say("# The app keeps running. Set the default simulator and app once, then attach again.")
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

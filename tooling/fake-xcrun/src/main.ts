/**
 * The simulated `xcrun` and other tools. A call is numbered, gets its fault, if any, does what the real tool does, as far as
 * that is known, and is recorded. See README.md in the folder above.
 */
import { appendFileSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs"
import { join, resolve } from "node:path"
import { addmedia, getenv, io, keychain, location, pasteboard, privacy, push, statusBar, ui } from "./Features.ts"
import { appinfo, container, install, launch, listapps, openurl, terminate, uninstall } from "./Apps.ts"
import type { Command, Context } from "./Context.ts"
import { boot, bootstatus, clone, create, erase, remove, shutdown } from "./Devices.ts"
import { commandLineToolsOnly, noSdk, Stop, unknownToTheDouble, type Answer } from "./Failures.ts"
import { changed, failed, hang, number, spoiled, unusable, type Applied, type Fault } from "./Faults.ts"
import { list } from "./List.ts"
import { prepare, world as seeded, type Call } from "./Seed.ts"
import { spawn } from "./Spawn.ts"
import { locked, read, rows, setRows, write, type World } from "./World.ts"

const commands: { readonly [name: string]: Command } = {
  list,
  boot,
  bootstatus,
  shutdown,
  erase,
  create,
  clone,
  delete: remove,
  install,
  uninstall,
  launch,
  terminate,
  get_app_container: container,
  listapps,
  appinfo,
  openurl,
  spawn,
  getenv,
  io,
  privacy,
  push,
  ui,
  status_bar: statusBar,
  location,
  pbcopy: pasteboard(true),
  pbpaste: pasteboard(false),
  addmedia,
  keychain
}

const usage = `usage: simctl [--set <path>] [--profiles <path>] <subcommand> ...
       simctl help [subcommand]
Command line utility to control the Simulator

Subcommands:
${Object.keys(commands)
  .toSorted()
  .map((name) => `\t${name}\n`)
  .join("")}`

const load = (root: string): World =>
  existsSync(join(root, "world.json")) ? { ...seeded(root), ...read(join(root, "world.json"), {}) } : prepare(root)

/** Returns the world of another device set: the same machine, without devices until some are created. */
const inSet = (world: World, folder: string): World => {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, "world.json")
  if (!existsSync(path)) {
    const devices = Object.fromEntries(world.runtimes.map(({ identifier }) => [identifier, []]))
    write(path, { ...world, devices, pairs: {} })
  }
  const own = read(path, world)
  return { ...world, devices: own.devices, pairs: own.pairs }
}

const simctl = async (root: string, world: World, words: ReadonlyArray<string>, applied?: Applied): Promise<Answer> => {
  const [first, folder, ...rest] = words
  if (first === "--set" && folder !== undefined) return simctl(resolve(folder), inSet(world, folder), rest, applied)
  // The form of the version is inferred.
  if (first === "--version") return { stdout: "@(#)PROGRAM:simctl  PROJECT:CoreSimulator-1051.17\n" }
  if (first === "help" || first === "--help" || first === "-h") return { stdout: usage }
  // Looks up own properties only: a subcommand may have the name of an object method.
  const command = first !== undefined && Object.hasOwn(commands, first) ? commands[first] : undefined
  if (command === undefined) {
    return { exit: 1, stdout: usage, stderr: first === undefined ? "" : `Unrecognized subcommand: ${first}\n` }
  }
  const context: Context = {
    root,
    world,
    major: Number.parseInt(world.xcode.version, 10),
    fault: applied?.do ?? {},
    ...(applied === undefined ? {} : { applied }),
    print: (text) => void (text === "" || process.stdout.write(text)),
    printError: (text) => void (text === "" || process.stderr.write(text))
  }
  return command(context, words.slice(1))
}

/** Replaces this process by another program (execve). */
const replaceProcess = (path: string, args: ReadonlyArray<string>): Answer => {
  if (process.execve === undefined) return { exit: 71, stderr: "fake-xcrun: Node 22.15 or later is needed\n" }
  return process.execve(path, [path, ...args], process.env)
}

const xcrun = (
  root: string,
  world: World,
  words: ReadonlyArray<string>,
  applied?: Applied
): Answer | Promise<Answer> => {
  const [first = "", ...rest] = words
  if (!world.licenseAccepted || first === "simctl") {
    const bad = unusable(world, "simctl")
    return bad ?? simctl(root, world, rest, applied)
  }
  if (first === "--version") return { stdout: "xcrun version 70.\n" }
  if (first === "--find" || first === "-f") {
    return unusable(world, rest[0] ?? "") ?? { stdout: `${world.tools[rest[0] ?? ""]}\n` }
  }
  if (first === "--sdk") {
    const [name = "", flag] = rest
    const sdk = world.sdks[name]
    if (flag !== "--show-sdk-path" && flag !== "--show-sdk-version")
      return unknownToTheDouble(`xcrun ${words.join(" ")}`)
    return sdk === undefined ? noSdk(name) : { stdout: `${flag === "--show-sdk-path" ? sdk.path : sdk.version}\n` }
  }
  if (first.startsWith("-") || first === "") return unknownToTheDouble(`xcrun ${words.join(" ")}`)
  return unusable(world, first) ?? replaceProcess(world.tools[first] ?? "", rest)
}

const beside = (tool: string, world: World, words: ReadonlyArray<string>): Answer => {
  const { developerDir, version, build } = world.xcode
  switch (`${tool} ${words.join(" ")}`) {
    case "xcode-select -p":
    case "xcode-select --print-path":
      return { stdout: `${developerDir}\n` }
    case "xcodebuild -version":
      if (!developerDir.includes(".app/")) return commandLineToolsOnly(developerDir)
      return unusable(world, "simctl")?.exit === 69
        ? (unusable(world, "simctl") ?? {})
        : { stdout: `Xcode ${version}\nBuild version ${build}\n` }
    case "DevToolsSecurity -status":
      return { stdout: `Developer mode is currently ${world.developerMode ? "enabled" : "disabled"}.\n` }
    default:
      return unknownToTheDouble(`${tool} ${words.join(" ")}`)
  }
}

const given = process.env["SIGTRAP_SIM_STATE"] ?? ""
// Apps start in another directory, so paths must be absolute.
const root = resolve(given)
const [calledAs = "", ...words] = process.argv.slice(2)
const tool = ["xcode-select", "xcodebuild", "DevToolsSecurity"].find((name) => name === calledAs) ?? "xcrun"
const began = Date.now()

const environment = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) =>
    value !== undefined && (name.startsWith("SIMCTL_CHILD_") || name === "DEVELOPER_DIR") ? [[name, value]] : []
  )
)

/** Records calls that were killed: only the file of their start exists. */
const recordKilled = () => {
  for (const name of readdirSync(join(root, "running"))) {
    const path = join(root, "running", name)
    if (!/^\d+$/.test(name) || (Number(name) !== process.pid && existsSync(`/proc/${name}`))) continue
    // A call that has ended since the folder was read has removed its file.
    const call = read<Call | undefined>(path, undefined)
    rmSync(path, { force: true })
    if (call !== undefined)
      appendFileSync(join(root, "calls.jsonl"), `${JSON.stringify({ ...call, signal: "SIGKILL" })}\n`)
  }
  const living = rows(root).filter((row) => row.kind !== "timer" || existsSync(`/proc/${row.pid}`))
  if (living.length !== rows(root).length) setRows(root, living)
}

const main = async (): Promise<void> => {
  mkdirSync(join(root, "running"), { recursive: true })
  const isSimctl = tool === "xcrun" && words[0] === "simctl"
  const set = isSimctl && words[1] === "--set" ? 2 : 0
  const startFile = join(root, "running", String(process.pid))
  let call: Call | undefined
  const ended = (exit: number | null, signal: string | null) => {
    if (call === undefined) return
    const line = JSON.stringify({ ...call, exit, signal, ms: Date.now() - began })
    call = undefined
    rmSync(startFile, { force: true })
    appendFileSync(join(root, "calls.jsonl"), `${line}\n`)
  }
  const die = (signal: NodeJS.Signals) => {
    ended(null, signal)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  }
  const { fault, world } = await locked(root, () => {
    recordKilled()
    const numbered = number(root, isSimctl ? "simctl" : tool, isSimctl ? words.slice(1 + set) : words)
    const ignores = numbered.fault?.do.ignoreTerm === true
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
      process.on(signal, () => (signal === "SIGTERM" && ignores ? undefined : die(signal)))
    }
    call = {
      seq: numbered.seq,
      time: new Date(began).toISOString(),
      argv: [tool, ...words],
      cwd: process.cwd(),
      env: environment,
      exit: null,
      signal: null,
      ms: 0,
      ...(numbered.fault === undefined ? {} : { fault: numbered.fault.do })
    }
    // A test that sees the file may send a signal, so the handlers must be installed by now.
    write(startFile, call)
    return { ...numbered, world: load(root) }
  })
  const what: Fault = fault?.do ?? {}
  // The reader has closed the pipe.
  process.stdout.on("error", () => process.exit(141))
  process.stderr.on("error", () => undefined)

  const run = async (): Promise<Answer> => {
    try {
      const seen = changed(world, what)
      if (what.before === true) await hang(what)
      if (what.signal !== undefined && what.appDies === undefined) {
        die(what.signal)
        await hang({ hang: "forever" })
      }
      const bad = fault === undefined ? undefined : failed(fault, seen)
      if (bad !== undefined) return bad
      // Replacing the process ends this call.
      if (tool === "xcrun" && !isSimctl && /^[a-z]/.test(words[0] ?? "")) ended(0, null)
      const answer = await (tool === "xcrun" ? xcrun(root, seen, words, fault) : beside(tool, seen, words))
      if (what.before !== true) await hang(what)
      return answer
    } catch (error) {
      if (error instanceof Stop) return error.answer
      return {
        exit: 70,
        stderr: `fake-xcrun: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`
      }
    }
  }
  const answer = spoiled(await run(), what)
  ended(answer.exit ?? 0, null)
  if (answer.stderr !== undefined && answer.stderr !== "") process.stderr.write(answer.stderr)
  const exit = () => process.exit(answer.exit ?? 0)
  if (answer.stdout === undefined || answer.stdout.length === 0) exit()
  else process.stdout.write(answer.stdout, exit)
}

if (given === "") {
  process.stderr.write(
    "fake-xcrun: set SIGTRAP_SIM_STATE to a directory for the simulated machine; it is filled on the first call\n"
  )
  process.exit(70)
} else await main()

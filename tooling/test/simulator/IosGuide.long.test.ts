// Types the guide of simulators: on a Mac with Xcode, with the Swift app on a real simulator; elsewhere with a C program that has the
// same lines, on a simulated one.
import { assert, it } from "@effect/vitest"
import { ClientLayers } from "@sigtrap/host"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { bundle, prepare } from "../../fake-xcrun/src/Seed.ts"
import { typeAlong, typed } from "../support/guides.ts"
import * as Tools from "../support/tools.ts"
import { toolPath } from "./fakeMachine.ts"

const guide = fileURLToPath(new URL("../../../docs/guide/ios.md", import.meta.url))
const fixtures = fileURLToPath(new URL("../../fixtures/ios/", import.meta.url))

const environment = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
)

/** Boots the newest of the devices with a name, so that the name alone selects it. A device boots for minutes the first time. */
const boot = (xcrun: string, name: string, env: NodeJS.ProcessEnv) => {
  const simctl = (...words: ReadonlyArray<string>) =>
    execFileSync(xcrun, ["simctl", ...words], { env, encoding: "utf8", maxBuffer: 64 << 20 })
  const { devices }: { readonly devices: { readonly [runtime: string]: ReadonlyArray<Device> } } = JSON.parse(
    simctl("list", "devices", "available", "-j")
  )
  const newest = Object.entries(devices)
    .filter(([runtime]) => runtime.includes(".iOS-"))
    .toSorted(([a], [b]) => a.localeCompare(b, "en", { numeric: true }))
    .flatMap(([, list]) => list.filter((device) => device.name === name))
    .at(-1)
  assert(newest !== undefined, `there is no ${name}`)
  if (newest.state !== "Booted") simctl("boot", newest.udid)
  simctl("bootstatus", newest.udid)
  return () => simctl("shutdown", newest.udid)
}

interface Device {
  readonly name: string
  readonly udid: string
  readonly state: string
}

/** A machine for the guide: a real one, or a simulated one. */
const machine = (directory: string) => {
  if (process.platform === "darwin" && Tools.isPresent("xcrun", environment)) {
    return { env: environment, xcrun: "/usr/bin/xcrun", shell: typed }
  }
  const root = join(directory, "machine")
  prepare(root)
  const xcrun = toolPath("xcrun")
  const compiled = join(directory, "compiled")
  return {
    env: { ...environment, SIGTRAP_SIM_STATE: root, SIGTRAP_XCRUN: xcrun },
    xcrun,
    shell: (line: string, cwd: string) => {
      if (line !== "sh Notes/build.sh") return typed(line, cwd)
      const ended = typed(`cc -g -O0 -fdebug-prefix-map=${cwd}=${cwd}/Notes Simulated/notes.c -o ${compiled}`, cwd)
      bundle(join(cwd, "build"), { bundleId: "com.example.notes", name: "Notes", program: compiled })
      return ended
    }
  }
}

it.live(
  "the guide of simulators can be typed along",
  () =>
    Effect.gen(function* () {
      const directory = realpathSync(mkdtempSync(join(tmpdir(), "sigtrap-ios-")))
      cpSync(fixtures, directory, { recursive: true })
      const { env, shell, xcrun } = machine(directory)
      const shutdown = boot(xcrun, "iPhone 17", env)
      yield* typeAlong("ios.md", readFileSync(guide, "utf8"), directory, env, shell).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            shutdown()
            rmSync(directory, { recursive: true, force: true })
          })
        )
      )
    }).pipe(Effect.provide(ClientLayers.layerIsolated)),
  20 * 60_000
)

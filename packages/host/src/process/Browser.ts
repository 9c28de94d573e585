/**
 * Opens an address in the browser of the user, without a shell.
 *
 * On Linux `xdg-open` gets the address as an argument, which every user of the machine can read while the browser starts. So the
 * server takes a page code only from a process of this user (`PeerUser`). macOS does not tell the user of a connection, so
 * `osascript` reads the address from its standard input there.
 */
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import * as SystemPrograms from "./SystemPrograms.ts"

/** The user's system: its platform, and the variables that say whether there is a screen. */
export interface System {
  readonly platform: string
  readonly environment: { readonly [name: string]: string | undefined }
  /** Directories that are searched before those of PATH, if not those of the system. */
  readonly directories?: ReadonlyArray<string>
}

/** A program that opens an address. */
interface Opener {
  readonly program: string
  readonly args: ReadonlyArray<string>
  readonly input: string
}

/** Time in which a program that cannot open the address ends, in milliseconds. Some run as long as the browser. */
const patience = 2000

/** Addresses that have no meaning for a script: those of this program. */
const plain = /^http:\/\/[A-Za-z0-9.:[\]]+\/[A-Za-z0-9#=&%._~-]*$/

const openerOf = (
  url: string,
  { directories = SystemPrograms.system, environment, platform }: System
): Opener | undefined => {
  const find = (name: string) =>
    SystemPrograms.find(name, { directories, path: environment["PATH"], uid: process.geteuid?.() })
  if (platform === "darwin") {
    const program = find("osascript")
    return program === undefined ? undefined : { program, args: ["-"], input: `open location "${url}"\n` }
  }
  const hasScreen = [environment["DISPLAY"], environment["WAYLAND_DISPLAY"]].some(
    (value) => value !== undefined && value !== ""
  )
  const program = hasScreen ? find("xdg-open") : undefined
  return program === undefined ? undefined : { program, args: [url], input: "" }
}

/** Opens an address; returns whether there is a browser. The browser outlives this process. */
export const open = (url: string, system: System): Effect.Effect<boolean> =>
  Effect.suspend(() => {
    const opener = plain.test(url) ? openerOf(url, system) : undefined
    if (opener === undefined) return Effect.succeed(false)
    const ended = Effect.callback<boolean>((resume) => {
      const child = spawn(opener.program, opener.args, {
        cwd: "/",
        detached: true,
        env: { ...system.environment },
        stdio: ["pipe", "ignore", "ignore"]
      })
      child.once("error", () => resume(Effect.succeed(false)))
      child.once("exit", (code) => resume(Effect.succeed(code === 0)))
      child.stdin.on("error", () => {})
      child.stdin.end(opener.input)
      child.unref()
    })
    return Effect.raceFirst(ended, Effect.as(Effect.sleep(patience), true))
  })

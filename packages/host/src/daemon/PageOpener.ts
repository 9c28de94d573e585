/**
 * Opens the page for its owner: starts the server of the daemon, creates a code, and opens the address in a browser.
 *
 * The code is in the fragment of the address, which a browser sends to no server and which is in no log of one.
 */
import type { Errors } from "@sigtrap/protocol"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { userInfo } from "node:os"
import * as Browser from "../process/Browser.ts"
import type * as Grants from "../http/Grants.ts"
import type * as HttpServing from "./HttpServing.ts"
import type * as PageCodes from "./tokens/PageCodes.ts"

/** The tiers of a page. */
const standard = ["observe", "control"] as const

/** How to open the page. */
export interface Request {
  /** Tiers beside observe and control. */
  readonly allow: ReadonlyArray<Grants.Tier>
  /** The only session that the page may see. */
  readonly only?: string | undefined
  /** The session that the page shows first. */
  readonly session?: string | undefined
  /** The port of the server; 0 is any free one. */
  readonly port: number
  /** Print the address; start no browser. */
  readonly print: boolean
  /** The environment of the user, for the browser and the name of the person. */
  readonly environment: Browser.System["environment"]
}

/** An opened page. The address has the code only if no browser was opened. `expires` is the end of the code. */
export interface Opened {
  readonly url: string
  readonly opened: boolean
  readonly tiers: ReadonlyArray<Grants.Tier>
  readonly session?: string
  readonly expires: number
}

/** Opens the page. */
export type Open = (request: Request) => Effect.Effect<Opened, Errors.SigtrapError>

/** What opening needs of the daemon. */
export interface Needs {
  readonly serve: (request: HttpServing.Request) => Effect.Effect<HttpServing.Served, Errors.SigtrapError>
  readonly create: (request: PageCodes.Request) => Effect.Effect<PageCodes.Created, Errors.SigtrapError>
  /** Opens an address in a browser; returns whether there is one. */
  readonly browse?: typeof Browser.open
}

/** Opens the page for `start --web`; undefined without a daemon. */
export const PageOpener = Context.Reference<Open | undefined>("@sigtrap/host/PageOpener", {
  defaultValue: () => undefined
})

/** Returns the name of the person: that of the environment, else of the user of this process. */
const personName = (environment: Request["environment"]): string | undefined => {
  const name = (environment["SIGTRAP_AS"] || userName()).replaceAll(/[^\x21-\x7e]/g, "").slice(0, 64)
  return name === "" ? undefined : name
}

const userName = (): string => {
  try {
    return userInfo().username
  } catch {
    // A user that the system does not list, as in some containers.
    return ""
  }
}

/** Returns what opens the page. */
export const make =
  ({ browse = Browser.open, create, serve }: Needs): Open =>
  ({ allow, environment, only, port, print, session = only }) =>
    Effect.gen(function* () {
      const server = yield* serve({ port })
      const name = personName(environment)
      const tiers = [...standard, ...allow.filter((tier) => !standard.some((one) => one === tier))] as const
      const { code, expires } = yield* create({
        tiers,
        ...(only === undefined ? {} : { session: only }),
        ...(name === undefined ? {} : { name })
      })
      const shown = session === undefined ? "" : `&session=${encodeURIComponent(session)}`
      const whole = `${server.url}/#code=${code}${shown}`
      const opened = print ? false : yield* browse(whole, { environment, platform: process.platform })
      return {
        url: opened ? `${server.url}/` : whole,
        opened,
        tiers,
        ...(only === undefined ? {} : { session: only }),
        expires
      }
    })

/**
 * The command line of `sigtrap mcp` and the environment variables it reads.
 */
import * as CollectorAddress from "@sigtrap/host/tracing/CollectorAddress"
import { Redacted, Result } from "effect"
import * as Consent from "../calls/Consent.ts"
import * as Profile from "../tools/Profile.ts"

/** The usage lines, printed with `--help` and after a usage error. */
export const usage = `usage: sigtrap mcp [--profile NAME] [--allow TIERS] [--structured] [--isolated] [--trace-otlp URL] [--stdio | --http [PORT]]
       sigtrap mcp install --client NAME [--scope user|project] [--name NAME] [--print] [--force] [--profile NAME] [--allow TIERS]`

/** The text of `--help`. */
export const help = `${usage}

  --profile NAME   tools to offer: ${Profile.names.join(", ")} (default: default)
  --allow TIERS    what needs no consent of the user: ${Consent.grants.join(", ")}, several with commas.
                   write changes programs and writes files; launch starts programs; raw runs debugger and
                   build commands; admin allows both, and ending sessions of others
  --structured     add the data of each result as structuredContent (off)
  --isolated       keep sessions in this process, not in the shared daemon
  --stdio          use standard input and output (default)
  --trace-otlp URL send spans of all calls to this collector (SIGTRAP_OTLP)
  --http [PORT]    listen on a loopback port; prints address and token file as JSON
  install          write this server into the settings of a client
`

/** The arguments of a server. */
export interface Serve {
  readonly command: "serve"
  readonly profile: Profile.Name
  readonly allow: ReadonlyArray<Consent.Grant>
  readonly structured: boolean
  readonly isolated: boolean
  /** The collector of the spans of all calls. */
  readonly otlp?: string
  /** The port to listen on, 0 for a free one; absent: standard input and output. */
  readonly port?: number
  readonly token?: Redacted.Redacted
}

/** The parsed command line. */
export type Arguments =
  | { readonly command: "help" }
  | { readonly command: "version" }
  | { readonly command: "install"; readonly words: ReadonlyArray<string> }
  | Serve

/** The environment variables that are read. */
export interface Variables {
  /** `SIGTRAP_MCP_ALLOW` */
  readonly allow?: string | undefined
  /** `SIGTRAP_OTLP` */
  readonly otlp?: string | undefined
  /** `SIGTRAP_HTTP_TOKEN` */
  readonly token?: string | undefined
}

/** Parses words such as `write,admin`; absent if one is unknown. */
export const tiers = (text: string): ReadonlyArray<Consent.Grant> | undefined => {
  const words = text.split(/[\s,]+/).filter((word) => word !== "")
  const known = Consent.grants.filter((tier) => words.includes(tier))
  return words.every((word) => known.some((tier) => tier === word)) ? known : undefined
}

// 256 bits as hexadecimal are 64 characters, as base64 43.
const strong = /^[A-Za-z0-9._~+/=-]{43,512}$/

/** Parses a port: `4711`, `127.0.0.1:4711`, `localhost:4711`. */
const port = (text: string): number | undefined => {
  const digits = /^(?:(?:127\.0\.0\.1|localhost|\[::1\]):)?(\d{1,5})$/.exec(text)?.[1]
  return digits === undefined || Number(digits) > 65_535 ? undefined : Number(digits)
}

/** Parses the arguments; the failure is one sentence. */
export const parse = (argv: ReadonlyArray<string>, variables: Variables = {}): Result.Result<Arguments, string> => {
  if (argv[0] === "install") return Result.succeed({ command: "install", words: argv.slice(1) })
  let serve: Serve = { command: "serve", profile: "default", allow: [], structured: false, isolated: false }
  let allow = variables.allow ?? ""
  let otlp = variables.otlp ?? ""
  for (let at = 0; at < argv.length; at += 1) {
    const [argument = "", inline] = argv[at]?.split(/=(.*)/s) ?? []
    const value = () => inline ?? argv[(at += 1)] ?? ""
    if (argument === "--help" || argument === "-h") return Result.succeed({ command: "help" })
    if (argument === "--version" || argument === "-V") return Result.succeed({ command: "version" })
    if (argument === "--isolated") serve = { ...serve, isolated: true }
    else if (argument === "--structured") serve = { ...serve, structured: true }
    else if (argument === "--stdio") serve = { ...serve }
    else if (argument === "--profile") {
      const profile = value()
      if (!Profile.isName(profile))
        return Result.fail(`unknown profile ${profile}; --profile takes ${Profile.names.join(", ")}`)
      serve = { ...serve, profile }
    } else if (argument === "--allow") allow = value()
    else if (argument === "--trace-otlp") otlp = value()
    else if (argument === "--http" || argument === "--port") {
      const next = inline ?? (argv[at + 1]?.startsWith("-") === false ? argv[(at += 1)] : undefined) ?? "0"
      const number = port(next)
      if (number === undefined) {
        return Result.fail(`${argument} takes a port up to 65535 on the loopback, not ${next}; 0 selects a free port`)
      }
      serve = { ...serve, port: number }
    } else return Result.fail(`unknown argument ${argument}`)
  }
  if (otlp !== "") {
    const collector = CollectorAddress.parse(otlp)
    if (Result.isFailure(collector)) return Result.fail(`--trace-otlp ${collector.failure}`)
    serve = { ...serve, otlp }
  }
  const granted = tiers(allow)
  if (granted === undefined) return Result.fail(`--allow takes ${Consent.grants.join(", ")}, not ${allow}`)
  const byProfile: ReadonlyArray<Consent.Grant> = Profile.get(serve.profile).grantsAdmin ? ["admin"] : []
  serve = { ...serve, allow: [...new Set([...granted, ...byProfile])] }
  const { token } = variables
  if (serve.port === undefined || token === undefined || token === "") return Result.succeed(serve)
  return strong.test(token)
    ? Result.succeed({ ...serve, token: Redacted.make(token) })
    : Result.fail("SIGTRAP_HTTP_TOKEN needs at least 43 characters of A-Z a-z 0-9 . _ ~ + / = -")
}

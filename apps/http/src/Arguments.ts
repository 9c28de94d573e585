/**
 * The command line of `sigtrap serve` and the environment variable it reads.
 */
import * as CollectorAddress from "@sigtrap/host/tracing/CollectorAddress"
import { Redacted, Result } from "effect"
import { isIP } from "node:net"

/** The flags, with their values and what they do. */
const flags: { readonly [flag: string]: readonly [value: string, text: string] } = {
  "--port": ["N", "Port; 0 is any free one (0)"],
  "--address": ["ADDR", "Numeric address to listen on (127.0.0.1)"],
  "--isolated": ["", "Serve sessions of this process, without a daemon"],
  "--foreground": ["", "Serve in this process; sigtrap-http always does"],
  "--stop": ["", "Only `sigtrap serve --stop`: stop the daemon's server"],
  "--trace-otlp": ["URL", "Send spans of all calls over HTTP to this collector"],
  "--help": ["", "Show this text"],
  "--version": ["", "Show the version"]
}

/** The usage line, printed after a usage error. */
export const usage = `usage: sigtrap serve ${Object.entries(flags)
  .map(([flag, [value]]) => `[${value === "" ? flag : `${flag} ${value}`}]`)
  .join(" ")}`

/** The text of `--help`. */
export const help = [
  usage,
  "",
  ...Object.entries(flags).map(([flag, [value, text]]) => `  ${`${flag} ${value}`.padEnd(18)}${text}`)
].join("\n")

/** The arguments of a server. */
export interface Serve {
  readonly command: "serve"
  readonly port: number
  /** The numeric address; absent for that of the loopback. */
  readonly address?: string
  readonly isolated: boolean
  /** The collector of the spans of all calls. */
  readonly otlp?: string
  readonly token?: Redacted.Redacted
}

/** The parsed command line. */
export type Arguments = { readonly command: "help" | "version" } | Serve

/** The environment variable that sets the token. */
export const tokenVariable = "SIGTRAP_HTTP_TOKEN"

// 256 bits as hexadecimal are 64 characters, as base64 43.
const strong = /^[A-Za-z0-9._~+/=-]{43,512}$/

/** Parses arguments and token; the failure is one sentence. */
export const parse = (
  argv: ReadonlyArray<string>,
  token: string | undefined,
  collector?: string
): Result.Result<Arguments, string> => {
  let port = 0
  let address: string | undefined
  let otlp = collector
  let isolated = false
  for (let at = 0; at < argv.length; at += 1) {
    const argument = argv[at]
    if (argument === "--help" || argument === "-h") return Result.succeed({ command: "help" })
    if (argument === "--version" || argument === "-V") return Result.succeed({ command: "version" })
    if (argument === "--stop")
      return Result.fail("--stop stops the server of the daemon: use sigtrap serve --stop alone")
    if (argument === "--foreground") continue
    if (argument === "--isolated") isolated = true
    else if (argument === "--port" || argument?.startsWith("--port=") === true) {
      const text = argument === "--port" ? argv[(at += 1)] : argument.slice("--port=".length)
      if (text === undefined || !/^\d{1,5}$/.test(text) || Number(text) > 65_535) {
        return Result.fail("--port takes a number up to 65535; 0 selects a free port")
      }
      port = Number(text)
    } else if (argument === "--address" || argument?.startsWith("--address=") === true) {
      address = argument === "--address" ? (argv[(at += 1)] ?? "") : argument.slice("--address=".length)
      if (isIP(address) === 0 || /^(?:0\.0\.0\.0|[:0]+)$/.test(address)) {
        return Result.fail("--address takes the numeric address of one interface, such as 127.0.0.1")
      }
    } else if (argument === "--trace-otlp" || argument?.startsWith("--trace-otlp=") === true) {
      otlp = argument === "--trace-otlp" ? (argv[(at += 1)] ?? "") : argument.slice("--trace-otlp=".length)
    } else return Result.fail(`unknown argument ${argument}`)
  }
  const traces = otlp === undefined || otlp === "" ? undefined : CollectorAddress.parse(otlp)
  if (traces !== undefined && Result.isFailure(traces)) return Result.fail(`--trace-otlp ${traces.failure}`)
  const serve = {
    command: "serve",
    port,
    isolated,
    ...(address === undefined ? {} : { address }),
    ...(otlp === undefined || otlp === "" ? {} : { otlp })
  } as const
  if (token === undefined || token === "") return Result.succeed(serve)
  return strong.test(token)
    ? Result.succeed({ ...serve, token: Redacted.make(token) })
    : Result.fail(`${tokenVariable} needs at least 43 characters of A-Z a-z 0-9 . _ ~ + / = -`)
}

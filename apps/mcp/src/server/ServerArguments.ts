/**
 * What `sigtrap-mcp` is started with: its arguments and the variables that it reads.
 */
import { Redacted, Result } from "effect"
import * as Consent from "../calls/Consent.ts"
import * as ClientInfo from "../calls/ClientInfo.ts"
import * as Profile from "../tools/Profile.ts"

/** Shown with `--help` and with every mistake. */
export const usage = `usage: sigtrap-mcp [--profile NAME] [--allow TIERS] [--text WHICH] [--isolated] [--stdio | --http [PORT]]
       sigtrap-mcp install --client NAME [--scope user|project] [--print] [--force] [--profile NAME] [--allow TIERS]`

/** The help. */
export const help = `${usage}

  --profile NAME   tools to offer: ${Profile.names.join(", ")} (default: default)
  --allow TIERS    what the agent may do without a person being asked: ${Consent.tiers.join(", ")}, or both with a comma.
                   write changes the program; admin starts programs and uses the debugger's own commands
  --text WHICH     how much an answer says in words: auto, full, line (default: auto)
  --isolated       sessions in this process instead of the shared daemon
  --stdio          speak on standard input and output (the default)
  --http [PORT]    listen on the loopback instead; prints a line of JSON with address and token file
  install          write this server into the configuration of a client
`

/** How to serve. */
export interface Serve {
  readonly does: "serve"
  readonly profile: Profile.Name
  readonly allow: ReadonlyArray<Consent.Tier>
  readonly text: ClientInfo.Text
  readonly isolated: boolean
  /** The port to listen on, 0 for any; standard input and output when absent. */
  readonly port?: number
  readonly token?: Redacted.Redacted
}

/** What to do. */
export type Arguments =
  | { readonly does: "help" }
  | { readonly does: "version" }
  | { readonly does: "install"; readonly words: ReadonlyArray<string> }
  | Serve

/** The variables that stand for arguments which were not given. */
export interface Variables {
  /** `SIGTRAP_MCP_ALLOW` */
  readonly allow?: string | undefined
  /** `SIGTRAP_HTTP_TOKEN` */
  readonly token?: string | undefined
}

/** Tiers as they are written: `write,admin`. */
export const tiers = (text: string): ReadonlyArray<Consent.Tier> | undefined => {
  const words = text.split(/[\s,]+/).filter((word) => word !== "")
  const known = Consent.tiers.filter((tier) => words.includes(tier))
  return words.every((word) => known.some((tier) => tier === word)) ? known : undefined
}

// 256 bits as hexadecimal are 64 characters, as base64 43.
const strong = /^[A-Za-z0-9._~+/=-]{43,512}$/

/** A port as it is written: `4711`, `127.0.0.1:4711`, `localhost:4711`. */
const port = (text: string): number | undefined => {
  const digits = /^(?:(?:127\.0\.0\.1|localhost|\[::1\]):)?(\d{1,5})$/.exec(text)?.[1]
  return digits === undefined || Number(digits) > 65_535 ? undefined : Number(digits)
}

/** Reads the arguments, or says in a sentence what is wrong with them. */
export const parse = (argv: ReadonlyArray<string>, variables: Variables = {}): Result.Result<Arguments, string> => {
  if (argv[0] === "install") return Result.succeed({ does: "install", words: argv.slice(1) })
  let serve: Serve = { does: "serve", profile: "default", allow: [], text: "auto", isolated: false }
  let allow = variables.allow ?? ""
  for (let at = 0; at < argv.length; at += 1) {
    const [argument = "", inline] = argv[at]?.split(/=(.*)/s) ?? []
    const value = () => inline ?? argv[(at += 1)] ?? ""
    if (argument === "--help" || argument === "-h") return Result.succeed({ does: "help" })
    if (argument === "--version" || argument === "-V") return Result.succeed({ does: "version" })
    if (argument === "--isolated") serve = { ...serve, isolated: true }
    else if (argument === "--stdio") serve = { ...serve }
    else if (argument === "--profile") {
      const profile = value()
      if (!Profile.isName(profile)) return Result.fail(`no profile ${profile}; there are: ${Profile.names.join(", ")}`)
      serve = { ...serve, profile }
    } else if (argument === "--allow") allow = value()
    else if (argument === "--text") {
      const written = value()
      const text = ClientInfo.texts.find((each) => each === written)
      if (text === undefined) return Result.fail(`--text takes ${ClientInfo.texts.join(", ")}, not ${written}`)
      serve = { ...serve, text }
    } else if (argument === "--http" || argument === "--port") {
      const next = inline ?? (argv[at + 1]?.startsWith("-") === false ? argv[(at += 1)] : undefined) ?? "0"
      const number = port(next)
      if (number === undefined) {
        return Result.fail(`${argument} takes a port of the loopback up to 65535, 0 for any free one, not ${next}`)
      }
      serve = { ...serve, port: number }
    } else return Result.fail(`unknown argument ${argument}`)
  }
  const granted = tiers(allow)
  if (granted === undefined) return Result.fail(`--allow takes ${Consent.tiers.join(" and ")}, not ${allow}`)
  // What this profile stands for is to attach to apps and to speak to LLDB: who chooses it allows that.
  const implied: ReadonlyArray<Consent.Tier> = serve.profile === "xcode-compat" ? ["admin"] : []
  serve = { ...serve, allow: [...new Set([...granted, ...implied])] }
  const { token } = variables
  if (serve.port === undefined || token === undefined || token === "") return Result.succeed(serve)
  return strong.test(token)
    ? Result.succeed({ ...serve, token: Redacted.make(token) })
    : Result.fail("SIGTRAP_HTTP_TOKEN needs at least 43 characters of A-Z a-z 0-9 . _ ~ + / = -")
}

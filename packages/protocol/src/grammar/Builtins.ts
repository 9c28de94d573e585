/**
 * Commands that call no operation. Help, schemas and completion run in the daemon; commands about the machine or the
 * daemon run in the client. Their options are defined only here.
 */
import { type Option, common } from "./Options.ts"

/** A command that calls no operation. */
export interface Builtin {
  readonly name: "help" | "schema" | "commands" | "completion" | "version" | "__complete" | Client
  readonly usage: string
  readonly summary: string
  readonly examples: readonly [string, string]
  /** Options, without those of every command. */
  readonly options: ReadonlyArray<Option>
  /** One-letter names of its options. */
  readonly letters: { readonly [letter: string]: string }
  /** True if it runs in the client. */
  readonly client: boolean
}

/** Names of the commands that run in the client. */
type Client =
  | "adapters"
  | "daemon"
  | "config"
  | "doctor"
  | "grant"
  | "log"
  | "mcp"
  | "repl"
  | "serve"
  | "setup"
  | "skill"
  | "test"
  | "web"

const flag = (name: string, description: string) => common(name, "boolean", "", description)
const valued = (name: string, metavar: string, description: string) => common(name, "string", metavar, description)

/** Makes a command that runs in the daemon. */
const daemonCommand = (
  name: Builtin["name"],
  usage: string,
  summary: string,
  examples: Builtin["examples"],
  options: ReadonlyArray<Option> = []
): Builtin => ({ name, usage, summary, examples, options, letters: {}, client: false })

/** Makes a command that runs in the client. */
const clientCommand = (
  name: Client,
  usage: string,
  summary: string,
  examples: Builtin["examples"],
  options: ReadonlyArray<Option> = [],
  letters: Builtin["letters"] = {}
): Builtin => ({ name, usage, summary, examples, options, letters, client: true })

/** The command that `--version` runs. */
export const version = daemonCommand("version", "version", "Print the versions", ["version", "version --json"])

const logOptions = [
  flag("clear", "Empty the log after reading"),
  flag("follow", "Show new lines until interrupted"),
  valued("lines", "N", "Newest lines to show (50)"),
  valued("match", "RE", "Only lines that match"),
  valued("source", "SOURCE", "Only lines of daemon, or of ipc: calls of clients"),
  valued("level", "LEVEL", "Only lines of this severity or higher"),
  valued("session", "NAME", "Only lines about this session")
]
const logLetters = { n: "lines", f: "follow", S: "session" }

/** All builtin commands, in the order of the help. A name with an underscore is for scripts. */
export const all: ReadonlyArray<Builtin> = [
  daemonCommand(
    "help",
    "help [COMMAND]",
    "Explain a command",
    ["help break", "help --agent"],
    [flag("agent", "Print the short form for agents")]
  ),
  daemonCommand("schema", "schema [COMMAND]", "Print the JSON Schemas of a command's payload and answer", [
    "schema start",
    "schema"
  ]),
  daemonCommand("commands", "commands", "List every command with its options", ["commands", "commands --json"]),
  daemonCommand("completion", "completion bash|zsh|fish|powershell", "Print a completion script for a shell", [
    "completion bash",
    "completion fish"
  ]),
  version,
  clientCommand(
    "test",
    "test [validate|record] FILE... [--filter RE] [--report text|tap|junit|json] [-j N] [--retries N] [--keep] [--update]",
    "Run scenario files against a real debugger",
    ["test scenarios/app.yaml", "test validate scenarios"],
    [
      valued("filter", "RE", "Only scenarios whose name or file matches"),
      valued("report", "FORM", "Form of the report: text, tap, junit or json (text)"),
      valued("jobs", "N", "Scenarios to run at once (1)"),
      valued("retries", "N", "Repeat a failed scenario up to N times (0)"),
      valued("adapter", "NAME", "Debug adapter for scenarios that name none"),
      flag("keep", "Keep temporary directories"),
      flag("update", "Write observed values into the file"),
      flag("force", "Replace the file of test record")
    ],
    { j: "jobs", a: "adapter" }
  ),
  clientCommand(
    "daemon",
    "daemon run|start|stop|restart|status|logs [--force] [-n LINES]",
    "Manage the process that holds the sessions",
    ["daemon status", "daemon logs -n 20"],
    [
      flag("force", "stop, restart: also if it hangs or has live sessions"),
      valued("idle", "DURATION", "End after this time without sessions"),
      valued("log-level", "LEVEL", "Lowest severity to log"),
      valued("select", "PATH", "Print one part of the JSON"),
      ...logOptions
    ],
    logLetters
  ),
  clientCommand("adapters", "adapters", "List the debug adapters of this machine", ["adapters", "adapters --json"]),
  clientCommand("doctor", "doctor [ADAPTER]", "Test each adapter: launch, attach, core file, debug server", [
    "doctor",
    "doctor lldb-dap --json"
  ]),
  clientCommand(
    "setup",
    "setup [ADAPTER...] [--auto] [--list|--check|--path|--dry-run|--uninstall] [--dir DIR] [--version V] [--force] [--offline]",
    "Install a debug adapter, or print how",
    ["setup lldb-dap --dry-run", "setup debugpy --dir ./tools --dry-run"],
    [
      flag("auto", "Install the adapters that this project needs"),
      flag("list", "List the adapters and where they are"),
      flag("check", "Fail if the adapter is not installed"),
      flag("path", "Print the path of the adapter"),
      flag("dry-run", "Print the commands without running them"),
      flag("uninstall", "Remove the adapter"),
      flag("force", "Install the adapter again"),
      flag("offline", "Do not use the network"),
      valued("dir", "DIR", "Install into this directory"),
      valued("version", "V", "Install this version")
    ]
  ),
  clientCommand(
    "config",
    "config path|list|get KEY|set KEY VALUE|unset KEY|edit|init|validate|trust [--project] [--revoke]",
    "Show or change your settings, or those of a project",
    ["config list", "config set timeouts.wait 1m"],
    [
      flag("user", "Use the user's file"),
      flag("project", "Use the project's file"),
      flag("force", "Replace the file"),
      flag("revoke", "Stop trusting the project's file"),
      valued("config", "FILE", "Path of the user's file")
    ]
  ),
  clientCommand(
    "log",
    "log [-n LINES] [-f] [--level LEVEL] [--source daemon|ipc] [--session NAME] [--match RE] [--clear] | log --slow [N] | log --audit [--actor NAME] [--session NAME] [--operation OP] [--refused] [--since TIME] [-n LINES] [--verify]",
    "Show the daemon's log, or who did what",
    ["log --slow", "log --audit --refused"],
    [
      ...logOptions,
      flag("slow", "Show the slowest calls of this daemon, N at most (10)"),
      flag("audit", "Show the audit log: every accepted or refused operation"),
      valued("actor", "NAME", "--audit: kind or name of a client (mcp, mcp:NAME)"),
      valued("operation", "OP", "--audit: only this operation"),
      valued("since", "TIME", "--audit: from 10:31, 2026-11-22 or 2h ago"),
      flag("refused", "--audit: only refused operations"),
      flag("verify", "--audit: check that no record was changed or removed")
    ],
    logLetters
  ),
  clientCommand(
    "grant",
    "grant --tier TIER[,TIER] [--ask TIER[,TIER]] [--session NAME] [--ttl DURATION] [--name NAME] [--print] | grant list | grant revoke ID|all",
    "Write a token for another client, or revoke it",
    ["grant --tier observe,control --session default --ttl 1h", "grant --tier observe --ask control,evaluate"],
    [
      valued("tier", "TIER", "Allow observe, control, evaluate, write, admin"),
      valued("ask", "TIER", "Ask a person at each use of these tiers (none)"),
      valued("session", "NAME", "Only this session (every session)"),
      valued("ttl", "DURATION", "Valid for this time, at most 7d (1h)"),
      valued("name", "NAME", "Name of the client in status, events and audit log"),
      flag("print", "Print the token; write no file")
    ],
    { S: "session" }
  ),
  clientCommand(
    "skill",
    "skill print|install [--target claude|agents] [--force]",
    "Write a skill file for a coding agent",
    ["skill print", "skill install --target claude"],
    [
      flag("force", "Replace the file"),
      valued("target", "NAME", "Agent to install for (claude)"),
      valued("dir", "DIR", "Project directory (the current one)")
    ]
  ),
  clientCommand(
    "repl",
    "repl [-x FILE] [SESSION]",
    "Read commands at a prompt, with history and completion",
    ["repl", "repl -x commands.txt default"],
    [valued("commands", "FILE", "Run the commands of this file first"), valued("session", "NAME", "Session to act on")],
    { x: "commands", S: "session" }
  ),
  // The MCP server parses the words after `mcp`. A test compares its options with these.
  clientCommand(
    "mcp",
    "mcp [--profile NAME] [--allow TIERS] [--isolated] [--http [PORT]] | mcp install --client NAME [--print]",
    "Run the MCP server, or add it to an MCP client",
    ["mcp install --client claude-code --print", "mcp --profile full"],
    [
      common("profile", "string", "NAME", "Tools to offer (default)", ["default", "full", "observe", "xcode-compat"]),
      valued("allow", "TIERS", "Needs no consent: write, launch, raw or admin (none)"),
      flag("structured", "Add the data of each result as structuredContent"),
      flag("isolated", "Keep sessions in this process, without a daemon"),
      valued("trace-otlp", "URL", "Send spans of all calls to this collector"),
      flag("stdio", "Use standard input and output, as without --http"),
      valued("http", "PORT", "Listen on this loopback port; without PORT on a free one"),
      valued("client", "NAME", "install: the MCP client, such as claude-code"),
      valued("scope", "SCOPE", "install: settings of the user or of the project (user)"),
      valued("name", "NAME", "install: name of the server in the settings (sigtrap)"),
      flag("print", "install: print the settings; write no file"),
      flag("force", "install: replace a server of that name")
    ]
  ),
  // With --foreground or --isolated the HTTP server parses the words after `serve`.
  clientCommand(
    "serve",
    "serve [--port N] [--address ADDR] [--stop] [--foreground] [--isolated]",
    "Serve every operation over HTTP on a loopback port",
    ["serve", "serve --port 4711"],
    [
      valued("port", "N", "Port; 0 is any free one (0)"),
      valued("address", "ADDR", "Numeric address to listen on (127.0.0.1)"),
      flag("stop", "Stop the server of the daemon"),
      valued("trace-otlp", "URL", "Send spans of all calls over HTTP to this collector"),
      flag("foreground", "Serve in this process, with the sessions of the daemon"),
      flag("isolated", "Serve sessions of this process, without a daemon")
    ]
  ),
  clientCommand(
    "web",
    "web [--allow TIER[,TIER]] [--session NAME] [--port N] [--print]",
    "Open the page in your browser, to watch and drive sessions",
    ["web", "web --allow evaluate,write --session default"],
    [
      valued("allow", "TIER", "Also allow evaluate, write or admin (observe, control)"),
      valued("session", "NAME", "Only this session (every session)"),
      valued("port", "N", "Port of the server; 0 is any free one (0)"),
      flag("print", "Print the address; open no browser")
    ],
    { S: "session" }
  ),
  daemonCommand(
    "__complete",
    "__complete line TEXT | sessions|breakpoints|adapters|files",
    "Print what may follow a line, or names, one per line",
    ["__complete sessions", "__complete line print"]
  )
]

/** Other names of these commands. */
export const aliases: { readonly [alias: string]: Builtin["name"] } = { logs: "log" }

/** Returns the command of that name or alias. */
export const find = (name: string): Builtin | undefined =>
  all.find((builtin) => builtin.name === (Object.hasOwn(aliases, name) ? aliases[name] : name))

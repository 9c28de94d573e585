/**
 * The settings file of each MCP client and the form of a server's entry in it. Data only: one table row per client. Paths
 * are those of macOS and Linux.
 */

/** The command that starts this server. */
interface Server {
  readonly command: string
  readonly args: ReadonlyArray<string>
}

/** The user's folders. */
export interface Folders {
  readonly home: string
  readonly platform: "darwin" | "linux"
  /** `$XDG_CONFIG_HOME`, else `~/.config`. */
  readonly config: string
}

/** The fields of an entry, in JSON or TOML. */
export interface Fields {
  readonly [key: string]: string | boolean | ReadonlyArray<string>
}

/** An MCP client: its name on the command line, and the files in which it lists servers. */
export interface Client {
  readonly name: string
  readonly title: string
  readonly format: "json" | "toml"
  /** The keys above the entry; the server's name follows. */
  readonly parents: readonly [string, ...ReadonlyArray<string>]
  readonly entry: (server: Server) => Fields
  /** The user's settings file. */
  readonly user: (folders: Folders) => string
  /** The project's settings file, relative to its folder; absent for clients without one. */
  readonly project?: string
  /** What the user does next so that the client loads the server. */
  readonly afterwards: string
}

const plain = ({ args, command }: Server) => ({ command, args })
const typed = ({ args, command }: Server) => ({ type: "stdio", command, args })

/** Returns an application's settings folder. */
const applicationFolder = ({ config, home, platform }: Folders, name: string) =>
  platform === "darwin" ? `${home}/Library/Application Support/${name}` : `${config}/${name}`

const servers = { format: "json", parents: ["mcpServers"], entry: plain } as const

/** The supported clients. */
export const all: ReadonlyArray<Client> = [
  {
    ...servers,
    name: "claude-code",
    title: "Claude Code",
    entry: typed,
    user: ({ home }) => `${home}/.claude.json`,
    project: ".mcp.json",
    afterwards: "start a new session; /mcp shows the server"
  },
  {
    ...servers,
    name: "claude-desktop",
    title: "Claude Desktop",
    user: (folders) => `${applicationFolder(folders, "Claude")}/claude_desktop_config.json`,
    afterwards: "quit Claude Desktop and open it again"
  },
  {
    ...servers,
    name: "cursor",
    title: "Cursor",
    user: ({ home }) => `${home}/.cursor/mcp.json`,
    project: ".cursor/mcp.json",
    afterwards: "enable the server in Settings, MCP"
  },
  {
    name: "vscode",
    title: "Visual Studio Code",
    format: "json",
    parents: ["servers"],
    entry: typed,
    user: (folders) => `${applicationFolder(folders, "Code")}/User/mcp.json`,
    project: ".vscode/mcp.json",
    afterwards: "run MCP: List Servers and start it"
  },
  {
    ...servers,
    name: "windsurf",
    title: "Windsurf",
    user: ({ home }) => `${home}/.codeium/windsurf/mcp_config.json`,
    afterwards: "refresh the MCP servers in the settings of Cascade"
  },
  {
    name: "zed",
    title: "Zed",
    format: "json",
    parents: ["context_servers"],
    entry: plain,
    // Zed uses the XDG folders on macOS too.
    user: ({ config }) => `${config}/zed/settings.json`,
    project: ".zed/settings.json",
    afterwards: "open the Agent Panel's settings; a green dot marks a running server"
  },
  {
    name: "codex",
    title: "Codex",
    format: "toml",
    parents: ["mcp_servers"],
    entry: plain,
    user: ({ home }) => `${home}/.codex/config.toml`,
    project: ".codex/config.toml",
    afterwards: "start a new session"
  },
  {
    ...servers,
    name: "gemini",
    title: "Gemini CLI",
    user: ({ home }) => `${home}/.gemini/settings.json`,
    project: ".gemini/settings.json",
    afterwards: "start a new session; /mcp shows the server"
  },
  {
    name: "copilot-cli",
    title: "GitHub Copilot CLI",
    format: "json",
    parents: ["mcpServers"],
    entry: ({ args, command }) => ({ type: "local", command, args, tools: ["*"] }),
    user: ({ home }) => `${home}/.copilot/mcp-config.json`,
    afterwards: "start a new session"
  },
  {
    name: "opencode",
    title: "opencode",
    format: "json",
    parents: ["mcp"],
    entry: ({ args, command }) => ({ type: "local", command: [command, ...args], enabled: true }),
    user: ({ config }) => `${config}/opencode/opencode.json`,
    project: "opencode.json",
    afterwards: "start a new session"
  },
  {
    ...servers,
    name: "cline",
    title: "Cline",
    user: (folders) =>
      `${applicationFolder(folders, "Code")}/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json`,
    afterwards: "open the MCP servers panel of Cline"
  },
  {
    ...servers,
    name: "kiro",
    title: "Kiro",
    user: ({ home }) => `${home}/.kiro/settings/mcp.json`,
    project: ".kiro/settings/mcp.json",
    afterwards: "reconnect in the MCP panel"
  }
]

/** Finds a client by name. */
export const find = (name: string): Client | undefined => all.find((client) => client.name === name)

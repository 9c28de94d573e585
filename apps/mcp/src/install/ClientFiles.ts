/**
 * Where MCP clients keep the servers that they start, and how an entry looks there. Data only: a client is a line of this
 * table. Paths are those of macOS and Linux.
 */

/** How this server is started. */
interface Server {
  readonly command: string
  readonly args: ReadonlyArray<string>
}

/** Where somebody is. */
export interface Place {
  readonly home: string
  readonly platform: "darwin" | "linux"
  /** `$XDG_CONFIG_HOME`, else `~/.config`. */
  readonly config: string
}

/** A client. */
export interface Client {
  readonly name: string
  readonly title: string
  readonly format: "json" | "toml"
  /** Where the entry stands in the file; the server's name comes after it. */
  readonly below: ReadonlyArray<string>
  readonly entry: (server: Server) => { readonly [key: string]: unknown }
  /** The user's file. */
  readonly user: (place: Place) => string
  /** The project's file, below its folder, for clients that read one. */
  readonly project?: string
  /** What a person has to do so that the client sees it. */
  readonly afterwards: string
}

const plain = ({ args, command }: Server) => ({ command, args })
const typed = ({ args, command }: Server) => ({ type: "stdio", command, args })

/** Where an application of macOS or Linux keeps what belongs to the user. */
const application = ({ config, home, platform }: Place, name: string) =>
  platform === "darwin" ? `${home}/Library/Application Support/${name}` : `${config}/${name}`

const servers = { format: "json", below: ["mcpServers"], entry: plain } as const

/** The clients that are known. */
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
    user: (place) => `${application(place, "Claude")}/claude_desktop_config.json`,
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
    below: ["servers"],
    entry: typed,
    user: (place) => `${application(place, "Code")}/User/mcp.json`,
    project: ".vscode/mcp.json",
    afterwards: "run MCP: List Servers and start it"
  },
  {
    ...servers,
    name: "windsurf",
    title: "Windsurf",
    user: ({ home }) => `${home}/.codeium/windsurf/mcp_config.json`,
    afterwards: "refresh the servers in the settings of Cascade"
  },
  {
    name: "zed",
    title: "Zed",
    format: "json",
    below: ["context_servers"],
    entry: plain,
    // Zed follows the XDG folders on macOS, too.
    user: ({ config }) => `${config}/zed/settings.json`,
    project: ".zed/settings.json",
    afterwards: "look at the Agent Panel's settings; the dot beside the server is green"
  },
  {
    name: "codex",
    title: "Codex",
    format: "toml",
    below: ["mcp_servers"],
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
    below: ["mcpServers"],
    entry: ({ args, command }) => ({ type: "local", command, args, tools: ["*"] }),
    user: ({ home }) => `${home}/.copilot/mcp-config.json`,
    afterwards: "start a new session"
  },
  {
    name: "opencode",
    title: "opencode",
    format: "json",
    below: ["mcp"],
    entry: ({ args, command }) => ({ type: "local", command: [command, ...args], enabled: true }),
    user: ({ config }) => `${config}/opencode/opencode.json`,
    project: "opencode.json",
    afterwards: "start a new session"
  },
  {
    ...servers,
    name: "cline",
    title: "Cline",
    user: (place) =>
      `${application(place, "Code")}/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json`,
    afterwards: "look at the MCP servers of Cline"
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

/** The client of that name. */
export const find = (name: string): Client | undefined => all.find((client) => client.name === name)

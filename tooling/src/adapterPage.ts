/** Generates the page of debug adapters from their descriptions: what each debugs, which options of `start` it supports, and how it is found. */
import { type Adapter, Registry } from "@sigtrap/backends"
import { type Backend, LaunchJsonKeys } from "@sigtrap/manager"
import { Capability, Settings } from "@sigtrap/protocol"
import { Result } from "effect"
import { code, table } from "./markdownTable.ts"

type One = Adapter.Adapter

const adapters = Registry.builtIn

const codes = (texts: ReadonlyArray<string>) => texts.map(code).join(", ")

const head = (first: string) => [first, ...adapters.map(({ name }) => code(name))]

const mark = (supported: boolean) => (supported ? "yes" : "—")

/** The options of `start` that not every adapter supports, by the name in an adapter's description. */
const options: { readonly [option in Adapter.StartOption]: string } = {
  commands: "`--init-cmd`, `--pre-run-cmd`, `--stop-cmd`",
  terminal: "`--terminal pty`",
  aslr: "`--aslr`",
  followFork: "`--follow-fork`",
  sourceMap: "`--source-map`"
}

const optionNames = [
  "commands",
  "terminal",
  "aslr",
  "followFork",
  "sourceMap"
] as const satisfies ReadonlyArray<Adapter.StartOption>

const streams: { readonly [kind in One["streams"]]: string } = {
  setting: "stdout and stderr are captured separately",
  adapter: "stdout and stderr are captured separately",
  terminal: "stdout and stderr are captured separately",
  events: "the adapter reports the output; `input` is not supported"
}

const redirects = ({ streams: kind }: One) => kind === "setting" || kind === "terminal"

const startOptions = () =>
  table(head("option"), [
    ...optionNames.map((option) => [
      options[option],
      ...adapters.map(({ supports }) => mark(supports.includes(option)))
    ]),
    ["`--stdout`, `--stderr`, `--merge-stderr`", ...adapters.map((adapter) => mark(redirects(adapter)))],
    ["`--adapter-opt KEY=JSON`", ...adapters.map(() => "yes")]
  ])

/** A launch with the fields that must be given, for asking an adapter what it attaches to. */
const request: Backend.LaunchRequest = { program: "/app", args: [], cwd: "/", env: {}, stopOnEntry: false }

const targets: ReadonlyArray<readonly [string, Backend.AttachTarget]> = [
  ["`attach PID`", { kind: "process", pid: 1, started: "" }],
  ["`core FILE`", { kind: "core", file: "/core" }],
  ["`connect HOST:PORT`", { kind: "remote", host: "localhost", port: 1 }]
]

const attaches = (adapter: One, existing: Backend.AttachTarget): boolean => {
  const result = adapter.attach({ ...request, existing }, existing, adapter.quirks(0))
  return Result.isSuccess(result) || result.failure._tag !== "Unsupported"
}

const targetTable = () =>
  table(
    head("command"),
    targets.map(([command, target]) => [command, ...adapters.map((adapter) => mark(attaches(adapter, target)))])
  )

const keyTable = () => {
  const fields = [...new Set([...LaunchJsonKeys.keys.values()].map(({ sets }) => sets.join(" ")))]
  return table(
    ["key", "field of `start`"],
    fields.map((field) => [
      codes([...LaunchJsonKeys.keys].flatMap(([name, { sets }]) => (sets.join(" ") === field ? [name] : []))),
      codes(field.split(" "))
    ])
  )
}

const titles = new Map<string, string>(Capability.all.map(({ id, title }) => [id, title]))

const installation = ({ installation: found, name }: One): string => {
  if (found === undefined) return "sigtrap cannot install it."
  const packages = Object.entries(found.packages).map(([manager, own]) => {
    const isVersioned = found.versioned?.managers.includes(manager) === true
    return `${code(isVersioned ? `${own}-${found.versioned?.tested}` : own)} (${manager})`
  })
  const setup = packages.length > 0 || found.into !== undefined ? [`${code(`sigtrap setup ${name}`)} installs it.`] : []
  return [
    ...setup,
    ...(packages.length === 0 ? [] : [`Packages: ${packages.join(", ")}.`]),
    `By hand: ${found.instruction}.`
  ].join(" ")
}

const editorTypes = ({ editorTypes: types }: One): string =>
  types
    .map(({ adapter, only = {}, options: passed, types: names }) => {
      const keys = [
        ...passed.map(code),
        ...Object.entries(only).map(([key, values]) => `${code(key)} (if it is ${codes(values)})`)
      ]
      const chosen = adapter === undefined ? " The program decides which adapter is used." : ""
      const own = keys.length === 0 ? "" : ` Keys that are passed to the adapter: ${keys.join(", ")}.`
      return `${codes(names)}.${chosen}${own}`
    })
    .join(" Also ")

const part = (adapter: One) => {
  const { aliases, extensions, lacks = [], languages, name, recognizes } = adapter
  const suffixes = extensions.length === 0 ? "" : ` Source files: ${codes(extensions)}.`
  const contents = recognizes === undefined ? "" : " It is chosen by the contents of a program, too."
  const missing = lacks.map((id) => titles.get(id) ?? id)
  return [
    `## ${name}`,
    `Languages: ${languages.join(", ")}.${suffixes}${contents}`,
    [
      `- Name: ${codes([name, ...aliases])} after \`--adapter\`.`,
      `- File: named by ${code(Settings.adapterVariable(name))} or the key ${code(`adapters.${name}.path`)}; otherwise found on PATH or where its installation puts it. ${installation(adapter)}`,
      `- Streams: ${streams[adapter.streams]}.`,
      `- Types in \`launch.json\`: ${editorTypes(adapter)}`,
      ...(missing.length === 0 ? [] : [`- Not supported: ${missing.join(", ")}.`])
    ].join("\n")
  ].join("\n\n")
}

/** Returns the parts of the page. */
export const parts = (): ReadonlyArray<string> => [
  "# Debug adapters",
  "Without `--adapter` the program decides: a source file by its suffix, another file by its contents, native code by `defaults.adapter` (`lldb-dap`). [Choosing a backend](../backends.md) says more.",
  "## Options of start",
  "An option that an adapter does not support is refused with `UNSUPPORTED` before anything is started. `--adapter-opt` passes a key to the adapter's `launch` or `attach` request. The backend `lldb-cli` supports the options of `lldb-dap` except `--stop-cmd`, `--terminal` and `--adapter-opt`.",
  startOptions(),
  "## Targets",
  targetTable(),
  "## Keys of launch.json",
  "These keys are read for every type, unless the adapter has a key of that name. `envFile` names a file of variables, which `env` overrides. Keys about the editor's windows are ignored, and the answer names every other key that is not used.",
  keyTable(),
  ...adapters.map(part)
]

/**
 * JSON Schemas of the `--json` answers of the commands that call no operation. Operations define the schemas of theirs.
 */

const text = { type: "string" } as const
const texts = { type: "array", items: text } as const
const whole = { type: "integer" } as const
const truth = { type: "boolean" } as const

/** Makes the schema of an object with these fields; others are allowed. */
const object = (properties: { readonly [name: string]: object }, required: ReadonlyArray<string> = []) => ({
  type: "object",
  properties,
  required
})

const list = (items: object) => ({ type: "array", items })

const mode = { enum: ["ok", "missing", "forbidden", "untested"] } as const

const adapters = object(
  {
    adapters: list(
      object(
        {
          name: text,
          languages: texts,
          path: text,
          version: text,
          modes: object({ launch: mode, attach: mode, core: mode, remote: mode }, [
            "launch",
            "attach",
            "core",
            "remote"
          ]),
          untested: object({ launch: text, attach: text, core: text, remote: text }),
          problem: text,
          remedy: text
        },
        ["name"]
      )
    )
  },
  ["adapters"]
)

const values = { oneOf: [text, texts] } as const

const number = { type: "number" } as const

const grant = object(
  {
    id: text,
    kind: text,
    name: text,
    tiers: texts,
    session: text,
    created: number,
    expires: number,
    last_used: number,
    file: text
  },
  ["id", "tiers", "created", "expires"]
)

/** The schema of the data of each builtin command; a missing one is any object. */
export const data: { readonly [command: string]: object } = {
  help: object({ text }, ["text"]),
  completion: object({ shell: text, script: text }, ["shell", "script"]),
  version: object({ version: text, protocol: text }, ["version", "protocol"]),
  commands: object({ commands: list(object({ name: text, summary: text }, ["name", "summary"])) }, ["commands"]),
  adapters,
  doctor: object(
    { ...adapters.properties, system: list(object({ what: text, value: text, remedy: text }, ["what", "value"])) },
    ["adapters"]
  ),
  setup: adapters,
  config: object({
    path: text,
    file: text,
    exists: truth,
    trusted: truth,
    key: text,
    value: values,
    origin: { enum: ["default", "user", "project", "env", "flag"] },
    items: list(object({ key: text, value: values, origin: text }, ["key", "value", "origin"])),
    project: object({ file: text, trusted: truth }, ["file", "trusted"]),
    problems: texts
  }),
  log: object({
    log: text,
    lines: texts,
    audit: text,
    records: list({ type: "object" }),
    first: text,
    intact: truth,
    broken_at: object({ file: text, line: whole, problem: text }),
    lost: whole,
    unfinished_bytes: whole,
    running: truth,
    calls: list(object({ operation: text, work_ms: number, waited_ms: number, result: text }, ["operation", "work_ms"]))
  }),
  grant: object({
    grant,
    token: text,
    grants: list(grant),
    revoked: texts,
    connections: whole
  }),
  skill: object({ text, file: text }),
  web: object({ url: text, opened: truth, tiers: texts, session: text, expires: number }, [
    "url",
    "opened",
    "tiers",
    "expires"
  ]),
  test: object({
    passed: whole,
    failed: whole,
    skipped: whole,
    results: list(
      object(
        {
          file: text,
          name: text,
          result: { enum: ["passed", "failed", "skipped"] },
          ms: whole,
          steps: whole,
          step: text,
          message: text
        },
        ["file", "name", "result", "ms"]
      )
    ),
    files: list(object({ file: text, problems: texts, name: text }, ["file", "problems"])),
    file: text,
    steps: whole
  }),
  daemon: object({
    running: truth,
    stopped: truth,
    pid: whole,
    version: text,
    protocol: text,
    socket: text,
    started_at: { type: "number" },
    sessions: whole,
    clients: whole,
    memory_bytes: whole,
    prestarted: object({ adapter: text, pid: whole, memory_bytes: whole }, ["adapter", "pid"]),
    log: text,
    lines: texts
  })
}

/**
 * JSON Schemas of the payload and answer of each command, and the list of commands.
 */
import { Envelope, Payload } from "@sigtrap/protocol"
import { Predicate, Schema } from "effect"
import * as Aliases from "@sigtrap/protocol/grammar/Aliases"
import * as Commands from "@sigtrap/protocol/grammar/Commands"
import * as ClientCommandSchemas from "./ClientCommandSchemas.ts"

interface Shared {
  readonly definitions: object
  readonly parts: { readonly [part in "failure" | "truncated" | "warnings"]: object }
}

let known: Shared | undefined

/** Returns the schemas of warnings, truncations and errors, the same for every command. They are computed at the first use. */
const shared = (): Shared => {
  if (known !== undefined) return known
  const { definitions, schema } = Schema.toJsonSchemaDocument(Envelope.Shared)
  return (known = { definitions, parts: Object(schema["properties"]) })
}

/** Returns the JSON Schema of a builtin command's answer with this data. */
const own = (data: object) => ({
  type: "object",
  properties: {
    ok: { const: true },
    cmd: { type: "string" },
    session: { type: "string" },
    state: { type: "string" },
    stop: { type: "integer" },
    data,
    warnings: shared().parts.warnings,
    truncated: shared().parts.truncated
  },
  required: ["ok", "cmd", "data", "warnings", "truncated"]
})

const answer = (command: Commands.Command) => {
  const {
    definitions: others,
    parts: { failure, truncated, warnings }
  } = shared()
  const { schema, definitions } = Schema.toJsonSchemaDocument(command.operation.successSchema)
  const properties = Predicate.isReadonlyObject(schema["properties"]) ? schema["properties"] : {}
  const required = Array.isArray(schema["required"]) ? schema["required"] : []
  const success = {
    type: "object",
    properties: { ok: { const: true }, cmd: { const: command.name }, ...properties, warnings, truncated },
    required: ["ok", "cmd", ...required]
  }
  return { oneOf: [success, failure], $defs: { ...definitions, ...others } }
}

const payload = (command: Commands.Command) => {
  const { properties, ...published } = Payload.published(command.operation)
  const shown = Object.entries(properties).filter(([field]) => !Payload.callerFields.includes(field))
  return { ...published, properties: Object.fromEntries(shown) }
}

/** Returns the JSON Schemas of a command's payload and of its `--json` output. */
export const schema = (command: Commands.Command) => ({ payload: payload(command), envelope: answer(command) })

/** Returns the JSON Schema of a builtin command's `--json` output. */
export const builtinSchema = (name: string) => ({
  envelope: {
    oneOf: [own(ClientCommandSchemas.data[name] ?? { type: "object" }), shared().parts.failure],
    $defs: shared().definitions
  }
})

/** Returns the JSON Schema of every `--json` output, including each line of a stream, and the names of the commands. */
export const schemas = () => ({
  envelope: { oneOf: [own({ type: "object" }), shared().parts.failure], $defs: shared().definitions },
  commands: Commands.names
})

/** Returns every command that calls an operation, with its options and examples. */
export const commands = () =>
  Commands.all.map(({ name, operation, meta, options }) => ({
    name,
    summary: meta.summary,
    description: meta.description,
    tier: meta.tier,
    resumes: meta.resumes,
    aliases: Aliases.of(name),
    positional: meta.positional,
    ...(meta.rest === undefined ? {} : { rest: meta.rest }),
    options: options.map(({ field, flag, kind, many, values, description, required, fallback }) => ({
      field,
      flag: `--${flag}`,
      type: kind,
      many,
      ...(values.length === 0 ? {} : { values }),
      required,
      ...(fallback === undefined ? {} : { default: fallback }),
      description
    })),
    examples: meta.examples.map(({ title, input }) => ({
      title,
      line: Commands.line(Commands.argvOf(operation, input))
    }))
  }))

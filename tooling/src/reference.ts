/**
 * Generates the reference pages from the operations and errors, and fills the examples into their guide: `npm run reference` writes
 * them, and a test compares the files with the result.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Predicate, Schema } from "effect"
import * as Commands from "@sigtrap/protocol/grammar/Commands"
import * as Options from "@sigtrap/protocol/grammar/Options"
import * as HintText from "sigtrap/render/HintText"
import * as Spellings from "@sigtrap/protocol/grammar/Spellings"
import * as Tool from "@sigtrap/mcp/tools/Tool"
import * as Internals from "../internals/Pages.ts"
import * as AdapterPage from "./adapterPage.ts"
import * as DecisionList from "./decisionList.ts"
import * as ErrorMeanings from "./errorMeanings.ts"
import * as ExampleBlocks from "./exampleBlocks.ts"
import { code, table } from "./markdownTable.ts"
import { ClientHttp, type Effects, Envelope, Errors, Hint, Operation, Operations, Payload } from "@sigtrap/protocol"

const note = "<!-- Generated from packages/protocol and packages/backends by tooling/src/reference.ts. Do not edit. -->"

const page = (...parts: ReadonlyArray<string>) => `${[note, ...parts].join("\n\n")}\n`

type Keywords = { readonly [keyword: string]: unknown }

/** Returns the type of a field as text: `string`, `integer 1-50`, `list of integer`, `one of none, line`. */
const typeOf = (schema: Keywords): string => {
  const { type, minimum, maximum, items, enum: choices } = schema
  // A reference is to the encoded form of a model.
  if (typeof schema["$ref"] === "string") return schema["$ref"].replace(/^.*\//, "").replace(/Encoded$/, "")
  if (Array.isArray(choices)) return choices.length === 1 ? String(choices[0]) : `one of ${choices.join(", ")}`
  const alternatives: ReadonlyArray<unknown> = Array.isArray(schema["anyOf"]) ? schema["anyOf"] : []
  if (alternatives.length > 0) return alternatives.filter(Predicate.isReadonlyObject).map(typeOf).join(" or ")
  if (type === "array" && Predicate.isReadonlyObject(items)) return `list of ${typeOf(items)}`
  if (type === "object") return "map of string to string"
  const from = minimum === Number.MIN_SAFE_INTEGER ? undefined : minimum
  const to = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum
  return [type, ...(from === undefined ? [] : [to === undefined ? `from ${from}` : `${from}-${to}`])].join(" ")
}

const fields = (operation: Operation.Any) => {
  const { properties, required } = Payload.published(operation)
  const { effects, positional, rest } = Operation.meta(operation)
  const rows = Object.entries(properties).map(([name, schema]) => [
    code(name),
    typeOf(schema),
    required.includes(name) ? "required" : "default" in schema ? code(JSON.stringify(schema["default"])) : "",
    Payload.callerFields.includes(name)
      ? "filled in"
      : positional.includes(name)
        ? "argument"
        : rest === name
          ? "after `--`"
          : code(`--${schema["default"] === true ? "no-" : ""}${Options.flagOf(name)}`),
    effects[name] === "observe" ? "" : (effects[name] ?? ""),
    String(schema["description"])
  ])
  return rows.length === 0
    ? "It has no fields."
    : table(["field", "type", "default", "command line", "effect", "meaning"], rows)
}

const example = (operation: Operation.Any, { title, input }: Operation.Example) =>
  [
    `${title}:`,
    "",
    "```text",
    `command  ${Commands.line(Commands.argvOf(operation, input))}`,
    `tool     ${Tool.nameOf(operation)} ${JSON.stringify(input)}`,
    `http     POST ${ClientHttp.path(operation)} ${JSON.stringify(input)}`,
    "```"
  ].join("\n")

const operationPart = (operation: Operation.Any) => {
  const { summary, description, effect, tier, errors, examples } = Operation.meta(operation)
  const codes = [...new Set(errors.map((error) => Errors.meta({ _tag: Errors.tagOf(error) }).code))]
  return [
    `## ${Envelope.command(operation)}`,
    `${summary}. Effect: ${effect}. Tier: ${tier}.`,
    description,
    fields(operation),
    ...examples.map((each) => example(operation, each)),
    `Errors: ${codes.map((each) => `[${each}](errors.md#${each.toLowerCase()})`).join(", ")}`
  ].join("\n\n")
}

const tiers: { readonly [tier in Effects.Tier]: string } = {
  observe: "only reads",
  control: "runs and stops the program",
  evaluate: "runs expressions in the program",
  write: "changes the program",
  admin: "starts programs and speaks to the debugger itself",
  owner: "administers the daemon; only through the owner's socket"
}

const operationsPage = () =>
  page(
    "# Operations",
    "Every operation is a command of `sigtrap`, a tool of `sigtrap mcp` and a path of `sigtrap serve`. Fields that are filled in come from the directory and environment of the caller.",
    table(["tier", "an operation of it"], Object.entries(tiers)),
    table(
      ["operation", "summary", "tier"],
      Operations.all.map((operation) => {
        const words = Envelope.command(operation)
        const { summary, tier } = Operation.meta(operation)
        return [`[${words}](#${words.replaceAll(" ", "-")})`, summary, tier]
      })
    ),
    ...Operations.all.map(operationPart)
  )

/** Numbers in the fields of samples; 3 in the other fields. A list of what exists must not have the number that was asked for. */
const numbers: { readonly [name: string]: number } = {
  known: 1,
  oldest: 1,
  newest: 2,
  at_stop: 2,
  bytes: 2000,
  limit: 1000
}

/** Returns a placeholder for the value of a field. A reference is resolved among `definitions`. */
const sample = (name: string, schema: Keywords, definitions: Keywords): unknown => {
  const referred = definitions[String(schema["$ref"]).replace(/^.*\//, "")]
  if (Predicate.isReadonlyObject(referred)) return sample(name, referred, definitions)
  const last: unknown = Array.isArray(schema["anyOf"]) ? schema["anyOf"].at(-1) : undefined
  if (Predicate.isReadonlyObject(last)) return sample(name, last, definitions)
  if (schema["type"] === "array") {
    return [
      Predicate.isReadonlyObject(schema["items"]) ? sample(name, schema["items"], definitions) : name.toUpperCase()
    ]
  }
  const { properties } = schema
  if (schema["type"] === "object" && Predicate.isReadonlyObject(properties)) {
    const parts = Object.entries(properties).flatMap(([part, inner]) =>
      Predicate.isReadonlyObject(inner) ? [[part, sample(part, inner, definitions)] as const] : []
    )
    return Object.fromEntries(parts)
  }
  const { enum: choices } = schema
  if (Array.isArray(choices)) return choices.at(-1)
  if (schema["type"] === "number") return 0
  if (schema["type"] !== "integer") return name.toUpperCase()
  return name.endsWith("_ms") ? 30_000 : (numbers[name] ?? 3)
}

const decodeError = Schema.decodeUnknownSync(Errors.SigtrapError)

const meanings = ErrorMeanings.read()

const errorPart = (error: (typeof Errors.all)[number]) => {
  const _tag = error.identifier
  const { code: each, exit, httpApiStatus } = Errors.meta({ _tag })
  const { definitions } = Schema.toJsonSchemaDocument(error)
  const encoded: Keywords = definitions[`${_tag}Encoded`] ?? {}
  const { properties, required } = encoded
  const own = Object.entries(Predicate.isReadonlyObject(properties) ? properties : {}).flatMap(([name, schema]) =>
    ["_tag", "session", "state", "remedies"].includes(name) || !Predicate.isReadonlyObject(schema)
      ? []
      : [[name, schema] as const]
  )
  const always = own.filter(([name]) => Array.isArray(required) && required.includes(name))
  const given = Array.isArray(required) && required.includes("remedies")
  const { hints, message } = decodeError({
    _tag,
    ...(given ? { remedies: [Hint.remedy("HINT")] } : {}),
    ...Object.fromEntries(always.map(([name, schema]) => [name, sample(name, schema, definitions)]))
  })
  const [first] = hints
  const hint = first === undefined ? "" : HintText.write(first)
  const details = own.map(([name, schema]) => {
    const optional = always.some(([each]) => each === name) ? "" : ", may be absent"
    return `${code(name)} (${typeOf(schema)}${optional})`
  })
  return [
    meanings.get(_tag) ?? "",
    `Exit code ${exit}, status ${httpApiStatus}.`,
    ["```text", `error: ${message} [${each}]`, `hint: ${hint}`, "```"].join("\n"),
    details.length === 0 ? "It has no details." : `Details: ${details.join(", ")}.`
  ].join("\n\n")
}

const errorsPage = () => {
  const codes = [...new Set(Errors.all.map((error) => Errors.meta({ _tag: error.identifier }).code))]
  return page(
    "# Errors",
    "Each error has a code, and codes never change their meaning. The command line prints the two lines that are shown here and exits with the exit code; an HTTP answer has the status and the details. Words in capitals are placeholders. Most hints are commands that run as they are; words in parentheses before a command say what it is for. Every error of a session also has `session` and `state`.",
    ...codes.map((each) =>
      [
        `## ${each}`,
        ...Errors.all.filter((error) => Errors.meta({ _tag: error.identifier }).code === each).map(errorPart)
      ].join("\n\n")
    )
  )
}

/** Returns the pages, the guide with the examples, and the spellings for the thin client, by path in the repository. */
export const pages = (): { readonly [path: string]: string } => ({
  "docs/reference/operations.md": operationsPage(),
  "docs/reference/errors.md": errorsPage(),
  "docs/reference/adapters.md": page(...AdapterPage.parts()),
  "docs/README.md": DecisionList.filled(),
  "docs/guide/library.md": ExampleBlocks.filled("docs/guide/library.md"),
  "docs/guide/http.md": ExampleBlocks.filled("docs/guide/http.md"),
  ...Internals.pages(),
  "packages/protocol/src/grammar/Spellings.generated.ts": Spellings.source()
})

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = new URL("../../", import.meta.url)
  for (const folder of ["reference", "internals"]) mkdirSync(new URL(`docs/${folder}/`, root), { recursive: true })
  for (const [path, text] of Object.entries(pages())) writeFileSync(new URL(path, root), text)
}

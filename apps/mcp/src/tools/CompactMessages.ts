/**
 * Shortens and completes outgoing messages. Tool annotations with their default value (MCP `ToolAnnotations`) are removed; the library
 * writes all of them, a quarter of a tool list.
 *
 * The library decodes and encodes input schemas each time the list is read, which takes most of the time of a first list.
 * So tools are registered with placeholders, and the schemas are inserted into the JSON of the message.
 *
 * The patterns match JSON text. Quotes inside JSON strings are escaped, so text of a program never matches.
 */
import { McpSchema } from "effect/ai"

const annotations =
  /,"annotations":\{"readOnlyHint":(true|false),"destructiveHint":(true|false),"idempotentHint":(true|false),"openWorldHint":(true|false)\}/g

const schemas: Array<string> = []
const placeholders = /\{"type":"object","properties":\{"sigtrap:(\d+)":\{\}\}\}/g

/**
 * Returns a placeholder, which `shorten` replaces by the schema. Revisions before 2025-06-18 send only the keys `type`,
 * `properties` and `required` of a schema.
 */
export const placeholder = (schema: object) => ({
  type: "object" as const,
  properties: { [`sigtrap:${schemas.push(JSON.stringify(schema)) - 1}`]: {} }
})

/** The choices of the fields of forms, by the JSON that the library sends for a field in revision 2025-06-18. */
const choices = new Map<string, string>()

/**
 * Returns a field of a form in which one of these words is chosen. In revision 2025-06-18 the library decodes it as a text and sends
 * only its type and title, so `shorten` adds the words. The title must tell the field apart from others.
 */
export const choice = (title: string, words: ReadonlyArray<string>) => {
  const sent = JSON.stringify({ type: "string", title })
  choices.set(sent, `${sent.slice(0, -1)},"enum":${JSON.stringify(words)}}`)
  return new McpSchema.UntitledSingleSelectEnum({ type: "string", title, enum: words })
}

const withChoices = (message: string): string =>
  message.includes(`"elicitation/create"`)
    ? [...choices].reduce((text, [sent, whole]) => text.replaceAll(sent, whole), message)
    : message

/** Replaces placeholders and removes annotations with default values. The other hints of a read-only tool have no meaning. */
export const shorten = (message: string): string => {
  const complete = withChoices(message)
  const withSchemas = complete.includes(`"properties":{"sigtrap:`)
    ? complete.replaceAll(placeholders, (found, index: string) => schemas[Number(index)] ?? found)
    : complete
  return withSchemas.includes(`"annotations":{"readOnlyHint"`)
    ? withSchemas.replaceAll(
        annotations,
        (_, readOnly: string, destructive: string, idempotent: string, openWorld: string) => {
          const hints = [
            ...(readOnly === "true" ? [`"readOnlyHint":true`] : []),
            ...(readOnly === "false" && destructive === "false" ? [`"destructiveHint":false`] : []),
            ...(readOnly === "false" && idempotent === "true" ? [`"idempotentHint":true`] : []),
            ...(openWorld === "false" ? [`"openWorldHint":false`] : [])
          ]
          return hints.length === 0 ? "" : `,"annotations":{${hints.join(",")}}`
        }
      )
    : withSchemas
}

/**
 * What leaves the server, as small as the protocol allows: of a tool's annotations only those are sent that differ from
 * what the protocol has clients assume. The library writes all of them, which would be a quarter of a tool list.
 *
 * The schemas of inputs stay outside of the library, which would take them apart and put them together again whenever the
 * list is read: most of the time that a first list takes. It has stand-ins, which become the schemas when they are written.
 *
 * All of this works on the written JSON. Inside of a JSON string every quote has a backslash before it, so what is looked
 * for can only be a part of a tool and never text of a program.
 */

const written =
  /,"annotations":\{"readOnlyHint":(true|false),"destructiveHint":(true|false),"idempotentHint":(true|false),"openWorldHint":(true|false)\}/g

const schemas: Array<string> = []
const standIns = /\{"type":"object","\$ref":"sigtrap:(\d+)"\}/g

/** What stands for a schema until `shorten` writes it. */
export const standIn = (schema: object) => ({
  type: "object" as const,
  $ref: `sigtrap:${schemas.push(JSON.stringify(schema)) - 1}`
})

/**
 * A message with schemas in place of their stand-ins, and without the annotations that say what is assumed anyway. A
 * read-only tool's other hints mean nothing.
 */
export const shorten = (message: string): string => {
  const whole = message.includes(`"$ref":"sigtrap:`)
    ? message.replaceAll(standIns, (found, index: string) => schemas[Number(index)] ?? found)
    : message
  return whole.includes(`"annotations":{"readOnlyHint"`)
    ? whole.replaceAll(written, (_, reads: string, destroys: string, idempotent: string, open: string) => {
        const said = [
          ...(reads === "true" ? [`"readOnlyHint":true`] : []),
          ...(reads === "false" && destroys === "false" ? [`"destructiveHint":false`] : []),
          ...(reads === "false" && idempotent === "true" ? [`"idempotentHint":true`] : []),
          ...(open === "false" ? [`"openWorldHint":false`] : [])
        ]
        return said.length === 0 ? "" : `,"annotations":{${said.join(",")}}`
      })
    : whole
}

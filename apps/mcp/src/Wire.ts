/**
 * What leaves the server, as small as the protocol allows: of a tool's annotations only those are sent that differ from
 * what the protocol has clients assume. The library writes all of them, which would be a quarter of a tool list.
 *
 * It works on the written JSON. Inside of a JSON string every quote has a backslash before it, so what is looked for can
 * only be the annotations of a tool and never text of a program.
 */

const written =
  /,"annotations":\{"readOnlyHint":(true|false),"destructiveHint":(true|false),"idempotentHint":(true|false),"openWorldHint":(true|false)\}/g

/** A message without the annotations that say what is assumed anyway. A read-only tool's other hints mean nothing. */
export const shorten = (message: string): string =>
  message.includes(`"annotations":{"readOnlyHint"`)
    ? message.replaceAll(written, (_, reads: string, destroys: string, idempotent: string, open: string) => {
        const said = [
          ...(reads === "true" ? [`"readOnlyHint":true`] : []),
          ...(reads === "false" && destroys === "false" ? [`"destructiveHint":false`] : []),
          ...(reads === "false" && idempotent === "true" ? [`"idempotentHint":true`] : []),
          ...(open === "false" ? [`"openWorldHint":false`] : [])
        ]
        return said.length === 0 ? "" : `,"annotations":{${said.join(",")}}`
      })
    : message

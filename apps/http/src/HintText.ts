/**
 * Writes hints as requests to this server: `POST /v1/pause {"session":"one"}`.
 */
import { ClientHttp, Hint, Operations, ShellWords } from "@sigtrap/protocol"

/** The request that returns the OpenAPI document. */
const document = "GET /openapi.json"

/** Writes a call as a request, a local command as a command line for the user, and help as the request of the document. */
export const write = (hint: Hint.Hint): string => {
  if (Hint.isCall(hint)) {
    const operation = Operations.find(hint.operation)
    return operation === undefined ? document : `POST ${ClientHttp.path(operation)} ${JSON.stringify(hint.input)}`
  }
  if (!Hint.isLocal(hint)) return hint.note
  return Operations.find(Hint.helpTag(hint) ?? "") === undefined
    ? `a person can run: ${ShellWords.join(["sigtrap", ...Hint.argv(hint)])}`
    : document
}

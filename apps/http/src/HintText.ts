/**
 * Hints as requests to this server: `POST /v1/pause {"session":"one"}`.
 */
import { Hint, Operations, ShellWords } from "@sigtrap/protocol"
import * as OpenApi from "./OpenApi.ts"

/** Where the document of this server is read. */
const document = "GET /openapi.json"

/** A hint as a request; a local command as words for a person, help as the document of this server. */
export const write = (hint: Hint.Hint): string => {
  if (Hint.isCall(hint)) {
    const operation = Operations.find(hint.operation)
    return operation === undefined ? document : `POST ${OpenApi.path(operation)} ${JSON.stringify(hint.input)}`
  }
  if (!Hint.isLocal(hint)) return hint.note
  return Operations.find(Hint.explained(hint) ?? "") === undefined
    ? `a person can run: ${ShellWords.join(["sigtrap", ...Hint.argv(hint)])}`
    : document
}

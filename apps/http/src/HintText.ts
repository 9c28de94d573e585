/**
 * Writes hints as requests to this server: `POST /v1/pause {"session":"one"}`.
 */
import { ClientHttp, Hint, Operations, Payload, ShellWords } from "@sigtrap/protocol"
import { Predicate } from "effect"

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

/** Writes the hints of a request. Its directory is part of a call that takes one: relative paths need it. */
export const ofRequest =
  (input: unknown) =>
  (hint: Hint.Hint): string => {
    const operation = Hint.isCall(hint) ? Operations.find(hint.operation) : undefined
    if (!Hint.isCall(hint) || operation === undefined || !Predicate.isReadonlyObject(input)) return write(hint)
    const { directory } = input
    return typeof directory === "string" && Object.hasOwn(Payload.published(operation).properties, "directory")
      ? write({ ...hint, input: { ...hint.input, directory } })
      : write(hint)
  }

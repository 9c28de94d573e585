/**
 * The requests that the access rules of a loopback port accept and refuse. The rules themselves are checked against this
 * table, and every surface that listens on a port is.
 */
import type * as Access from "../http/Access.ts"

/** Headers by name; a repeated header has several values, an absent one is undefined. */
export type Headers = { readonly [name: string]: string | ReadonlyArray<string> | undefined }

/** A request of the table. Its headers replace those of `good`. */
export interface Row {
  readonly name: string
  readonly headers: Headers
  /** The request target, if it is not the path of an operation. */
  readonly target?: string
  /**
   * How a real server sees the row, if not as it is written: "trimmed" if the HTTP parser removes what is wrong, "parser"
   * if the parser refuses the request with status 400, "body" if the row needs a body of its size.
   */
  readonly wire?: "trimmed" | "parser" | "body"
}

/** A refused request of the table. */
export interface RefusedRow extends Row {
  readonly rule: Access.Rule
}

/** Returns the headers of an accepted request with the body `{}`. */
export const good = ({ authority, token }: { readonly authority: string; readonly token: string }): Headers => ({
  host: authority,
  authorization: `Bearer ${token}`,
  "content-type": "application/json",
  "content-length": "2"
})

/** Returns the accepted requests for a server. */
export const accepted = ({
  authority,
  token
}: {
  readonly authority: string
  readonly token: string
}): ReadonlyArray<Row> => [
  { name: "with a token and nothing of a browser", headers: {} },
  { name: "of our own page", headers: { origin: `http://${authority}`, "sec-fetch-site": "same-origin" } },
  { name: "that a user made by hand", headers: { "sec-fetch-site": "none" } },
  { name: "with the scheme of its token in lower case", headers: { authorization: `bearer ${token}` } },
  { name: "with a charset", headers: { "content-type": "application/json; charset=utf-8" } },
  { name: "without a length", headers: { "content-length": undefined }, wire: "body" },
  { name: "of the largest size", headers: { "content-length": "1048576" }, wire: "body" }
]

const portOf = (authority: string) => Number(authority.split(":").at(-1))

/** Returns the refused requests for a server, each with the rule that refuses it. */
export const refused = ({
  authority,
  token
}: {
  readonly authority: string
  readonly token: string
}): ReadonlyArray<RefusedRow> => {
  const port = portOf(authority)
  const own = `http://${authority}`
  const row = (rule: Access.Rule, name: string, headers: Headers, more: Partial<Row> = {}): RefusedRow => ({
    rule,
    name,
    headers,
    ...more
  })
  return [
    row("size", "one byte too long", { "content-length": "1048577" }),
    row("size", "with a length that is not a number", { "content-length": "-1" }, { wire: "parser" }),
    row("size", "with a length in hexadecimal", { "content-length": "0x10" }, { wire: "parser" }),
    row("host", "without a host", { host: undefined }),
    row("host", "with a rebound name", { host: `evil.example:${port}` }),
    row("host", "to localhost", { host: `localhost:${port}` }),
    row("host", "to every address", { host: `0.0.0.0:${port}` }),
    row("host", "with a trailing dot", { host: `127.0.0.1.:${port}` }),
    row("host", "without the port", { host: "127.0.0.1" }),
    row("host", "with another port", { host: `127.0.0.1:${port + 1}` }),
    row("host", "with blanks around", { host: ` ${authority}` }, { wire: "trimmed" }),
    row("host", "with two hosts, the first one ours", { host: [authority, "evil.example"] }),
    row("host", "with a whole address as its target", {}, { target: "http://evil.example/v1/status" }),
    row("origin", "of another site", { origin: "https://evil.example" }),
    row("origin", "of a page without an origin", { origin: "null" }),
    row("origin", "of another local port", { origin: `http://127.0.0.1:${port + 1}` }),
    row("origin", "of our port over https", { origin: `https://${authority}` }),
    row("origin", "with two origins", { origin: [own, own] }),
    row("origin", "with an empty origin", { origin: "" }),
    row("fetch-site", "across sites", { "sec-fetch-site": "cross-site" }),
    row("fetch-site", "of a local neighbour", { "sec-fetch-site": "same-site" }),
    row("fetch-site", "of an unknown kind", { "sec-fetch-site": "new-kind" }),
    row("token", "without a token", { authorization: undefined }),
    row("token", "with an empty token", { authorization: "Bearer " }),
    row("token", "with another token", { authorization: `Bearer ${"f".repeat(64)}` }),
    row("token", "with the beginning of the token", { authorization: `Bearer ${token.slice(0, 63)}` }),
    row("token", "with more than the token", { authorization: `Bearer ${token}0` }),
    row("token", "with the token in upper case", { authorization: `Bearer ${token.toUpperCase()}` }),
    row("token", "with the token as a password", { authorization: `Basic ${token}` }),
    row("token", "with two tokens in one header", { authorization: `Bearer x, Bearer ${token}` }),
    row("token", "with the token in a cookie", { authorization: undefined, cookie: `token=${token}` }),
    row("token", "with the token in its target", { authorization: undefined }, { target: `/v1/status?token=${token}` }),
    row("token", "with two tokens", { authorization: [`Bearer ${token}`, `Bearer ${token}`] }),
    row("media-type", "without a media type", { "content-type": undefined }),
    row("media-type", "as a form", { "content-type": "application/x-www-form-urlencoded" }),
    row("media-type", "as plain text", { "content-type": "text/plain" }),
    row("media-type", "as plain text that mentions JSON", { "content-type": "text/plain; application/json" }),
    row("media-type", "in parts", { "content-type": "multipart/form-data; boundary=x" }),
    row("media-type", "compressed", { "content-encoding": "gzip" })
  ]
}

/**
 * Why rows miss their targets, by the name of the row. A row that reaches its target again is not listed, whatever is written here.
 */
export const reasons: Readonly<Record<string, string>> = {
  "MCP: status":
    "The message passes the layers of the MCP library, the socket and the daemon. It is decoded once in each process; the text is rendered in the server.",
  "HTTP: status":
    "The socket's answer costs more than when the target was set: it says who watches and drives the session."
}

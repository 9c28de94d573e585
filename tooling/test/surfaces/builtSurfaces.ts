/** The clients of a daemon from the built `sigtrap`, with a real program: command lines, an agent over MCP, and HTTP. */
import { SimulatedProgram } from "@sigtrap/manager/testing"
import { Operations } from "@sigtrap/protocol"
import * as Commands from "@sigtrap/protocol/grammar/Commands"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { builtSigtrap } from "../support/builtSigtrap.ts"
import * as McpServers from "./mcpServers.ts"
import { observing, record, type Surfaces } from "./realSurfaces.ts"

/** The sample program with a longer loop. Its output is written at once. */
const text = SimulatedProgram.sampleText
  .replace("i <= 3", "i <= 180")
  .replace('printf("total=%d\\n", total);', 'printf("total=%d\\n", total); fflush(stdout);')
  .replace("return total;", "return total & 127;")

/** Starts the daemon and connects the clients. Returns them with the source file of the program. */
export const make = Effect.gen(function* () {
  const { environment, run, serve, temporary } = yield* builtSigtrap
  const source = `${temporary}/app.c`
  const program = `${temporary}/app`
  writeFileSync(source, `#include <stdio.h>\n#line 1\n${text}`)
  execFileSync("cc", ["-g", "-O0", source, "-o", program])
  const agent = yield* McpServers.stdio({
    directory: temporary,
    args: ["--structured", "--allow", "admin"],
    environment,
    name: "agent"
  })
  const { post, token, url } = yield* serve
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", "sigtrap-as": "observer" }
  const call: Surfaces["call"] = (name, session, { input, tag }) => {
    const whole = { session, ...input }
    switch (name) {
      case "mcp":
        return Effect.map(agent.call("operate", { operation: tag, input: whole }), ({ structure, text: answer }) =>
          structure["data"] === undefined && structure["error"] === undefined ? { text: answer } : structure
        )
      case "cli":
        return Effect.map(run(...Commands.argvOf(Operations.byTag(tag), whole)), (answer) =>
          record(JSON.parse(answer.text))
        )
      case "http":
        return Effect.map(
          post(`/v1/${tag.replaceAll(".", "/")}`, JSON.stringify(whole), { "sigtrap-as": "observer" }),
          ({ body }) => body
        )
    }
  }
  const surfaces: Surfaces = { call, observe: observing(url, headers, yield* Effect.scope), program }
  return { surfaces, source }
})

// Debugs a program over HTTP, with fetch and no package.
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"

const { data: server } = JSON.parse(execFileSync("sigtrap", ["serve", "--json"], { encoding: "utf8" }))
const token = readFileSync(server.token_file, "utf8").trim()

const post = (path: string, body: object) =>
  fetch(`${server.url}/v1/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ session: "http", ...body })
  })
const call = async (path: string, body: object = {}) => (await post(path, body)).json()

const started = await call("start", { program: "./app", directory: process.cwd(), break: ["sum_scores"] })
console.log(started.state, "in", started.data.location.function)
const printed = await call("print", { expressions: ["n"] })
console.log("n =", printed.data.values[0].value)
const missing = await post("print", { expressions: ["nothing"] })
const { error } = await missing.json()
console.log(missing.status, error.code, error.hint)
const end = await call("continue")
console.log(end.data.event, end.data.exit_code)
await call("stop", { names: ["http"] })

// Processes that outlive this one: their session, their directory, their environment, their output and their end.
import { assert, describe, it } from "@effect/vitest"
import { closeSync, mkdtempSync, openSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as DetachedProcess from "../../src/daemon/DetachedProcess.ts"

const isNode = process.versions["bun"] === undefined && process.versions["deno"] === undefined

/** Starts a shell with a script and returns how it ended, with its output. */
const shell = async (script: string) => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "sigtrap-detached-")))
  const log = join(directory, "log")
  const output = openSync(log, "a")
  try {
    const environment = { PATH: process.env["PATH"], MARK: "two words", ABSENT: undefined }
    const how = await new Promise<number | string>((resolve, reject) => {
      if (!DetachedProcess.start({ program: "/bin/sh", args: ["-c", script], directory, environment, output }, resolve))
        reject(new Error("not started"))
    })
    return { how, text: readFileSync(log, "utf8"), directory }
  } finally {
    closeSync(output)
    rmSync(directory, { recursive: true, force: true })
  }
}

describe.runIf(isNode)("a detached process", () => {
  it("has its directory and its environment, and writes both outputs to the descriptor", async () => {
    const { directory, how, text } = await shell('pwd; echo "$MARK ${ABSENT-none}"; echo error >&2; cat')
    assert.deepStrictEqual({ how, text }, { how: 0, text: `${directory}\ntwo words none\nerror\n` })
  })

  it("leads a session of its own", async () => {
    const { text } = await shell('read -r line < /proc/self/stat; echo $$; set -- $line; echo "$5 $6"')
    const [pid = "", group] = text.trim().split("\n")
    assert.isTrue(process.platform !== "linux" || group === `${pid} ${pid}`, text)
  })

  it("ends with its exit code or with the name of its signal", async () => {
    assert.strictEqual((await shell("exit 7")).how, 7)
    assert.strictEqual((await shell("kill -KILL $$")).how, "SIGKILL")
  })

  it("is not started if the program does not exist", () => {
    const started = DetachedProcess.start(
      { program: "/does/not/exist", args: [], directory: "/", environment: {}, output: 2 },
      () => assert.fail("nothing ended")
    )
    assert.isFalse(started)
  })
})

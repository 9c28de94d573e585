// Files are read in one place, `FileReader` of the host, which waits for no pipe and reads no device. The exceptions read what
// the system or sigtrap itself made.
import { assert, describe, it } from "@effect/vitest"
import { none, read, sources } from "./sources.ts"

/** Modules that read in another way, with the reason. */
const exceptions: { readonly [path: string]: string } = {
  "packages/host/src/files/FileReader.ts": "the reader",
  "packages/host/src/process/Processes.ts": "/proc",
  "packages/host/src/process/ProcessTable.ts": "/proc, whose files are made by the kernel",
  "packages/host/src/daemon/supervisor/RecordedPrograms.ts":
    "records, read by the supervisor's own thread with the same checks",
  "packages/host/src/process/ProcessDescription.ts": "/proc",
  "packages/backends/src/process/ListeningPorts.ts": "/proc/net",
  "packages/backends/src/runs/StackFingerprint.ts": "/proc",
  "packages/host/src/http/PeerUser.ts": "/proc/net",
  "apps/http/src/EmbeddedPage.ts": "files inside the compiled executable",
  "apps/cli/src/commands/ScenarioRunner.ts": "/proc",
  "apps/cli/src/commands/DoctorCommand.ts": "/proc/sys",
  "packages/host/src/process/PipeHolders.ts": "/proc",
  "packages/host/src/process/ProcStat.ts": "/proc",
  "packages/host/src/process/KernelThreads.ts": "/proc, without blocking the thread",
  "packages/host/src/process/FileHolders.ts": "/proc, without blocking the thread",
  "packages/host/src/process/SharedMemory.ts": "/proc, without blocking the thread",
  "packages/host/src/process/Sockets.ts": "/proc, without blocking the thread",
  "packages/host/src/process/KernelProbes.ts": "/proc and tracefs, without blocking the thread",
  "packages/host/src/process/PipeReader.ts": "the program's pipes, opened without blocking",
  "packages/host/src/audit/AuditFiles.ts": "the audit log that the daemon made, opened without blocking",
  "packages/host/src/runtime/AnswerFile.ts": "files of answers that the build wrote beside the program",
  "apps/mcp/src/start/Start.ts": "the standard input of the MCP server",
  "packages/host/src/daemon/start/Launcher.ts": "the end of the daemon's own log",
  "apps/cli/src/commands/LogCommand.ts": "the daemon's own log, in the client",
  "apps/cli/src/repl/History.ts": "the history that the prompt wrote, in the client",
  "apps/cli/src/thin/ThinClient.ts": "commands on the standard input of a person, in the client",
  "apps/cli/src/repl/Repl.ts": "a file of commands that a person names, in the client",
  "packages/manager/src/session/OutputFiles.ts": "the output files of a simulator app, which sigtrap made and follows",
  "packages/manager/src/model/FileWriter.ts": "opens a file to create it",
  "packages/manager/src/operations/simulator/Simulator.ts": "opens a file to create it",
  "packages/backends/src/adapters/NodeExceptions.ts":
    "code that the program loads, which reads the program's own files",
  "packages/manager/src/testing/DiskReader.ts": "a reader of files that are data, for tests"
}

/** Ways to read the content of a file, in Node and in Effect. */
const reads =
  /\b(?:readFileString|readFileSync|readSync|createReadStream|openAsBlob|readAlloc)\b|\b(?:fs|files|FileSystem|promises)\.(?:readFile|stream|open)\(|\bread(?:File)?\b[^;{}]*\} from "node:fs|\bBun\.file\(|\bDeno\.(?:read|open)/

const violations = (path: string, text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .flatMap((line, index) =>
      reads.test(line) && !/^\s*(?:\*|\/\/|\/\*)/.test(line)
        ? [`${path}:${index + 1} reads a file; use FileReader, or give a reason in this test`]
        : []
    )

const product = sources.filter((path) => /^(?:packages|apps)\/[^/]+\/src\//.test(path))

describe("the content of files", () => {
  it("is read by the reader, except where the reason is listed", () => {
    none(product.filter((path) => !(path in exceptions)).flatMap((path) => violations(path, read(path))))
  })

  it("is read in another way by every listed module", () => {
    none(Object.keys(exceptions).filter((path) => !product.includes(path) || violations(path, read(path)).length === 0))
  })

  it("is found in every way to read", () => {
    for (const line of [
      "const text = yield* fs.readFileString(file)",
      'readFileSync(file, "utf8")',
      "fs.readFile(file)",
      "yield* fs.open(path)",
      "createReadStream(file)",
      'import { read, write } from "node:fs"',
      "Bun.file(path)"
    ]) {
      assert.lengthOf(violations("a.ts", line), 1, line)
    }
    for (const line of ["reader.text(file, purposes.named)", " * readFileSync is not used", "sockets.open(path)"]) {
      assert.lengthOf(violations("a.ts", line), 0, line)
    }
  })
})

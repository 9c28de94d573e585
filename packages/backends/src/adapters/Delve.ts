/**
 * Delve, the debugger for Go, which is its own debug adapter: `dlv dap`.
 *
 * Delve listens on a loopback port, announces it in the first line of its log, and accepts connections of the same user only.
 * Programs inherit its standard streams, so Delve is started on named pipes, and its log is another one. It builds a source file or
 * package before the launch, into a directory that is removed with the connection.
 */
import { Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import type { Adapter } from "./Adapter.ts"
import * as Attach from "./Attach.ts"
import * as DelveTasks from "./DelveTasks.ts"
import * as DelveValues from "./DelveValues.ts"
import * as Discovery from "./Discovery.ts"
import type { Failures } from "../console/Failures.ts"
import type { Quirks } from "./Quirks.ts"
import { attachSteps, launchSteps, type Trials } from "./Trials.ts"

/** Variables of the user's environment that Delve and its Go compiler inherit. */
const inheritedVariables = /^(?:PATH|HOME|LANG|LC_[A-Z]+|TMPDIR|XDG_CACHE_HOME|CC|CXX|CGO_[A-Z]+|GO[A-Z0-9]+)$/

const kind: Discovery.Kind = {
  name: "delve",
  aliases: ["dlv", "go"],
  variable: "SIGTRAP_DELVE",
  names: ["dlv"],
  remedy: Hint.remedy("go install github.com/go-delve/delve/cmd/dlv@latest"),
  examine: (file, search) =>
    Discovery.askVersion(file, ["version"], { HOME: search.env["HOME"] ?? "/", PATH: search.env["PATH"] ?? "" }).pipe(
      Effect.map((text) => /^Version: (\d+(?:\.\d+)*)/m.exec(text ?? "")?.[1]),
      Effect.map((version) => (version === undefined ? { problem: "it does not print its version" } : { version }))
    )
}

/** What to build for a source file: its package if it belongs to a module, otherwise the file alone. */
const buildable = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  for (let directory = path.dirname(file); ; directory = path.dirname(directory)) {
    const module = yield* fs.exists(path.join(directory, "go.mod")).pipe(Effect.orElseSucceed(() => false))
    if (module) return path.dirname(file)
    if (directory === path.dirname(directory)) return file
  }
})

/** The section of Go binaries with the version of Go; it remains when symbols are stripped. */
const sections = { elf: ".go.buildinfo", macho: "__go_buildinfo" }

/** The error messages by what they mean. */
const failures: Failures = {
  "unknown-name": /could not find symbol value(?: for (?<name>\w+))?/,
  forbidden: /not permitted|EPERM|ptrace_scope|permission denied/i,
  unreachable: /connection refused|could not connect|failed to connect|went away/i
}

const builtins = ["len", "cap", "real", "imag", "complex", "min", "max"]

const conversions = ["string", "byte", "rune", "float32", "float64", "complex64", "complex128", "uintptr"]

/** The quirks; measured with 1.20 and 1.24. */
export const quirks = (): Quirks => ({
  onePerPlace: true,
  assignsBy: "setVariable",
  failures,
  insertsTraps: true,
  // `int3` of x86-64 and `brk #0` of arm64.
  stepsHideBreakpoints: {
    expression: (address) => `*(*uint32)(${address})`,
    isTrap: (instruction) => instruction % 0x100 === 0xcc || instruction === 0xd4200000
  },
  // Delve reports the error as an exception, without the breakpoint (pkg/proc/breakpoints.go of Delve).
  conditionProblem: /^(?:error evaluating expression: )?((?<=: )[^]+|condition expression not boolean)$/,
  // The address of a value that is a pointer: the heap of Go begins at 0xc000000000 (runtime/malloc.go).
  numberDescriptions: /^(?:panic: )?8246\d{8}$/,
  absolutePathsOnly: true,
  noStackYet: /unknown goroutine/,
  exitCodeInText: /^Process \d+ has exited with status (-?\d+)/,
  keepsStep: /^Step interrupted by a breakpoint\./,
  functionNames: { main: "main.main" },
  // A panic that nothing recovers stops the program without a breakpoint.
  catchFunctions: { panic: "runtime.gopanic" },
  // Functions of the program run only in a line that begins with `call`.
  callPrefix: "call ",
  globalsSetting: { on: "dlv config showGlobalVariables true", off: "dlv config showGlobalVariables false" },
  readingCalls: new Set([...builtins, ...conversions]),
  hidesReturned: true,
  // A result without a name; its memory has any value before the function returns.
  hiddenMembers: /^~r\d+$/,
  // Without the filter, a map has its length before its entries, and a list of bytes its text before its elements.
  pagesElementsOnly: true,
  target: DelveValues.target,
  valueText: DelveValues.text,
  formatsNoNumbers: true,
  // `* [Go 21] main.worker (Thread 4066)`: the frame shows the function.
  threadName: (name) => name.replace(/^(?:\* )?\[Go (\d+)\][^]*$/, "goroutine $1")
})

const goProgram = `
setup:
  - shell: printf '%s\\n' 'package main' 'import ("fmt"; "os"; "time")' 'func main() {' ' answer := 42' ' fmt.Println(answer)' ' os.WriteFile("pid", []byte(fmt.Sprint(os.Getpid())), 0o600)' ' for len(os.Args) > 1 { time.Sleep(time.Millisecond) }' '}' > "\${work}/probe.go"`

const built = `${goProgram}
  - shell: go build -gcflags='all=-N -l' -o probe probe.go`

/** The trials. A core file of Go takes half a gigabyte. */
const trials: Trials = {
  without: { core: "a core file of Go takes half a gigabyte" },
  compiler: { tool: "go", title: "Go" },
  scenarios: {
    launch: () => `
name: doctor
needs: [go]${goProgram}
target: { program: probe.go, break: ["probe.go:5"] }
${launchSteps(5)}`,
    attach: () => `
name: doctor
needs: [go]${built}
  - shell: { line: "exec ./probe wait", background: true }
target: { mode: attach, pid_file: pid, pause: true }
${attachSteps}`,
    remote: ({ path, port }) => `
name: doctor
needs: [go]${built}
  - shell: { line: "exec ${path} exec ./probe --headless --listen 127.0.0.1:${port} > server.log 2>&1", background: true }
  - shell: for i in $(seq 100); do grep -q listening "\${work}/server.log" && break; sleep 0.1; done
target: { mode: connect, address: "127.0.0.1:${port}", program: probe }
steps:
  - name: stop a program on a debug server
    check_state: stopped
  - command: stop
`
  }
}

/** The description of Delve. */
export const adapter: Adapter = {
  name: kind.name,
  aliases: kind.aliases,
  id: "go",
  file: /^dlv$/,
  languages: ["Go"],
  extensions: [".go"],
  recognizes: (contents) =>
    (contents.kind === "elf" || contents.kind === "macho") && contents.sections.includes(sections[contents.kind]),
  installation: {
    packages: { "apt-get": "delve", dnf: "delve", pacman: "delve", apk: "delve" },
    into: {
      command: (_, version) => [
        "go",
        "install",
        `github.com/go-delve/delve/cmd/dlv@${version === undefined ? "latest" : `v${version.replace(/^v/, "")}`}`
      ],
      env: (directory) => ({ GOBIN: directory }),
      files: /^dlv$/,
      foundBy: { file: "dlv" }
    },
    instruction: "go install github.com/go-delve/delve/cmd/dlv@latest",
    for: /\.go$|^go\.mod$/
  },
  trials,
  editorTypes: [
    {
      types: ["go"],
      adapter: kind.name,
      options: ["buildFlags", "dlvCwd", "showRegisters", "hideSystemGoroutines", "goroutineFilters"],
      // The other modes follow from the program: a source file is built, a binary is run.
      only: { mode: ["test"] }
    }
  ],
  transport: { announcement: /^DAP server listening at: (\S+)$/ },
  streams: "adapter",
  supports: ["sourceMap"],
  lacks: ["arguments"],
  find: (search) => Discovery.find(kind, search),
  all: (search) => Discovery.all(kind, search),
  start: (_, launch, directory, messages) => ({
    args: ["dap", "--listen=127.0.0.1:0", ...(messages === undefined ? [] : [`--log-dest=${messages}`])],
    env: {
      ...Discovery.selected(launch.env, inheritedVariables),
      // The user's settings could redirect sources and commands.
      XDG_CONFIG_HOME: directory
    }
  }),
  quirks,
  tasks: DelveTasks.make,
  remoteServesDap: true,
  attach: (launch, existing) => {
    const common = { stopOnEntry: launch.stopOnEntry, hideSystemGoroutines: true }
    switch (existing.kind) {
      case "process":
        return Result.succeed({
          request: "attach",
          arguments: { ...common, request: "attach", mode: "local", processId: existing.pid }
        })
      case "core":
        return Result.succeed({
          request: "launch",
          arguments: {
            ...common,
            request: "launch",
            mode: "core",
            program: launch.program,
            coreFilePath: existing.file
          }
        })
      case "remote":
        return Attach.host.test(existing.host)
          ? Result.succeed({ request: "attach", arguments: { ...common, request: "attach", mode: "remote" } })
          : Attach.noHost(existing)
    }
  },
  optionArguments: ({ sourceMap }) =>
    sourceMap === undefined ? {} : { substitutePath: sourceMap.map(([from, to]) => ({ from: to, to: from })) },
  launchArguments: Effect.fnUntraced(function* (launch, { directory }) {
    const path = yield* Path.Path
    const source = launch.program.endsWith(".go")
    const built = source ? yield* buildable(launch.program) : launch.program
    const env: Record<string, string | null> = { ...launch.env }
    env["XDG_CONFIG_HOME"] ??= null
    return {
      request: "launch",
      ...(source
        ? {
            mode: "debug",
            output: path.join(directory, "program"),
            dlvCwd: path.dirname(launch.program)
          }
        : { mode: "exec" }),
      program: built,
      args: launch.args,
      cwd: launch.cwd,
      env,
      stopOnEntry: launch.stopOnEntry,
      outputMode: "local",
      // Goroutines of the runtime itself are hidden.
      hideSystemGoroutines: true
    }
  })
}

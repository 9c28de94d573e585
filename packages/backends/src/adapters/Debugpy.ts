/**
 * debugpy, the debug adapter for Python: a module of the interpreter that runs the program.
 *
 * Interpreters are tried in this order: `SIGTRAP_DEBUGPY`, the active virtual environment, every `python3` and `python` on
 * PATH. The first one that can import debugpy runs adapter and program. sigtrap starts the program at the adapter's request
 * (DAP `runInTerminal`), on named pipes.
 */
import { Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Adapter, Search } from "./Adapter.ts"
import * as Attach from "./Attach.ts"
import * as DebugpyExceptions from "./DebugpyExceptions.ts"
import * as DebugpyForks from "./DebugpyForks.ts"
import * as DebugpyMembers from "./DebugpyMembers.ts"
import * as DebugpyReads from "./DebugpyReads.ts"
import * as DebugpyTasks from "./DebugpyTasks.ts"
import * as Discovery from "./Discovery.ts"
import * as ProgramKind from "./ProgramKind.ts"
import type { Failures } from "../console/Failures.ts"
import type { Quirks } from "./Quirks.ts"
import { attachSteps, launchSteps, type Trials } from "./Trials.ts"

/** Variables of the user's environment that the adapter inherits. */
const inheritedVariables = /^(?:PATH|HOME|LANG|LC_[A-Z]+|TMPDIR|VIRTUAL_ENV|PYTHON(?:HOME|PATH|USERBASE|NOUSERSITE))$/

const environment = (env: Search["env"]) => Discovery.selected(env, inheritedVariables)

const kind: Discovery.Kind = {
  name: "debugpy",
  aliases: ["python"],
  variable: "SIGTRAP_DEBUGPY",
  names: ["python3", "python"],
  remedy: Hint.remedy("python3 -m pip install debugpy"),
  examine: (file, search) =>
    // Isolated from the working directory, where a file could pose as the module.
    Discovery.outputOf(file, ["-P", "-c", "import debugpy; print(debugpy.__version__)"], environment(search.env)).pipe(
      Effect.flatMap((text) =>
        text === undefined
          ? Discovery.outputOf(
              file,
              ["-I", "-c", "import debugpy; print(debugpy.__version__)"],
              environment(search.env)
            )
          : Effect.succeed(text)
      ),
      Effect.map((text) => /^\d+(?:\.\d+)*/.exec(text?.trim() ?? "")?.[0]),
      Effect.map((version) => (version === undefined ? { problem: "it has no module debugpy" } : { version }))
    )
}

/** Shows the program's own variables, without those that every module and class has. */
const variablePresentation = { special: "hide", function: "hide", class: "hide", protected: "inline" } as const

/**
 * What launch and attach have in common. Without `subProcess: false` debugpy prepares each Python process that the program starts for
 * a session of its own, and the process waits until a client attaches to it (`debugpyAttach`), which sigtrap does not do.
 */
const configuration = { type: "python", justMyCode: true, subProcess: false, variablePresentation } as const

/** The search with the interpreters of an active virtual environment first. */
const activated = (search: Search): Search => {
  const { VIRTUAL_ENV: active, PATH: path = "" } = search.env
  return active === undefined || active === ""
    ? search
    : { ...search, env: { ...search.env, PATH: `${active}/bin:${path}` } }
}

/** The error messages by what they mean. */
const failures: Failures = {
  "unknown-name": /name '(?<name>.*)' is not defined/,
  forbidden: /not permitted|EPERM|ptrace_scope|permission denied/i,
  unreachable: /connection refused|could not connect|failed to connect|went away/i
}

/**
 * Runs debugpy's launcher, whose path is the first argument. The launcher sends the low byte of the program's exit code (Python's
 * `Popen.wait`), which is negative after a death by signal: -11 would become 245, as after `os._exit(245)`. This code is an integer
 * whose low byte is itself.
 */
const launcher = `import runpy, subprocess, sys
class Code(int):
    __and__ = lambda code, mask: code
wait = subprocess.Popen.wait
def waited(program, timeout=None):
    code = wait(program, timeout)
    return Code(code) if code < 0 else code
subprocess.Popen.wait = waited
del sys.argv[0]
runpy.run_path(sys.argv[0], run_name="__main__")
`

/** Returns the command of debugpy's launcher that reports deaths by signal; another command as it is. */
const command = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [python, path, ...rest] = words
  return python === undefined || path === undefined || !/[/\\]debugpy[/\\]launcher[/\\]?$/.test(path)
    ? words
    : [python, "-c", launcher, path, ...rest]
}

/** Returns a statement that executes code with names of its own. */
const executed = (code: string) => `exec(compile(${JSON.stringify(code)}, '<sigtrap>', 'exec'), {})`

/** The quirks; measured with 1.6 and 1.8. */
export const quirks = (): Quirks => ({
  onePerPlace: true,
  failures,
  assignsBy: "setExpression",
  statement: /^\s*(?:(?:import|from|del)\s|[A-Za-z_][^=!<>()]*(?:[-+*/%@&|^]|\*\*|\/\/|>>|<<)?=(?!=))/,
  exactTotals: true,
  statementLooksLikeStep: true,
  absolutePathsOnly: true,
  exceptionTypeInText: true,
  exceptionPasses: "__exception__[2].tb_next is not None",
  stopsWithoutIds: true,
  plainFunctionNames: true,
  exceptionGroup: { text: /\(\d+ sub-exceptions?\)/, members: DebugpyExceptions.members },
  // Added where an exception leaves the user's code.
  functionNote: / \(Current frame\)$/,
  exceptionNote: /\s+\(note: full exception trace is shown but execution is paused at: [^]*?\)/,
  raisedFrame: /^\[Chained Exc: ([^]*)\] (\S+)$/,
  readingCalls: new Set(["len", "type", "id"]),
  codeCheck: { expression: DebugpyReads.expression, answer: DebugpyReads.answer },
  traced: DebugpyExceptions.traced,
  preparation: (forbidsCode) =>
    executed(DebugpyExceptions.tracing + DebugpyForks.untraced + DebugpyMembers.code(forbidsCode)),
  lazyText: "[Property]",
  // What debugpy adds to the elements of a container, and the variables that pytest adds to a function with an assertion.
  hiddenMembers: /^(?:len\(\)|@py\w*)$/,
  negativeSignals: true,
  emptyMessage: /^exception: no description$/,
  earlierExceptions: DebugpyExceptions.earlier,
  // debugpy writes the entries of each set, none too.
  valueText: (text, type) =>
    text === "{}" && type === "set" ? "set()" : text === "frozenset({})" ? "frozenset()" : text
})

/** The trials. Python has no core files. */
const trials: Trials = {
  without: { core: "Python has no core files" },
  scenarios: {
    launch: () => `
name: doctor
setup:
  - shell: printf '%s\\n' 'answer = 42' 'print(answer)' > "\${work}/probe.py"
target: { program: probe.py, break: ["probe.py:2"] }
${launchSteps(2)}`,
    attach: ({ path }) => `
name: doctor
setup:
  - shell: printf '%s\\n' 'import os, time' 'open("pid", "w").write(str(os.getpid()))' 'while True:' '  time.sleep(0.01)' > "\${work}/probe.py"
  - shell: { line: "exec ${path} probe.py", background: true }
target: { mode: attach, pid_file: pid, pause: true }
${attachSteps}`,
    remote: ({ path, port }) => `
name: doctor
setup:
  - shell: printf '%s\\n' 'import os, time' 'open("pid", "w").write(str(os.getpid()))' 'while not os.path.exists("over"):' '  time.sleep(0.01)' > "\${work}/probe.py"
  - shell: { line: "exec ${path} -m debugpy --listen 127.0.0.1:${port} probe.py", background: true }
  - shell: for i in $(seq 100); do test -e "\${work}/pid" && break; sleep 0.1; done
target: { mode: connect, address: "127.0.0.1:${port}" }
steps:
  - name: stop a program that listens for debuggers
    check_state: stopped
  - name: detach from it
    command: detach
teardown:
  - shell: touch "\${work}/over"; for i in $(seq 50); do kill -0 $(cat "\${work}/pid") 2>/dev/null || break; sleep 0.1; done; sleep 0.5
`
  }
}

/** The description of debugpy. */
export const adapter: Adapter = {
  name: kind.name,
  aliases: kind.aliases,
  id: "debugpy",
  file: /^python[\d.]*$/,
  interpreter: /^python[\d.]*$/,
  languages: ["Python"],
  extensions: [".py", ".pyw"],
  recognizes: (contents) => ProgramKind.isScriptOf(contents, "python[\\d.]*"),
  installation: {
    packages: {
      "apt-get": "python3-debugpy",
      dnf: "python3-debugpy",
      pacman: "python-debugpy",
      apk: "py3-debugpy",
      zypper: "python3-debugpy"
    },
    into: {
      command: (directory, version) => [
        "python3",
        "-m",
        "pip",
        "install",
        "--upgrade",
        "--target",
        directory,
        version === undefined ? "debugpy" : `debugpy==${version}`
      ],
      env: () => ({}),
      files: /^debugpy(?:-.*\.dist-info)?$/,
      foundBy: { variable: "PYTHONPATH" }
    },
    instruction: "python3 -m pip install debugpy",
    for: /\.pyw?$|^(?:pyproject\.toml|requirements\.txt|setup\.py)$/
  },
  trials,
  editorTypes: [
    {
      types: ["debugpy", "python"],
      adapter: kind.name,
      options: [
        "justMyCode",
        "django",
        "jinja",
        "flask",
        "gevent",
        "pyramid",
        "subProcess",
        "redirectOutput",
        "showReturnValue"
      ]
    }
  ],
  transport: "stdio",
  streams: "terminal",
  command,
  supports: ["sourceMap"],
  lacks: ["arguments"],
  find: (search) => Discovery.find(kind, activated(search)),
  all: (search) => Discovery.all(kind, activated(search)),
  start: (_, launch, directory) => ({
    args: ["-m", "debugpy.adapter"],
    env: { ...environment(launch.env), TMPDIR: directory }
  }),
  quirks,
  tasks: DebugpyTasks.make,
  remoteServesDap: true,
  attach: (_, existing) => {
    const common = { ...configuration, request: "attach" }
    switch (existing.kind) {
      case "process":
        return Result.succeed({
          request: "attach",
          arguments: { ...common, processId: existing.pid },
          keepsRunning: true
        })
      case "remote":
        return Attach.host.test(existing.host)
          ? Result.succeed({ request: "attach", arguments: common, keepsRunning: true })
          : Attach.noHost(existing)
      case "core":
        return Attach.unsupported(existing, kind.name)
    }
  },
  optionArguments: ({ sourceMap }) =>
    sourceMap === undefined
      ? {}
      : { pathMappings: sourceMap.map(([from, to]) => ({ localRoot: to, remoteRoot: from })) },
  launchArguments: (launch, { found }) =>
    Effect.succeed({
      ...configuration,
      request: "launch",
      program: launch.program,
      python: [found.path],
      args: launch.args,
      cwd: launch.cwd,
      // Python buffers output to a pipe in blocks; output would arrive long after the line that wrote it.
      env: { PYTHONUNBUFFERED: "1", ...launch.env },
      console: "integratedTerminal",
      stopOnEntry: launch.stopOnEntry
    })
}

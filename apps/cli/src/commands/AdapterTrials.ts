/**
 * The scenarios of `sigtrap doctor`: each compiles or writes a small program in a temporary directory and debugs it with an
 * adapter, by launch, attach, core file or remote target.
 */

/** How a program is debugged. */
export type Way = "launch" | "attach" | "core" | "remote"

const compile = `
setup:
  - name: compile a program with debug information
    shell: |
      printf '%s\\n' '#include <stdio.h>' 'volatile int go_on = 1;' 'int main(int argc, char **argv)' '{' '  int answer = 42;' '  (void)argv;' '  if (argc > 2) *(volatile int *)0 = answer;' '  while (argc > 1 && go_on) { }' '  printf("%d\\n", answer);' '  return 0;' '}' > "\${work}/probe.c"
      cc -g -O0 probe.c -o probe`

/** Debugger commands that write a core file of the stopped program. */
const saving = { gdb: "generate-core-file ${work}/core", lldb: 'process save-core "${work}/core"' }

const native = {
  launch: () => `
name: doctor
needs: [cc]${compile}
target: { program: probe, break: ["probe.c:9"] }
steps:
  - name: stop at a breakpoint
    check_state: stopped
    expect: { line: 9 }
  - name: read a variable
    evaluate: answer
    expect: 42
  - name: run to the end
    command: continue
    expect: { event: exited, exit_code: 0 }
  - name: read the program's output
    check_output:
    expect: { contains: "42" }
`,
  attach: () => `
name: doctor
needs: [cc]${compile}
target: { mode: attach, program: probe, args: [wait], pause: true }
steps:
  - name: stop a running process
    check_state: stopped
  - name: find where it is
    inspect_stack:
    expect: { contains: main }
  - name: detach from it
    command: detach
`,
  core: (adapter: string, name: string) => `
name: doctor
needs: [cc]${compile}
target: { program: probe, args: [crash, now], adapter: "${name === "gdb" ? adapter : "lldb-dap"}" }
steps:
  - name: make a core file
    command: [raw, '${name === "gdb" ? saving.gdb : saving.lldb}']
  - command: stop
  - name: open the core file
    command: [core, core, --program, probe, --adapter, "${adapter}"]
    expect: { event: stopped }
  - name: find where it was
    inspect_stack:
    expect: { contains: main }
  - command: stop
`,
  remote: (server: Server, port: number) => `
name: doctor
needs: [cc]${compile}
  - name: start a debug server
    shell: |
${
  server.kind === "gdbserver"
    ? `      ${server.path} 127.0.0.1:${port} ./probe > server.log 2>&1 &
      for i in $(seq 100); do grep -q Listening server.log && break; sleep 0.1; done`
    : `      mkfifo ready
      ${server.path} gdbserver --named-pipe ready 127.0.0.1:${port} -- ./probe > server.log 2>&1 &
      timeout 10 cat ready > /dev/null`
}
target: { mode: connect, address: "127.0.0.1:${port}", program: probe }
steps:
  - name: stop at a breakpoint of a program on a debug server
    command: break probe.c:9
  - command: continue
    expect: { event: stopped, line: 9 }
  - command: stop
`
}

/** Steps for a launched program: a breakpoint at a line, a variable, the exit. */
const launchSteps = (line: number) => `steps:
  - name: stop at a breakpoint
    check_state: stopped
    expect: { line: ${line} }
  - name: read a variable
    evaluate: answer
    expect: 42
  - name: run to the end
    command: continue
    expect: { event: exited }
`

/** Scenarios that debug Python programs. */
const python = {
  launch: () => `
name: doctor
setup:
  - shell: printf '%s\\n' 'answer = 42' 'print(answer)' > "\${work}/probe.py"
target: { program: probe.py, break: ["probe.py:2"] }
${launchSteps(2)}`,
  attach: (interpreter: string) => `
name: doctor
setup:
  - shell: printf '%s\\n' 'import os, time' 'open("pid", "w").write(str(os.getpid()))' 'while True:' '  time.sleep(0.01)' > "\${work}/probe.py"
  - shell: { line: "exec ${interpreter} probe.py", background: true }
target: { mode: attach, pid_file: pid, pause: true }
steps:
  - name: stop a running process
    check_state: stopped
  - name: detach from it
    command: detach
`,
  remote: (interpreter: string, port: number) => `
name: doctor
setup:
  - shell: printf '%s\\n' 'import os, time' 'open("pid", "w").write(str(os.getpid()))' 'while not os.path.exists("over"):' '  time.sleep(0.01)' > "\${work}/probe.py"
  - shell: { line: "exec ${interpreter} -m debugpy --listen 127.0.0.1:${port} probe.py", background: true }
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

const goProgram = `
setup:
  - shell: printf '%s\\n' 'package main' 'import ("fmt"; "os"; "time")' 'func main() {' ' answer := 42' ' fmt.Println(answer)' ' os.WriteFile("pid", []byte(fmt.Sprint(os.Getpid())), 0o600)' ' for len(os.Args) > 1 { time.Sleep(time.Millisecond) }' '}' > "\${work}/probe.go"`

const built = `${goProgram}
  - shell: go build -gcflags='all=-N -l' -o probe probe.go`

const go = {
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
steps:
  - name: stop a running process
    check_state: stopped
  - name: detach from it
    command: detach
`,
  remote: (delve: string, port: number) => `
name: doctor
needs: [go]${built}
  - shell: { line: "exec ${delve} exec ./probe --headless --listen 127.0.0.1:${port} > server.log 2>&1", background: true }
  - shell: for i in $(seq 100); do grep -q listening "\${work}/server.log" && break; sleep 0.1; done
target: { mode: connect, address: "127.0.0.1:${port}", program: probe }
steps:
  - name: stop a program on a debug server
    check_state: stopped
  - command: stop
`
}

/** An adapter to test. */
export interface TestedAdapter {
  readonly name: string
  readonly path: string
}

/** A debug server on this machine. */
export interface Server {
  readonly kind: "lldb-server" | "gdbserver"
  readonly path: string
}

const javascript = {
  launch: (_: number) => `
name: doctor
setup:
  - shell: printf '%s\\n' 'const answer = 42' 'console.log(answer)' > "\${work}/probe.js"
target: { program: probe.js, break: ["probe.js:2"] }
${launchSteps(2)}  - name: read the program's output
    check_output:
    expect: { contains: "42" }
`,
  remote: (port: number) => `
name: doctor
setup:
  - shell: printf '%s\\n' 'const fs = require("fs")' 'fs.writeFileSync("pid", String(process.pid))' 'setInterval(() => fs.existsSync("over") && process.exit(), 10)' > "\${work}/probe.js"
  - shell: { line: "exec node --inspect=127.0.0.1:${port} probe.js", background: true }
  - shell: for i in $(seq 100); do test -e "\${work}/pid" && break; sleep 0.1; done
target: { mode: connect, address: "127.0.0.1:${port}", adapter: js-debug }
steps:
  - name: stop a program that listens for debuggers
    check_state: stopped
  - name: detach from it
    command: detach
  - shell: touch "\${work}/over"; for i in $(seq 50); do kill -0 $(cat "\${work}/pid") 2>/dev/null || break; sleep 0.1; done; sleep 0.5
`
}

/** Resources of the machine that a scenario may use. */
export interface Resources {
  /** The installed debug servers. */
  readonly servers: ReadonlyArray<Server>
  /** A free port. */
  readonly port: number
}

/** Returns the compiler that the program of a trial is built with, by its name in `needs`; absent for interpreters. */
export const compilerOf = (languages: ReadonlyArray<string>): "cc" | "go" | undefined =>
  languages.includes("C") ? "cc" : languages.includes("Go") ? "go" : undefined

/** Paths that need no quoting in a shell line and in YAML; adapters at other paths are not tested. */
const plain = /^[\w./+-]+$/

/** Returns the scenario that tests an adapter for these languages; absent if there is none. */
export const of = (
  way: Way,
  languages: ReadonlyArray<string>,
  adapter: TestedAdapter,
  resources: Resources
): string | undefined => {
  const { name, path } = adapter
  if (!plain.test(path)) return way === "launch" && languages.includes("C") ? native.launch() : undefined
  if (languages.includes("C")) {
    const server = resources.servers.find(({ kind }) => (kind === "gdbserver") === (name === "gdb"))
    switch (way) {
      case "core":
        return native.core(path, name)
      case "remote":
        return server === undefined ? undefined : native.remote(server, resources.port)
      default:
        return native[way]()
    }
  }
  // Python has no core files, and a core file of Go takes half a gigabyte.
  if (way === "core") return undefined
  if (languages.includes("Python")) return python[way](path, resources.port)
  if (languages.includes("Go")) return go[way](path, resources.port)
  if (!languages.includes("JavaScript") || way === "attach") return undefined
  return javascript[way](resources.port)
}

/**
 * The trials of debuggers for native programs: a C program that the machine's compiler builds.
 */
import type { Context, Server, Trials } from "./Trials.ts"

const compile = `
setup:
  - name: compile a program with debug information
    shell: |
      printf '%s\\n' '#include <stdio.h>' 'volatile int go_on = 1;' 'int main(int argc, char **argv)' '{' '  int answer = 42;' '  (void)argv;' '  if (argc > 2) *(volatile int *)0 = answer;' '  while (argc > 1 && go_on) { }' '  printf("%d\\n", answer);' '  return 0;' '}' > "\${work}/probe.c"
      cc -g -O0 probe.c -o probe`

/** What differs between native debuggers. */
export interface NativeDebugger {
  /** The debug server that it connects to. */
  readonly server: Server["kind"]
  /** The command that writes the core file `core` into the working directory of the scenario. */
  readonly save: string
}

const launch = `
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
`

const attach = `
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
`

const core = ({ save }: NativeDebugger, { path }: Context) => `
name: doctor
needs: [cc]${compile}
target: { program: probe, args: [crash, now], adapter: "${path}" }
steps:
  - name: make a core file
    command: [raw, '${save}']
  - command: stop
  - name: open the core file
    command: [core, core, --program, probe, --adapter, "${path}"]
    expect: { event: stopped }
  - name: find where it was
    inspect_stack:
    expect: { contains: main }
  - command: stop
`

const remote = (server: Server, port: number) => `
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

/** Returns the trials of a native debugger. */
export const nativeTrials = (debuggerOf: NativeDebugger): Trials => ({
  compiler: { tool: "cc", title: "a C compiler and its headers" },
  without: { remote: `no ${debuggerOf.server} on PATH` },
  scenarios: {
    launch: () => launch,
    attach: () => attach,
    core: (context) => core(debuggerOf, context),
    remote: ({ port, servers }) => {
      const server = servers.find(({ kind }) => kind === debuggerOf.server)
      return server === undefined ? undefined : remote(server, port)
    }
  }
})

/** The trials of adapters that use LLDB. */
export const lldbTrials: Trials = nativeTrials({
  server: "lldb-server",
  save: 'process save-core "${work}/core"'
})

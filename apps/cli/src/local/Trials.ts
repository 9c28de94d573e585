/**
 * The tiny programs with which an adapter is tried, one scenario for each way of debugging. All they make lies in a temporary
 * directory.
 */

/** A way of debugging. */
export type Way = "launch" | "attach" | "core" | "remote"

const compile = `
setup:
  - name: compile a program with debug information
    shell: |
      printf '%s\\n' '#include <stdio.h>' 'volatile int go_on = 1;' 'int main(int argc, char **argv)' '{' '  int answer = 42;' '  (void)argv;' '  if (argc > 2) *(volatile int *)0 = answer;' '  while (argc > 1 && go_on) { }' '  printf("%d\\n", answer);' '  return 0;' '}' > "\${work}/probe.c"
      cc -g -O0 probe.c -o probe`

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
  - name: let it go
    command: detach
`,
  core: () => `
name: doctor
needs: [cc]${compile}
target: { program: probe, args: [crash, now], adapter: lldb-dap }
steps:
  - name: make a core file
    command: [raw, 'process save-core "\${work}/core"']
  - command: stop
  - name: open the core file
    command: [core, core, --program, probe, ADAPTER]
    expect: { event: stopped }
  - name: find where it was
    inspect_stack:
    expect: { contains: main }
  - command: stop
`,
  remote: (server: string, port: number) => `
name: doctor
needs: [cc]${compile}
  - name: start a debug server
    shell: |
      mkfifo ready
      ${server} gdbserver --named-pipe ready 127.0.0.1:${port} -- ./probe > server.log 2>&1 &
      timeout 10 cat ready > /dev/null
target: { mode: connect, address: "127.0.0.1:${port}", program: probe }
steps:
  - name: stop at a breakpoint of a program on a debug server
    command: break probe.c:9
  - command: continue
    expect: { event: stopped, line: 9 }
  - command: stop
`
}

const python = `
name: doctor
setup:
  - shell: printf '%s\\n' 'answer = 42' 'print(answer)' > "\${work}/probe.py"
target: { program: probe.py, break: ["probe.py:2"] }
steps:
  - name: stop at a breakpoint
    check_state: stopped
    expect: { line: 2 }
  - name: read a variable
    evaluate: answer
    expect: 42
  - name: run to the end
    command: continue
    expect: { event: exited }
`

const go = `
name: doctor
needs: [go]
setup:
  - shell: printf '%s\\n' 'package main' 'import "fmt"' 'func main() {' ' answer := 42' ' fmt.Println(answer)' '}' > "\${work}/probe.go"
target: { program: probe.go, break: ["probe.go:5"] }
steps:
  - name: stop at a breakpoint
    check_state: stopped
    expect: { line: 5 }
  - name: read a variable
    evaluate: answer
    expect: 42
  - name: run to the end
    command: continue
    expect: { event: exited }
`

const javascript = `
name: doctor
setup:
  - shell: printf '%s\\n' 'const answer = 42' 'console.log(answer)' > "\${work}/probe.js"
target: { program: probe.js, break: ["probe.js:2"] }
steps:
  - name: stop at a breakpoint
    check_state: stopped
    expect: { line: 2 }
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

const byLanguage: { readonly [language: string]: string } = { Python: python, Go: go, JavaScript: javascript }

/** What a trial may need of the machine. */
export interface Means {
  /** A debug server, where there is one. */
  readonly server: string | undefined
  /** A free port. */
  readonly port: number
}

/** The scenario that tries a way of debugging with an adapter for these languages; none where nothing can be tried. */
export const of = (way: Way, languages: ReadonlyArray<string>, adapter: string, means: Means): string | undefined => {
  if (languages.includes("C")) {
    switch (way) {
      case "core":
        return native.core().replace("ADAPTER", `--adapter, "${adapter}"`)
      case "remote":
        return means.server === undefined ? undefined : native.remote(means.server, means.port)
      default:
        return native[way]()
    }
  }
  if (way !== "launch") return undefined
  return languages.map((language) => byLanguage[language]).find((trial) => trial !== undefined)
}

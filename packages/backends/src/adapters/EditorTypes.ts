/**
 * What the launch configurations of editors call our debuggers, and which of their keys are an adapter's own: data, by
 * the types that the extensions document.
 */
import type { Backend } from "@sigtrap/manager"

/** Every type that is known; one that names no adapter leaves the choice to the program. */
export const all: ReadonlyArray<Backend.EditorType> = [
  {
    types: ["lldb-dap", "lldb-vscode"],
    adapter: "lldb-dap",
    options: ["exitCommands", "terminateCommands", "sourcePath", "detachOnError", "timeout"]
  },
  // CodeLLDB's and the C++ extension's types name no debugger that has to be there: native code is debugged by ours.
  { types: ["lldb", "cppdbg"], options: [] },
  { types: ["codelldb"], adapter: "codelldb", options: ["sourceLanguages", "expressions", "postRunCommands"] },
  { types: ["gdb"], adapter: "gdb", options: [] },
  {
    types: ["debugpy", "python"],
    adapter: "debugpy",
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
  },
  {
    types: ["go"],
    adapter: "delve",
    options: ["buildFlags", "dlvCwd", "showRegisters", "hideSystemGoroutines", "goroutineFilters"],
    // The others are what is done anyway with a source file and with a program.
    only: { mode: ["test"] }
  },
  {
    types: ["node", "pwa-node", "node2"],
    adapter: "js-debug",
    options: ["runtimeExecutable", "runtimeArgs", "runtimeVersion", "skipFiles", "outFiles", "smartStep", "sourceMaps"]
  }
]

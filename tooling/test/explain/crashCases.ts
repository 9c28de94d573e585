/** The crashes of `faults.c`, and what `explain` says of each. */
/**
 * A crash of `faults.c`: the function and the mark of its line, the summary, and the expression with its values. `function` is absent if
 * no frame of the user is known, `marked` is false if the line depends on the compiler.
 */
export interface Crash {
  readonly kind: string
  readonly function?: string
  readonly marked?: false
  readonly summary: RegExp
  readonly expression?: readonly [expression: string, values: ReadonlyArray<readonly [string, string | RegExp]>]
  readonly line?: RegExp
}

/** The crashes that are tested with every change. */
export const quickCrashes: ReadonlyArray<Crash> = [
  {
    kind: "null",
    function: "null_member",
    summary: /^SIGSEGV reading 4 bytes at NULL$/,
    expression: ["list->head->value", [["list->head", "NULL"]]],
    line: /^list->head->value: list->head = NULL$/
  },
  {
    kind: "wild",
    function: "bad_pointer",
    summary: /^SIGSEGV reading 4 bytes at 0x26fc$/,
    expression: ["n->value", [["n", "0x26fc"]]],
    line: /^n->value: n = 0x26fc, not mapped, close to NULL$/
  },
  // The compiler may put instructions of its own in place of `strlen`.
  {
    kind: "argument",
    function: "argument",
    summary: /^SIGSEGV (?:reading \d+ bytes? )?at NULL$/,
    expression: ["list->name", [["list->name", "NULL"]]],
    line: /^argument of strlen: list->name = NULL$/
  },
  { kind: "double", function: "twice", summary: /^SIGABRT: free\(\): double free detected/, line: /double free/ }
]

/** All crashes: the quick ones and the others. */
export const allCrashes: ReadonlyArray<Crash> = [
  ...quickCrashes,
  {
    kind: "element",
    function: "element",
    summary: /^SIGSEGV reading 4 bytes at 0x/,
    expression: [
      "values[index]",
      [
        ["index", "1099511627776"],
        ["values", /^0x/]
      ]
    ]
  },
  // The array is inside the object, so the pointer to the object is the wrong one.
  {
    kind: "letter",
    function: "letter",
    summary: /^SIGSEGV reading 1 byte at 0xb$/,
    expression: [
      "rows[row]->text[column]",
      [
        ["column", "3"],
        ["rows[row]", "NULL"]
      ]
    ]
  },
  // Both pointers are NULL, so neither can be shown to be the one.
  { kind: "two", function: "two_pointers", summary: /^SIGSEGV reading 4 bytes at NULL$/ },
  {
    kind: "readonly",
    function: "write_constant",
    summary: /^SIGSEGV writing 1 byte at 0x/,
    expression: ["text[0]", [["text", /^0x/]]],
    line: /read-only memory \(faults\)$/
  },
  // The operand of the instruction is relative to the instruction pointer.
  {
    kind: "sealed",
    function: "write_global",
    summary: /^SIGSEGV writing 4 bytes at 0x/,
    expression: ["sealed[2]", [["sealed", /^\{0, 0/]]],
    line: /read-only memory \(0x[0-9a-f]+-0x[0-9a-f]+\)$/
  },
  {
    kind: "overflow",
    function: "deep",
    marked: false,
    summary: /^SIGSEGV: stack overflow$/,
    line: /^stack overflow: deep calls itself$/
  },
  {
    kind: "execute",
    function: "call",
    summary: /^SIGSEGV executing 0x/,
    expression: ["function", [["function", /^0x/]]],
    line: /no code: not executable \(\[stack\]\)$/
  },
  {
    kind: "noncanonical",
    function: "non_canonical",
    summary: /^SIGSEGV reading 4 bytes at 0x7071727374757677$/,
    expression: ["*pointer", [["pointer", "0x7071727374757677"]]],
    line: /^\*pointer: pointer = 0x7071727374757677 \("wvutsrqp"\), not a valid address \(not canonical\)$/
  },
  {
    kind: "divide",
    function: "divide",
    summary: /^SIGFPE dividing by zero$/,
    expression: ["a / b", [["b", "0"]]]
  },
  { kind: "assert", function: "check", summary: /^assertion failed: count == 3$/ },
  { kind: "abort", function: "give_up", summary: /^SIGABRT$/ },
  {
    kind: "guard",
    function: "guard",
    summary: /^SIGSEGV writing 1 byte at 0x/,
    expression: [
      "pages[page]",
      [
        ["page", "4096"],
        ["pages", /^0x/]
      ]
    ],
    line: /mapped without access, as a guard page is/
  },
  {
    kind: "bus",
    function: "mapped_file",
    summary: /^SIGBUS reading 1 byte at 0x/,
    expression: ["page[0]", [["page", /^0x/]]]
  },
  {
    kind: "seccomp",
    function: "refused",
    summary: /^SIGSYS: a filter \(seccomp\) refused the system call (?:getppid \(110\)|173)$/
  },
  {
    kind: "pointer",
    function: "enter",
    summary: /^SIGSEGV executing 0x4142434445464748$/,
    expression: ["gate->open", [["gate->open", "0x4142434445464748"]]],
    line: /^call of gate->open: gate->open = 0x4142434445464748 \("HGFEDCBA"\), no code: not a valid address \(not canonical\)$/
  },
  // A return address that is not canonical faults in the function that returns, every other one at the address.
  {
    kind: "text",
    function: "overwrite",
    summary: /^SIGSEGV executing 0x4847464544434241$/,
    line: /^return to 0x4847464544434241 \("ABCDEFGH"\): the return address on the stack was overwritten/
  },
  {
    kind: "returned",
    summary: /^SIGSEGV executing 0x464544434241$/,
    line: /^return to 0x464544434241 \("ABCDEF"\): the return address on the stack was overwritten/
  },
  {
    kind: "trap",
    function: "trap",
    summary: /^SIGILL: a trap of the compiler \(ud2\)/,
    line: /^a trap of the compiler \(ud2\)/
  },
  {
    kind: "breakpoint",
    function: "breakpoint",
    summary: /^SIGTRAP: a breakpoint instruction of the program \(int3\)$/,
    line: /^a breakpoint instruction of the program \(int3\) at line \d+$/
  },
  {
    kind: "least",
    function: "divide_least",
    summary: /^SIGFPE dividing$/,
    expression: ["a / b", [["b", "-1"]]],
    line: /^a \/ b: b = -1, the quotient does not fit$/
  },
  {
    kind: "large",
    function: "large",
    marked: false,
    summary: /^SIGSEGV: stack overflow$/,
    line: /^stack overflow: the frame of \d+ KiB is larger than the rest of the stack$/
  },
  // The program sends the signal: no address has faulted.
  { kind: "raise", function: "main", summary: /^SIGSEGV: sent by the program itself$/ }
]

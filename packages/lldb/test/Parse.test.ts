import { assert, describe, it } from "@effect/vitest"
import { Parse } from "../src/index.ts"

/** A location as `breakpoint list -v` prints it; the form is the same in LLDB 14, 16 and 19. */
const place = (id: string, fields: ReadonlyArray<string>, indent = "    ") =>
  [`${indent}${id}: `, ...fields.map((field) => `      ${field}`), ""].join("\n")

const template = (id: string, type: string, address: string, resolved: boolean) =>
  place(id, [
    "module = /src/tpl",
    "compile unit = tpl.cpp",
    `function = ::twice<${type}>(${type})`,
    "location = /src/tpl.cpp:4:14",
    `address = ${address}`,
    `resolved = ${resolved}`,
    "hardware = false",
    "hit count = 0   "
  ])

describe("the places of a breakpoint", () => {
  it("are one for each instance of a template, before the echo and after it", () => {
    const list = [
      "1: file = 'tpl.cpp', line = 4, exact_match = 0",
      template("1.1", "double", "0x00005555555551C7", true),
      template("1.2", "int", "0x00005555555551e3", true),
      ""
    ].join("\n")
    const common = { file: "/src/tpl.cpp", line: 4, column: 14, module: "/src/tpl" }
    const expected = [
      { ...common, function: "::twice<double>(double)", address: "0x5555555551c7" },
      { ...common, function: "::twice<int>(int)", address: "0x5555555551e3" }
    ]
    assert.deepStrictEqual(Parse.breakpointPlaces(list), expected)
    assert.deepStrictEqual(Parse.breakpointPlaces(`(lldb) breakpoint list -v 1\n${list}`), expected)
  })

  it("are found after the options of the breakpoint, and have LLDB's number", () => {
    const list = [
      "2: name = 'sq'",
      "",
      "    Breakpoint Options:",
      "      ignore: 2 enabled         2.1: ",
      ...["module = /x/sw", "function = sq", "location = /x/sw.c:2:25", "address = sw[0x1139]", "resolved = false"].map(
        (field) => `          ${field}`
      ),
      ""
    ].join("\n")
    assert.deepStrictEqual(Parse.breakpointLocations(list), [
      {
        number: "2.1",
        file: "/x/sw.c",
        line: 2,
        column: 25,
        function: "sq",
        module: "/x/sw",
        address: 0x1139n,
        loaded: false
      }
    ])
  })

  it("do not include code that is not loaded yet", () => {
    const list = [
      "1: file = 'tpl.cpp', line = 4, exact_match = 0",
      template("1.1", "double", "tpl[0x00000000000011c7]", false),
      template("1.2", "int", "0x00005555555551e3", true)
    ].join("\n")
    assert.deepStrictEqual(
      Parse.breakpointPlaces(list).map((found) => found.function),
      ["::twice<int>(int)"]
    )
    assert.deepStrictEqual(Parse.breakpointPlaces("3: name = 'nosuch'\n\n"), [])
    assert.deepStrictEqual(Parse.breakpointPlaces("3: name = 'nosuch', locations = 0 (pending)\n\n"), [])
    assert.deepStrictEqual(Parse.breakpointPlaces("error: '7' is not a currently valid breakpoint ID.\n"), [])
    assert.deepStrictEqual(Parse.breakpointPlaces(""), [])
  })

  it("follow a condition, options and commands", () => {
    const inlined = [
      "module = /src/tpl",
      "compile unit = tpl.cpp",
      "function = main",
      "location = /src/tpl.cpp:8:14",
      "address = 0x000055555555514e",
      "resolved = true",
      "hardware = false",
      "hit count = 1   "
    ]
    const expected = [
      {
        file: "/src/tpl.cpp",
        line: 8,
        column: 14,
        function: "main",
        module: "/src/tpl",
        address: "0x55555555514e"
      }
    ]
    for (const [head, body] of [
      ["4: name = 'main'\n\nCondition: argc > 0\n", place("4.1", inlined)],
      ["4: name = 'main'\n\n    Breakpoint commands:\n      version\n", place("4.1", inlined)],
      ["4: name = 'main'\n\n    Breakpoint Options:\n", place("4.1", inlined, "      disabled         ")],
      ["4: name = 'main'\n\n    Breakpoint Options:\n", place("4.1", inlined, "      ignore: 3 enabled         ")]
    ] as const) {
      assert.deepStrictEqual(Parse.breakpointPlaces(head + body), expected, head)
    }
    assert.strictEqual(
      Parse.breakpointPlaces(`4: name = 'main'\n${place("4.1", inlined)}${place("4.2", inlined)}`).length,
      2
    )
  })

  it("without debug information have a symbol and an address", () => {
    const list = [
      "1: name = 'helper'",
      place("1.1", ["module = /src/plain", "symbol = helper", "address = 0x0000555555555129", "resolved = true"])
    ].join("\n")
    assert.deepStrictEqual(Parse.breakpointPlaces(list), [
      { function: "helper", module: "/src/plain", address: "0x555555555129" }
    ])
  })

  it("may have paths with colons, blanks and equals signs, and no column", () => {
    const list = place("1.1", [
      "module = /src/a = b/tpl",
      "location = /src/x:1 y/a = b.c:12",
      "address = 0x0000000000000010",
      "resolved = true"
    ])
    assert.deepStrictEqual(Parse.breakpointPlaces(list), [
      { file: "/src/x:1 y/a = b.c", line: 12, module: "/src/a = b/tpl", address: "0x10" }
    ])
  })
})

describe("a version", () => {
  it("is found in the text of each generation", () => {
    for (const [text, expected] of [
      ["lldb version 14.0.6", "14.0.6"],
      ["lldb version 19.1.7\n", "19.1.7"],
      ["Debian lldb version 22.1.8 (revision abc)", "22.1.8"],
      ["lldb-1700.0.9.46\nApple Swift version 6.1", "1700.0.9.46"],
      ["gdb 16.3", undefined],
      ["", undefined]
    ] as const) {
      assert.strictEqual(Parse.version(text), expected, text)
    }
  })
})

describe("a failed command", () => {
  it("starts with error:, and the rest is the problem", () => {
    for (const [text, expected] of [
      ["error: 'nosuchcmd' is not a valid command.\n", "'nosuchcmd' is not a valid command."],
      ["error: two\nlines\n", "two\nlines"],
      ["\nerror: Command requires a current process.\n", "Command requires a current process."],
      ["1 breakpoints deleted\n", undefined],
      ["the program printed error: no", undefined],
      ["", undefined]
    ] as const) {
      assert.strictEqual(Parse.failure(text), expected, text)
    }
  })
})

describe("a failed expression", () => {
  it("is reported with the compiler's first message only", () => {
    const undeclared = "use of undeclared identifier 'nosuchvar'"
    for (const [text, expected] of [
      [
        `error: expression failed to parse:\nerror: <user expression 0>:1:1: ${undeclared}\nnosuchvar + 1\n^\n`,
        undeclared
      ],
      [`error: <user expression 3>:1:1: ${undeclared}\n    1 | nosuchvar + 1\n      | ^\n`, undeclared],
      [`<user expression 12>:1:1: ${undeclared}\n    1 | nosuchvar + 1`, undeclared],
      ["error: <user expression 0>:2:1: expected expression\n    2 | ;\n      | ^", "expected expression"],
      [
        "  Evaluated this expression after applying Fix-It(s):\n    items->id\nerror: <user expression 0>:1:6: is a pointer\n    1 | items.id",
        "is a pointer"
      ],
      ["error: no variable named 'x' found in this frame", "no variable named 'x' found in this frame"],
      [
        "error: Couldn't materialize: couldn't get the value of variable t: variable not available\nerror: errored out in Fn",
        "t is optimized out"
      ],
      [
        "error: Couldn't materialize: couldn't get the value of variable z: failed to read memory DW_OP_piece(8) from host",
        "LLDB cannot read DW_OP_piece, where z is"
      ],
      [
        "error: <lldb wrapper prefix>:45:31: no member named 'k' in namespace '$__lldb_local_vars'",
        "LLDB cannot read k"
      ],
      [
        "error: <lldb wrapper prefix>:45:11: use of undeclared identifier '$__lldb_local_vars'\n   45 | using $__lldb_local_vars::a;",
        "LLDB compiles no expression in a lambda of gcc"
      ],
      ["error: <user expression 2>:1:1: unknown type name 'i'\n    1 | i*j", "use of undeclared identifier 'i'"],
      ["", ""]
    ] as const) {
      assert.strictEqual(Parse.expressionProblem(text), expected, text)
    }
  })

  it("names the functions that the program does not contain", () => {
    const text =
      "error: Couldn't look up symbols:\n  std::vector<int>::size() const\nHint: The expression tried to call a function\n"
    assert.strictEqual(
      Parse.expressionProblem(text),
      "the program has no code to call for std::vector<int>::size() const: the compiler inlined or omitted it"
    )
  })

  it("ends in … after 1000 characters", () => {
    const problem = Parse.expressionProblem("x".repeat(5000))
    assert.strictEqual(problem.length, 1000)
    assert.isTrue(problem.endsWith("…"))
  })
})

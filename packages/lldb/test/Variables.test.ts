/** Trees of values as LLDB prints them. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Result, Schema } from "effect"
import { Modules, Registers, Variables } from "../src/index.ts"

const lines = (...text: ReadonlyArray<string>) => text.join("\n")

/** Returns a compact form of a tree. */
const brief = (node: Variables.Node): unknown => [
  `${node.type} ${node.name}=${node.text}${node.opens ? "…" : ""}${node.more ? "+" : ""}`,
  ...node.children.map(brief)
]

/** A printed value: with a text, or with members. */
interface Made {
  readonly name: string
  readonly text: string
  readonly children: ReadonlyArray<Made>
}

const Name = Schema.String.check(Schema.isPattern(/^[a-z_][a-z0-9_]{0,8}$/))
const Text = Schema.String.check(Schema.isPattern(/^[0-9A-Za-z"'<>.]{1,12}$/))
const Leaf = Schema.Struct({ name: Name, text: Text })
const Branch = Schema.Struct({ name: Name, members: Schema.Array(Leaf).check(Schema.isMaxLength(3)) })
const Tree = Schema.Struct({ name: Name, branches: Schema.Array(Branch).check(Schema.isMaxLength(3)) })

const printed = (made: Made, level: number): string => {
  const head = `0x10: ${"  ".repeat(level)}(t) ${made.name} = `
  return made.text !== ""
    ? `${head}${made.text}`
    : [`${head}{`, ...made.children.map((child) => printed(child, level + 1)), `${"  ".repeat(level)}}`].join("\n")
}

const read = ({ children, name, text }: Variables.Node): Made => ({ name, text, children: children.map(read) })

const runs = { arbitrary: { runs: 300 } }

describe("values", () => {
  it("reads a reference without the colon after its address", () => {
    const [shape] = Variables.trees(
      ["ARG: scalar: (Square &) shape = 0x0000555555572eb0: {", "0x0000555555572ed8:   (double) side_ = 2", "}"].join(
        "\n"
      )
    )
    assert.strictEqual(shape?.text, "0x0000555555572eb0")
    assert.strictEqual(shape?.children[0]?.text, "2")
  })

  it("reads a reference without the colon after its summary", () => {
    const [text, same] = Variables.trees(
      '0x7ffe10: (const std::string &) n = "ann:": {\n0x7ffe20:   (int) size = 3\n}\n0x7ffe30: (Named) same = "a:" {\n}\n'
    )
    assert.deepInclude(text, { name: "n", text: '"ann:"' })
    assert.deepInclude(same, { name: "same", text: '"a:"' })
  })

  it("reads a reference to an array without the colon after its summary", () => {
    const [cells] = Variables.trees(
      "LOCAL: 0x7ffe10: (int (&)[1][2]) cells = 0x7ffe20 {{1, 2}}: {\n0x7ffe20:   (int[2]) [0] = {}\n}\n"
    )
    assert.deepInclude(cells, { name: "cells", text: "0x7ffe20 {{1, 2}}" })
  })

  it("begin a new line after a reference to an incomplete type", () => {
    const text = 'LOCAL: 0x10: (const E &) error = 0x20 <incomplete type "const E">LOCAL: 0x30: (int) other = 6\n'
    assert.deepStrictEqual(
      Variables.trees(text).map(({ name, text: value }) => [name, value]),
      [
        ["error", '0x20 <incomplete type "const E">'],
        ["other", "6"]
      ]
    )
  })

  it("are parsed with their children", () => {
    const trees = Variables.trees(
      lines(
        "ARG: 0x00007ffe40: (char **) argv = 0x00007ffe28 {",
        '0x00007ffe28:   (char *) *argv = 0x00007fefd4 "/bin/t" {',
        "0x00007fefd4:     (char) **argv = '/'",
        "  }",
        "}",
        "LOCAL: 0x00007fe7c0: (int[3]) arr = {",
        "0x00007fe7c0:   (int) [0] = 1",
        "  ...",
        "}",
        "LOCAL: rbx: (int (*)(int, int)) fn = 0x0000555149 (t`add at t.c:9:23) {}",
        "LOCAL: 0x00007fec00: (point) at ={...}",
        "LOCAL: 0x00007fec00: (union) = {",
        "0x00007fec00:   (int) i = 1",
        "}",
        "LOCAL: scalar: (point *) nul = NULL",
        "LOCAL: 0x00007fed00: (alloc::vec::Vec<int, alloc::alloc::Global>) none = 0 {}",
        "*** Some of the displayed variables have more members than the debugger will show by default."
      )
    )
    assert.deepStrictEqual(trees.map(brief), [
      ["char ** argv=0x00007ffe28…", ['char * *argv=0x00007fefd4 "/bin/t"…', ["char **argv='/'"]]],
      ["int[3] arr=…+", ["int [0]=1"]],
      ["int (*)(int, int) fn=0x0000555149 (t`add at t.c:9:23)…"],
      ["point at=…"],
      ["union =…", ["int i=1"]],
      ["point * nul=NULL"],
      ["alloc::vec::Vec<int, alloc::alloc::Global> none=0 {}"]
    ])
    assert.deepStrictEqual(trees.map(({ location, scope }) => [scope, location]).slice(0, 3), [
      ["ARG", "0x00007ffe40"],
      ["LOCAL", "0x00007fe7c0"],
      ["LOCAL", "rbx"]
    ])
  })

  it("keep lines of another form as part of their text", () => {
    const [bad, next] = Variables.trees(
      lines(
        '0x1000: (const char *) bad = 0x0000000000000001 "" {',
        ":   (const char) *bad = <read memory from 0x1 failed (0 of 1 bytes read)>",
        "",
        "}",
        "0x1008: (int) next = 3"
      )
    )
    assert.strictEqual(bad?.children[0]?.text, "<read memory from 0x1 failed (0 of 1 bytes read)>")
    assert.strictEqual(next?.text, "3")
  })

  it.prop(
    "of any form are parsed as they were printed",
    [Schema.Array(Tree).check(Schema.isMaxLength(3))],
    ([trees]) => {
      const made = trees.map((tree): Made => ({
        name: tree.name,
        text: "",
        children: tree.branches.map((branch) => ({
          name: branch.name,
          text: "",
          children: branch.members.map((leaf) => ({ ...leaf, children: [] }))
        }))
      }))
      const text = made.map((one) => printed(one, 0)).join("\n")
      assert.deepStrictEqual(Variables.trees(text).map(read), made)
    },
    runs
  )
})

describe("an answer of any length", () => {
  it.effect.prop(
    "is parsed in steps as at once",
    [Schema.Array(Tree).check(Schema.isMaxLength(3)), Schema.Array(Text), Schema.Boolean],
    ([made, texts, hasEnd]) =>
      Effect.gen(function* () {
        const values = made.map((one) =>
          printed(
            { name: one.name, text: "", children: one.branches.map(({ name }) => ({ name, text: "1", children: [] })) },
            0
          )
        )
        const text = [...values, ...texts, "..."].join("\n") + (hasEnd ? "\n" : "")
        assert.deepStrictEqual(yield* Variables.treesInSteps(text), Variables.trees(text))
      }),
    runs
  )

  it.effect("lets other fibers run between steps", () =>
    Effect.gen(function* () {
      const line = "0x10:   (int) [123] = 42\n"
      const text = `0x10: (int[20000]) values = {\n${line.repeat(20_000)}: }\n`
      let turns = 0
      const other = yield* Effect.forkChild(
        Effect.forever(
          Effect.andThen(
            Effect.sync(() => turns++),
            Effect.yieldNow
          )
        )
      )
      const [values] = yield* Variables.treesInSteps(text)
      yield* Fiber.interrupt(other)
      assert.lengthOf(values?.children ?? [], 20_000)
      // Both fibers run in turn.
      assert.isAtLeast(turns, Math.floor(text.length / 65_536))
    })
  )
})

describe("paths and expressions", () => {
  it("are distinguished, and only paths are read as variables", () => {
    for (const path of ["n", "n.next->at.x", "arr[10][2]", "*p", "&n", "a->b[3].c", "$sp"]) {
      assert.isTrue(Variables.isPath(path), path)
    }
    assert.isFalse(Variables.isPath("::n"))
    assert.isTrue(Result.isSuccess(Variables.paths(["::n", "*::p", "::n.next->at[2]"], { levels: 1 })))
    for (const text of [
      "",
      "::",
      "a::b",
      ":::n",
      "**p",
      "a b",
      "a; quit",
      "f(1)",
      "a[i]",
      "a\nb",
      "-x",
      "a.",
      "`a`",
      "x --"
    ]) {
      assert.isFalse(Variables.isPath(text), text)
      assert.isTrue(Result.isFailure(Variables.paths([text], { levels: 1 })), text)
    }
  })

  it.prop(
    "are one line, whatever they contain",
    [Schema.String],
    ([text]) => {
      const line = Variables.expression(text, { levels: 1 })
      if (Result.isFailure(line)) return assert.match(text, /[\u0000-\u001f\u007f]/)
      assert.notMatch(line.success, /[\u0000-\u0008\u000a-\u001f\u007f]/)
      assert.notMatch(line.success, /(?:^|[^\\])`/)
    },
    runs
  )
})

describe("lists", () => {
  it("of registers have groups and LLDB's text of a value", () => {
    assert.deepStrictEqual(
      Registers.groups(
        lines(
          "General Purpose Registers:",
          "       rip = 0x00005365  t`main + 487",
          "        r8 = 0x00",
          "",
          "Floating:"
        )
      ),
      [
        {
          name: "General Purpose Registers",
          registers: [
            { name: "rip", value: "0x00005365 t`main + 487" },
            { name: "r8", value: "0x00" }
          ]
        }
      ]
    )
  })

  it("of modules have paths with blanks, and no path for a module without a file", () => {
    assert.deepStrictEqual(
      Modules.parse(
        lines(
          "[  0] CF40161C-4BF7-6CDA-25C3-D5DE3F08FAEE-95229E8E 0x0000555555554000 /tmp/a b/t ",
          "[  1] E95BAAEA-EC85-34ED-C5DF-3654182DDF12-B19D9B23 0x00007ffff7fc8000 [vdso] (0x00007ffff7fc8000)"
        )
      ),
      [
        {
          name: "t",
          path: "/tmp/a b/t",
          address: "0x555555554000",
          uuid: "CF40161C-4BF7-6CDA-25C3-D5DE3F08FAEE-95229E8E"
        },
        {
          name: "[vdso]",
          path: "[vdso]",
          address: "0x7ffff7fc8000",
          uuid: "E95BAAEA-EC85-34ED-C5DF-3654182DDF12-B19D9B23"
        }
      ]
    )
    assert.deepStrictEqual(Modules.files(lines("[  0] /tmp/a b/t", "[  1] (0x00007ffff7fc8000)")), ["/tmp/a b/t", ""])
  })
})

describe("globals of all files", () => {
  it("are read by module and file, with the file that declares them", () => {
    assert.deepStrictEqual(
      Variables.declared(["/tmp/a b"], 'x".c', 19),
      Result.succeed('target variable -c -T -L -D 0 -P 0 --shlib "/tmp/a b" --file "x\\".c"')
    )
    const found = Variables.declarations(
      lines(
        "Global variables for /tmp/app",
        "app`pool.c:3:28: 0x0000555555558038: (point) origin ={...}",
        "app`app.c:2:12: 0x0000555555558034: (int) hidden = 42",
        '0x0000555555558028: (const char *) label = 0x0000555555556004 "a: (b) = c"{...}'
      )
    )
    assert.deepStrictEqual(
      found.map(({ file, node: { location, name, opens, text, type } }) => [name, type, text, opens, location, file]),
      [
        ["hidden", "int", "42", false, "0x0000555555558034", "app.c"],
        ["label", "const char *", '0x0000555555556004 "a: (b) = c"', true, "0x0000555555558028", undefined],
        ["origin", "point", "", true, "0x0000555555558038", "pool.c"]
      ]
    )
  })
})

describe("objects of incomplete types", () => {
  it("have the summary once", () => {
    const printed = lines(
      '0x10: (std::string) a = "text" <incomplete type "std::string">',
      '0x20: (Foo) b = <incomplete type> <incomplete type "Foo">',
      '0x30: (Foo &) c = 0x20 <incomplete type> <incomplete type "Foo">',
      '0x40: (Foo &) d = 0x20 <incomplete type "Foo">'
    )
    assert.deepStrictEqual(
      Variables.trees(printed).map(({ text }) => text),
      ['"text"', "<incomplete type>", "0x20 <incomplete type>", '0x20 <incomplete type "Foo">']
    )
  })
})

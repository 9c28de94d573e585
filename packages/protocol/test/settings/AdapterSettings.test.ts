// Descriptions of further debug adapters: the arguments that templates make, and mistakes.
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { AdapterSettings, Settings } from "../../src/index.ts"

const meanings = {
  program: "/src/a b.rb",
  args: ["-x", "1"],
  cwd: "/src",
  env: { A: "1" },
  stop_on_entry: false,
  pid: 7
}

const problemOf = (key: string, text: string) => Result.getOrThrow(Settings.find(key)).problem(text)

describe("a template", () => {
  it.each([
    ["${program}", "/src/a b.rb"],
    ["${args}", ["-x", "1"]],
    ["${env}", { A: "1" }],
    ["${stop_on_entry}", false],
    ["${pid}", 7],
    ["file://${program}?pid=${pid}", "file:///src/a b.rb?pid=7"],
    [
      ["ruby", "${program}", "${args}"],
      ["ruby", "/src/a b.rb", "-x", "1"]
    ],
    [{ inner: { list: [[1, true, null, "${cwd}"]] } }, { inner: { list: [[1, true, null, "/src"]] } }]
  ])("%j becomes %j", (value, expected) => {
    assert.deepStrictEqual(AdapterSettings.fill(JSON.stringify({ value }), meanings), { value: expected })
  })

  it("does not read placeholders in what the caller wrote", () => {
    const filled = AdapterSettings.fill('{"program":"${program}","text":"run ${program}"}', {
      ...meanings,
      program: "${cwd}/$&"
    })
    assert.deepStrictEqual(filled, { program: "${cwd}/$&", text: "run ${cwd}/$&" })
  })

  it.each([
    ["launch", '{"program":"${program}","folder":"${folder}/x"}', undefined],
    ["launch", "[]", "write a table or the text of a JSON object"],
    ["launch", "{", "write a table or the text of a JSON object"],
    ["launch", '{"a":[{"b":"${prgram}"}]}', "there is no ${prgram}; there are ${program}, ${args}"],
    ["launch", '{"pid":"${pid}"}', "there is no ${pid}"],
    ["attach", '{"pid":"${pid}"}', undefined],
    ["launch", '{"line":"ruby ${args}"}', '${args} cannot be part of a text; write "${args}"']
  ])("%s %s: %s", (template, text, problem) => {
    const found = problemOf(`adapters.x.${template}`, text)
    if (problem === undefined) assert.isUndefined(found)
    else assert.include(found, problem)
  })
})

describe("a description", () => {
  it.each([
    [{ "adapters.x.command": "ruby" }, []],
    [{ "adapters.gdb.args": ["-x"] }, []],
    [{ "adapters.x.languages": ["Ruby"] }, ["adapters.x.languages: set adapters.x.command too"]],
    [{ "adapters.lldb-19.command": "x" }, ["adapters.lldb-19.command: lldb-19 is the name of a backend"]],
    [{ "adapters.x.command": "x", "adapters.x.port": "1" }, ['adapters.x.port: set transport = "tcp" too']],
    [{ "adapters.x.command": "x", "adapters.x.args": ["${port}"] }, ['adapters.x.args: set transport = "tcp"']],
    [{ "adapters.x.command": "x", "adapters.x.args": ["${prot}"] }, ["adapters.x.args: there is no ${prot}"]],
    [{ "adapters.x.command": "x", "adapters.x.transport": "tcp" }, ["adapters.x.transport: name the port"]],
    [{ "adapters.x.command": "x", "adapters.x.transport": "tcp", "adapters.x.env.P": "${port}" }, []],
    [{ "adapters.x.command": "x", "adapters.x.transport": "tcp", "adapters.x.port": "80" }, []]
  ])("%j: %j", (values, expected) => {
    const found = AdapterSettings.misfits(values).map(({ key, problem }) => `${key}: ${problem}`)
    assert.strictEqual(found.length, expected.length, found.join("\n"))
    for (const [index, text] of expected.entries()) assert.include(found[index], text)
  })

  it.each([
    ["command", "ruby", true],
    ["command", "/opt/rdbg", true],
    ["command", "${folder}/rdbg", true],
    ["command", "./rdbg", false],
    ["command", "", false],
    ["transport", "pipe", false],
    ["port", "65536", false],
    ["quirks", "stops_without_ids", true],
    ["quirks", "stopsWithoutIds", false],
    ["sample", "app.rb", false]
  ])("takes %s = %s: %s", (key, text, isValid) => {
    assert.strictEqual(problemOf(`adapters.x.${key}`, text) === undefined, isValid)
  })

  it("names files beside the configuration file by ${folder}", () => {
    const directory = '/home/"me"'
    assert.deepStrictEqual(AdapterSettings.inFolder("adapters.x.args", ["${folder}/a.rb", "b"], directory), [
      '/home/"me"/a.rb',
      "b"
    ])
    const launch = AdapterSettings.inFolder("adapters.x.launch", '{"a":"${folder}/a"}', directory)
    assert.deepStrictEqual(JSON.parse(String(launch)), { a: '/home/"me"/a' })
    assert.strictEqual(AdapterSettings.inFolder("alias.x", "${folder}", directory), "${folder}")
  })
})

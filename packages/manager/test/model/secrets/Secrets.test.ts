import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Secrets from "../../../src/model/secrets/Secrets.ts"
import { FakeBackend, SimulatedProgram } from "../../../src/testing/index.ts"
import { call, over } from "../../support.ts"

const secrets = Secrets.make(undefined)

describe("a name", () => {
  it.each([
    "password",
    "PASSWORD",
    "userPassword",
    "dbpassword",
    "MYSQL_ROOT_PASSWORD",
    "passwd",
    "api_key",
    "apiKey",
    "APIKey",
    "X-Api-Key",
    "token",
    "authToken",
    "access_token",
    "client_secret",
    "secretKey",
    "private_key",
    "credentials",
    "user.password",
    "users[3]->password[0]",
    "*token",
    "d['password']",
    "strlen(password)",
    "(char *)cfg.inner.api_key"
  ])("%s is secret", (name) => assert.isTrue(secrets.named(name)))

  it.each(["total", "items", "tokenizer", "n", "key", "monkey", "passenger", "password_len", "tokenCount", "0x1234"])(
    "%s is none",
    (name) => assert.isFalse(secrets.named(name))
  )

  it("is secret when the configuration says so, with * for any characters, unless masking is off", () => {
    const more = Secrets.make({ "redact.names": ["ssn", "card_*"] })
    assert.isTrue(more.named("customer.ssn"))
    assert.isTrue(more.named("card_number"))
    assert.isFalse(more.named("discard"))
    assert.isTrue(more.named("password"))
    assert.isFalse(Secrets.make({ "redact.enabled": "false" }).named("password"))
  })
})

describe("a debugger's text", () => {
  it.each([
    ['{id:1, password:"hunter2", n:3}', "{id:1, password:<masked>, n:3}"],
    ['{password = "a, b}", n = 3}', "{password = <masked>, n = 3}"],
    ['{inner:{api_key:0x55 "k"}, n:3}', "{inner:{api_key:<masked>}, n:3}"],
    ["{token:{a:1, b:{c:2}}, n:3}", "{token:<masked>, n:3}"],
    ["{'password': 'hunter2', 'n': 3}", "{'password': <masked>, 'n': 3}"],
    ['main.User {Name: "x", Password: "y"}', 'main.User {Name: "x", Password: <masked>}'],
    ['Some(Login { user: "a", secret: [1, 2] })', 'Some(Login { user: "a", secret: <masked> })'],
    ['{ id = 1 password = "x" user = "y" }', '{ id = 1 password = <masked> user = "y" }'],
    ["total=10", "total=10"],
    ['"no password here"', '"no password here"']
  ])("%s", (text, expected) => assert.strictEqual(secrets.inText(text), expected))

  it("is masked where an error about a secret expression quotes it", () => {
    assert.strictEqual(
      secrets.inProblem("int(password)", "invalid literal for int() with base 10: 'hunter2'"),
      "invalid literal for int() with base 10: <masked>"
    )
    assert.strictEqual(secrets.inProblem("password + 'x'", "cannot add 'x'"), "cannot add 'x'")
  })
})

const word = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9]{6,12}$/))
const plain = Schema.Literals(["id", "count", "user", "n"])
const hidden = Schema.Literals(["password", "apiKey", "auth_token", "clientSecret", "db_password"])

it.prop(
  "the text of a secret member is hidden, whatever text surrounds it",
  [plain, word, hidden, word, plain, word],
  ([first, one, name, secret, last, two]) => {
    const kept = [one, two].every((other) => !other.includes(`S${secret}`) && !`S${secret}`.includes(other))
    for (const text of [
      `{${first}:"${one}", ${name}:"S${secret}", ${last}:"${two}"}`,
      `{${first} = "${one}", inner = {${name} = 0x10 "S${secret}"}, ${last} = "${two}"}`,
      `{'${first}': '${one}', '${name}': ['S${secret}', 1], '${last}': '${two}'}`
    ]) {
      const shown = secrets.inText(text)
      assert.notInclude(shown, `S${secret}`)
      if (kept) assert.include(shown, one)
      assert.include(shown, two)
    }
  }
)

/** The sample program with secrets of each form in its innermost frame. */
const keeping = (name: string, secret: string): SimulatedProgram.Program => {
  const login: SimulatedProgram.Content = {
    value: `{id:1, ${name}:"${secret}"}`,
    type: "struct login",
    parts: {
      id: "1",
      [name]: { value: `"${secret}"`, parts: { "[0]": { value: secret, unnamed: true, parts: {} } } },
      inner: { value: "{...}", unnamed: true, parts: { [name]: `"${secret}"` } }
    }
  }
  const variables = { n: "1", [name]: `"${secret}"`, login }
  return {
    ...SimulatedProgram.sample,
    moments: SimulatedProgram.sample.moments.map(({ stack: [top, ...callers], ...moment }) => ({
      ...moment,
      stack: [{ ...top, variables }, ...callers]
    })),
    expressions: {
      [`get_${name}(login)`]: `"${secret}"`,
      [`(${name})[0]`]: secret,
      [`(${name})[1]`]: secret,
      [`*(unsigned char *)0x1000`]: secret,
      [`&(${name})`]: "0x1000",
      [`sizeof(${name})`]: "1"
    }
  }
}

describe("a session", () => {
  it.effect.prop(
    "masks a secret in every answer unless it is revealed",
    [hidden, word],
    ([name, random]) => {
      const secret = `S${random}S`
      const fake = FakeBackend.make(keeping(name, secret))
      return over(
        fake,
        Effect.gen(function* () {
          const seen: Array<[string, unknown]> = []
          const see = <A, E, R>(what: string, asked: Effect.Effect<A, E, R>) =>
            Effect.map(Effect.result(asked), (answer) => void seen.push([what, answer]))
          yield* see("start", call.start({ break: ["main", "square"], context: "full" }))
          yield* see("locals", call.locals({ depth: 3 }))
          yield* see("locals --full", call.locals({ full: true, scope: ["all"] }))
          yield* see("args", call.args())
          yield* see("vars", call.vars([name, "login"]))
          yield* see("globals", call.globals())
          for (const expression of [name, "login", `login.${name}`, `(${name})[0]`]) {
            yield* see(`print ${expression}`, call.print([expression], { depth: 3 }))
            yield* see(`print --format ${expression}`, call.print([expression], { format: "x" }))
            yield* see(`expand ${expression}`, call.expand(expression, { depth: 3 }))
            yield* see(`eval ${expression}`, call.eval(expression))
          }
          yield* see("print --array", call.print([name], { array: 2 }))
          yield* see("eval", call.eval(`get_${name}(login)`))
          const opened = yield* call.print(["login"], { depth: 1 })
          for (const child of opened.data.values[0]?.children ?? []) {
            if (child.ref !== undefined) yield* see(`expand ${child.name}`, call.expand(child.ref, { depth: 3 }))
            if (child.ref !== undefined) yield* see(`print ${child.name}`, call.print([child.ref], { depth: 3 }))
          }
          assert.deepInclude((yield* call.set(name, '"new"')).data, { old: Secrets.mask })
          assert.notInclude(JSON.stringify((yield* call.set(name, '"newest"')).data.new), "newest")
          yield* see("watch", call.watch(name))
          yield* see("break --eval", call.break("app.c:3", { eval: [name, "login"] }))
          yield* see("break --continue", call.break("app.c:10", { eval: [name, "login"], continue: true }))
          yield* see("logpoint", call.logpoint("app.c:11", `{${name}} {login}`))
          yield* see("continue", call.continue({ eval: [name, `login.${name}`], context: "full" }))
          yield* see("changed", call.changed({ expr: [name] }))
          yield* see("context", call.context())
          yield* see("backtrace", call.backtrace({ locals: true, all_threads: true }))
          yield* see("refs", call.refs())
          yield* see("next", call.next())
          yield* see("continue", call.continue())
          yield* see("info", call.info(4))
          yield* see("output", call.output())
          yield* see("events", call.events())
          for (const [what, answer] of seen) assert.notInclude(JSON.stringify(answer), secret, what)
          assert.include(JSON.stringify((yield* call.print(["login"], { reveal: true })).data), secret)
          assert.include(JSON.stringify((yield* call.locals({ reveal: true })).data), secret)
        })
      )
    },
    { arbitrary: { runs: 20 } }
  )

  it.effect("masks a secret by its shape in values, expressions, errors and hints, unless it is revealed", () => {
    const token = `ghp_${"a1B2".repeat(9)}`
    const fake = FakeBackend.make(keeping("url", `https://me:hunter2@example.org/?t=${token}`))
    return over(
      fake,
      Effect.gen(function* () {
        const seen = [
          yield* call.start({ break: ["square"], context: "full" }),
          yield* call.locals({ depth: 3 }),
          yield* call.print(["url"]),
          yield* call.eval("get_url(login)"),
          yield* Effect.flip(call.print([`"${token}"`])),
          yield* Effect.flip(call.break(`nowhere.c:1 if t == "${token}"`)),
          yield* Effect.flip(call.start({ program: `/src/${token}`, session: "other" }))
        ]
        for (const answer of seen) {
          const text = JSON.stringify({ ...answer, ...("message" in answer ? { message: answer.message } : {}) })
          assert.notInclude(text, token)
          assert.notInclude(text, "hunter2")
        }
        const [, locals] = seen
        assert.include(JSON.stringify(locals), "https://me:<masked: password>@example.org/?t=<masked: GitHub token>")
        assert.include(JSON.stringify(yield* call.print(["url"], { reveal: true })), token)
      })
    )
  })

  it.effect("masks program output in every page and report, and shows it with reveal", () => {
    const token = `ghp_${"a1B2".repeat(9)}`
    const { sample } = SimulatedProgram
    const moments = sample.moments.map((moment) =>
      "writes" in moment ? { ...moment, writes: `t=${token}\n` } : moment
    )
    const fake = FakeBackend.make({ ...sample, moments })
    return over(
      fake,
      Effect.gen(function* () {
        const ended = yield* call.start()
        const whole = yield* call.output()
        const page = yield* call.output({ limit: 12 })
        const found = yield* call.output({ match: token.slice(0, 12) })
        for (const answer of [ended, whole, page, found, yield* call.context()]) {
          assert.notInclude(JSON.stringify(answer), token.slice(4, 14))
        }
        assert.include(whole.data.text, "t=<masked: GitHub token")
        assert.strictEqual(found.data.text, "")
        assert.include((yield* call.output({ reveal: true })).data.text, token)
      })
    )
  })

  it.effect("says that a value is masked and keeps the others", () => {
    const fake = FakeBackend.make(keeping("password", "hunter2"))
    return over(
      fake,
      Effect.gen(function* () {
        yield* call.start({ break: ["square"] })
        const { variables } = (yield* call.locals()).data
        assert.deepStrictEqual(
          variables.map(({ attributes, name, value }) => [name, value, attributes]),
          [
            ["n", "1", undefined],
            ["password", "<masked>", ["masked"]],
            ["login", "{id:1, password:<masked>}", undefined]
          ]
        )
        const detail = yield* Effect.flip(call.memoryRead("password"))
        assert.deepInclude(detail, { _tag: "EvaluationFailed" })
      })
    )
  })

  it.effect("shows every value when masking is turned off", () => {
    const fake = FakeBackend.make(keeping("password", "hunter2"))
    return over(
      fake,
      Effect.gen(function* () {
        yield* call.start({ break: ["square"], settings: { "redact.enabled": "false" } })
        assert.strictEqual((yield* call.print(["password"])).data.values[0]?.value, '"hunter2"')
        const bearer = yield* call.set("n", '"Bearer abcdef123456"')
        assert.include(bearer.data.new.value, '"Bearer abcdef123456"')
      })
    )
  })
})

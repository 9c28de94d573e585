import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { SecretShapes } from "@sigtrap/protocol"

// Written in parts, so that no scanner takes the examples for secrets.
const body = "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
const github = `ghp_${body}`
const keyBody = ["MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7", "VJTUt9Us8cKjMzEfYyjiWA4R4xRk", "aGVsbG8="]
const key = `-----BEGIN RSA PRIVATE KEY-----\n${keyBody.join("\n")}\n-----END RSA PRIVATE KEY-----`
const token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"

/** Secrets, each with its label and with the text around it that stays. */
const secrets: ReadonlyArray<readonly [secret: string, label: string, before?: string, after?: string]> = [
  [github, "GitHub token"],
  [`gho_${body}`, "GitHub token"],
  [`ghs_${body}`, "GitHub token"],
  [`github_pat_11ABCDEFG0${body}_${body}`, "GitHub token"],
  [`glpat-${body.slice(0, 20)}`, "GitLab token"],
  [`npm_${body}`, "npm token"],
  ["AKIAIOSFODNN7EXAMPLE", "AWS key"],
  ["ASIAIOSFODNN7EXAMPLE", "AWS key"],
  [`AIza${body.slice(0, 35)}`, "Google key"],
  [`xoxb-17653672481-19874698323-${body.slice(0, 12)}`, "Slack token"],
  [`sk-${body}`, "API key"],
  [`sk-ant-api03-${body}`, "API key"],
  [`sk_live_${body.slice(0, 24)}`, "API key"],
  [token, "JSON web token"],
  [`${body}-._~+/${body}==`, "bearer token", "Bearer "],
  ["dXNlcjpodW50ZXIy", "password", "Authorization: Basic "],
  ["hunter2", "password", "postgres://app:", "@db.example.org:5432/app?ssl=1"],
  ["p@ss:w-rd", "password", "https://me@example.org:", "@[::1]:80/x"],
  [key, "private key"],
  [key.replaceAll("RSA ", ""), "private key"],
  [key.replaceAll("RSA", "OPENSSH"), "private key"]
]

/** Text that looks like a secret and is none. */
const harmless = [
  "9fceb02d0ae598e95dc970b74767f19372d61af8",
  "e334404 tests, protocol: word test titles",
  "123e4567-e89b-12d3-a456-426614174000",
  "VGhlIHF1aWNrIGJyb3duIGZveCBqdW1wcyBvdmVyIHRoZSBsYXp5IGRvZw==",
  "eyJhIjoxLCJiIjpbMSwyLDNdfQ==",
  'data:application/json;base64,eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbXX0=, "x"',
  "std::string::npos std::vector<std::string>::operator[]",
  "10:31:09 #118 mcp:claude-code control next ok",
  "http://localhost:8080/@scope/package?x=a:b@c#d",
  "https://example.org/user:name@host",
  "connect://127.0.0.1:1234",
  "listening on http://HOST:PORT",
  "http://me@example.org:8080",
  "git@github.com:owner/name.git",
  "me@example.org",
  "a Bearer token",
  "Bearer authentication is required",
  'WWW-Authenticate: Bearer realm="x"',
  "the bearer of this letter",
  "class sk-loading-spinner-large-and-round-with-a-shadow",
  "task-0123456789012345678901234567890123456789",
  "risk_live_and_more",
  "ghp_count = 3",
  "github_pat_ is a prefix",
  "npm_config_registry npm_lifecycle_event",
  "EURASIA AKIAH asiatic",
  "QUFBQUFBAKIAIOSFODNN7EXAMPLEQUFBQQ==",
  "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBa\n-----END CERTIFICATE-----",
  "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA\n-----END PUBLIC KEY-----",
  "xoxo- with love",
  "0x7fffffffe3a0 'a' \\x1b[31m"
]

const inText = (secret: string, [before, after]: readonly [string, string]) => `${before}${secret}${after}`

const named = secrets.map((one) => [one[0].replaceAll(/\s+/g, " ").slice(0, 40), one] as const)

describe("a secret", () => {
  it.each(named)("%s is masked with its label", (_, [secret, label, before = "", after = ""]) => {
    for (const around of [
      ["", ""],
      ['{key = "', '", n = 3}'],
      ["out: ", "\n"],
      ["(", "), x"]
    ] as const) {
      const text = inText(before + secret + after, around)
      assert.strictEqual(SecretShapes.mask(text), inText(`${before}<masked: ${label}>${after}`, around))
    }
  })

  it.each(named)("%s is masked where a debugger cuts its value", (_, [secret, label, before = ""]) => {
    if (label === "private key" || secret.includes("@")) return
    const head = secret.slice(0, -4)
    for (const end of ["…", '"...', "...", `...${secret.slice(-4)}`]) {
      const masked = SecretShapes.mask(`"${before}${head}${end}`)
      assert.include(masked, `<masked: ${label}>`)
      assert.notInclude(masked, secret.slice(-4))
    }
  })

  it("is masked in every string of data, and data without secrets is not copied", () => {
    const plain = { a: ["x", 1, null], b: { c: "std::string" } }
    assert.strictEqual(SecretShapes.inData(plain), plain)
    assert.deepStrictEqual(SecretShapes.inData({ ...plain, d: [{ e: `is ${github}` }] }), {
      ...plain,
      d: [{ e: "is <masked: GitHub token>" }]
    })
  })

  it("is masked in a private key whose beginning or end is missing", () => {
    const [first = "", ...rest] = keyBody
    const tail = `${rest.join("\n")}\n-----END RSA PRIVATE KEY-----\nafter`
    assert.strictEqual(SecretShapes.mask(`before\n\n ${tail}`), "before\n\n <masked: private key>\nafter")
    const head = `-----BEGIN RSA PRIVATE KEY-----\n${first}\nthe file is damaged`
    assert.strictEqual(SecretShapes.mask(head), "<masked: private key>the file is damaged")
    assert.strictEqual(
      SecretShapes.mask(`key = "-----BEGIN PRIVATE KEY-----\\n${first}\\nabc"...`),
      'key = "<masked: private key>"...'
    )
  })
})

it.each(harmless)("%s stays", (text) => {
  assert.strictEqual(SecretShapes.mask(text), text)
  assert.deepStrictEqual(SecretShapes.inPieces([`${text}\n`]), [`${text}\n`])
})

const between = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2000 }))

/** Longest part of a secret that a split may show. */
const shown = 8

/** The beginning that all secrets of a kind share, which is public. */
const marker = /^(?:github_pat_|sk_live_|sk-ant-api03-)/

const secretTexts = (secret: string, label: string) => {
  if (label === "private key") return keyBody
  return label === "JSON web token" ? secret.split(".").slice(1) : [secret.replace(marker, "")]
}

const parts = (secret: string, label: string) =>
  secretTexts(secret, label).flatMap((text) =>
    Array.from({ length: Math.max(0, text.length - shown) }, (_, at) => text.slice(at, at + shown))
  )

it.prop(
  "no part of a secret is shown wherever it is split into pieces, and every piece keeps its size and lines",
  [between, between, between, between],
  ([which, ...cuts]) => {
    const [secret = "", label = "", before = "", after = ""] = secrets[which % secrets.length] ?? []
    const text = `line one\nout=${before}${secret}${after}\nline ünd done 10:31:09\n`
    const [a = 0, b = 0, c = 0] = cuts.map((cut) => cut % text.length).toSorted((x, y) => x - y)
    const pieces = [text.slice(0, a), text.slice(a, b), text.slice(b, c), text.slice(c)]
    const sizes = (all: ReadonlyArray<string>) =>
      all.map((piece) => [Buffer.byteLength(piece), piece.split("\n").length])
    const whole = SecretShapes.inPieces(pieces)
    const [second = ""] = SecretShapes.inPieces([pieces[1] ?? ""], pieces[0], pieces[2])
    const [soFar = ""] = SecretShapes.inPieces([pieces[1] ?? ""], pieces[0])
    assert.deepStrictEqual(sizes(whole), sizes(pieces))
    assert.deepStrictEqual(sizes([second]), sizes([pieces[1] ?? ""]))
    for (const masked of [whole.join(""), second, soFar]) {
      const found = parts(secret, label).filter((part) => masked.includes(part))
      assert.deepStrictEqual(found, [], `${pieces.join("|")} -> ${masked}`)
    }
    assert.include(whole.join(""), "line one\nout=")
    assert.include(whole.join(""), "\nline ünd done 10:31:09\n")
  },
  { arbitrary: { runs: 1000 } }
)

it("takes linear time for text that begins many shapes", () => {
  const repeated = [
    "eyJaaaaaaaaaaa..",
    "Bearer ",
    "://",
    "://a:",
    "-----BEGIN PRIVATE KEY-----",
    "eyJ",
    "ghp_a ",
    "sk-",
    "a:"
  ]
  for (const unit of repeated) {
    const text = unit.repeat(Math.ceil(131_072 / unit.length))
    const begun = performance.now()
    SecretShapes.inPieces([text])
    // Quadratic time would be minutes.
    assert.isBelow(performance.now() - begun, 5000, unit)
  }
})

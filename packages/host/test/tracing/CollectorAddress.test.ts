import { assert, it } from "@effect/vitest"
import { Result } from "effect"
import * as CollectorAddress from "../../src/tracing/CollectorAddress.ts"

const parsed = (text: string) => Result.getOrUndefined(CollectorAddress.parse(text))

it("an address is the base of the paths, or names the path of traces", () => {
  assert.deepStrictEqual(parsed("http://127.0.0.1:4318"), {
    traces: "http://127.0.0.1:4318/v1/traces",
    metrics: "http://127.0.0.1:4318/v1/metrics"
  })
  assert.deepStrictEqual(parsed("https://example.org/otlp/?key=a#b"), {
    traces: "https://example.org/otlp/v1/traces?key=a",
    metrics: "https://example.org/otlp/v1/metrics?key=a"
  })
  assert.deepStrictEqual(parsed("http://[::1]:1/x/v1/traces"), { traces: "http://[::1]:1/x/v1/traces" })
})

it.each([
  "",
  "127.0.0.1:4318",
  "localhost:4318",
  "file:///etc/passwd",
  "grpc://127.0.0.1:4317",
  "unix:/tmp/s",
  "http://"
])("%s is refused: it is not an address, or has another scheme", (text) => {
  const result = CollectorAddress.parse(text)
  assert.match(Result.isFailure(result) ? result.failure : "", /takes an http or https address/)
})

it("an address with a password is refused", () => {
  const result = CollectorAddress.parse("http://user:secret@127.0.0.1:4318")
  assert.match(Result.isFailure(result) ? result.failure : "", /without user name and password/)
})

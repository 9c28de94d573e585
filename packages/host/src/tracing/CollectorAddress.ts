/**
 * The address of an OpenTelemetry collector (OTLP over HTTP with JSON), as `--trace-otlp` and `SIGTRAP_OTLP` name it.
 */
import * as Result from "effect/Result"

/** The variable that names the collector. */
export const VARIABLE = "SIGTRAP_OTLP"

/** Where spans and metrics are posted. */
export interface Address {
  readonly traces: string
  /** Absent if the address names the path of traces, so nothing is known of a path of metrics. */
  readonly metrics?: string
}

const SIGNAL = "/v1/traces"

const isHttp = ({ protocol }: URL): boolean => protocol === "http:" || protocol === "https:"

/**
 * Parses an address; the failure is the end of a sentence. Like `OTEL_EXPORTER_OTLP_ENDPOINT`, an address without `/v1/traces`
 * is the base of the paths.
 */
export const parse = (text: string): Result.Result<Address, string> => {
  const url = URL.parse(text)
  if (url === null || !isHttp(url)) {
    return Result.fail("takes an http or https address of a collector, such as http://127.0.0.1:4318")
  }
  // An address is shown and stored; a password in it would be, too.
  if (url.username !== "" || url.password !== "") return Result.fail("takes an address without user name and password")
  const path = url.pathname.replace(/\/+$/, "")
  const at = (signal: string) => {
    const target = new URL(url)
    target.hash = ""
    target.pathname = signal
    return target.href
  }
  return Result.succeed(
    path.endsWith(SIGNAL) ? { traces: at(path) } : { traces: at(`${path}${SIGNAL}`), metrics: at(`${path}/v1/metrics`) }
  )
}

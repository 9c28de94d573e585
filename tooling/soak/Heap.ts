/**
 * The memory that a daemon keeps: what its heap and its buffers hold after a collection. V8 collects late and keeps the code that it
 * compiles, so the resident memory grows for as long as new paths run, with nothing kept.
 *
 * Asks the daemon through Node's inspector, which a SIGUSR1 opens. The port is in the daemon's log.
 */
import { Schema } from "effect"
import { readFileSync } from "node:fs"
import * as Machine from "./Machine.ts"
import { until } from "./Timeouts.ts"

/** Variables of a daemon whose memory is asked: the inspector takes any free port. */
export const environment = { NODE_OPTIONS: "--inspect-port=0" }

const Reply = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({ id: Schema.optionalKey(Schema.Int), result: Schema.optionalKey(Schema.Unknown) })
  )
)
const Evaluated = Schema.decodeUnknownSync(Schema.Struct({ result: Schema.Struct({ value: Schema.Number }) }))

/** The inspector of a daemon. */
export class Heap {
  readonly #address: string

  private constructor(address: string) {
    this.#address = address
  }

  /** Opens the inspector of a daemon with this log. */
  static async open(daemon: number, log: string): Promise<Heap> {
    const address = () => /Debugger listening on (ws:\S+)/.exec(readFileSync(log, "utf8"))?.[1]
    Machine.signal(daemon, "SIGUSR1")
    await until(10_000, () => address() !== undefined)
    return new Heap(address() ?? "")
  }

  /** Collects, and returns the bytes in use; nothing if the daemon does not answer. */
  async inUse(): Promise<number | undefined> {
    const socket = new WebSocket(this.#address)
    try {
      return await new Promise<number>((resolve, reject) => {
        const late = setTimeout(() => reject(new Error("no answer")), 20_000)
        const settled = () => clearTimeout(late)
        const ask = (id: number, method: string, params = {}) => socket.send(JSON.stringify({ id, method, params }))
        socket.addEventListener("open", () => ask(1, "HeapProfiler.collectGarbage"))
        socket.addEventListener("error", () => (settled(), reject(new Error("no inspector"))))
        socket.addEventListener("message", ({ data }) => {
          const { id, result } = Reply(String(data))
          if (id === 1) {
            const expression = "(({ heapUsed, external }) => heapUsed + external)(process.memoryUsage())"
            ask(2, "Runtime.evaluate", { expression, returnByValue: true })
          }
          if (id === 2) {
            settled()
            resolve(Evaluated(result).result.value)
          }
        })
      })
    } catch {
      return undefined
    } finally {
      socket.close()
    }
  }
}

/**
 * Parses the output of `simctl bootstatus` during a boot. The last terminal record decides: a failed boot also exits with
 * status 0.
 */

/** A record of the output: one step of the boot. */
export interface Record {
  readonly status: number
  readonly terminal: boolean
  /** As printed: `00:26`. */
  readonly elapsed: string
  /** The indented lines after it, joined. */
  readonly message: string
}

/** The result of a boot. */
export type Outcome =
  | { readonly _tag: "Ready"; readonly already: boolean }
  | { readonly _tag: "Failed"; readonly message: string }
  | { readonly _tag: "Unfinished"; readonly message: string }

const ready = 4_294_967_295

/** Parses the records; the last one may be incomplete. */
export const parse = (stdout: string): ReadonlyArray<Record> => {
  const records: Array<Record> = []
  for (const line of stdout.split(/\r?\n/)) {
    const [, status, terminal, elapsed] = /Status=(\d+), isTerminal=(YES|NO), Elapsed=([\d:]+)/.exec(line) ?? []
    if (status !== undefined) {
      records.push({ status: Number(status), terminal: terminal === "YES", elapsed: elapsed ?? "", message: "" })
      continue
    }
    const last = records.at(-1)
    const detail = /^\s+\S/.test(line) ? line.trim() : ""
    if (last !== undefined && detail !== "") {
      records[records.length - 1] = { ...last, message: last.message === "" ? detail : `${last.message}: ${detail}` }
    }
  }
  return records
}

/** Returns the result of the boot from the whole output. */
export const outcome = (stdout: string): Outcome => {
  if (stdout.includes("already booted, nothing to do")) return { _tag: "Ready", already: true }
  const records = parse(stdout)
  const message = records.at(-1)?.message ?? ""
  const last = records.findLast(({ terminal }) => terminal)
  if (last === undefined) return { _tag: "Unfinished", message }
  return last.status === ready && /^Finished\b/.test(last.message)
    ? { _tag: "Ready", already: false }
    : { _tag: "Failed", message: last.message === "" ? `status ${last.status}` : last.message }
}

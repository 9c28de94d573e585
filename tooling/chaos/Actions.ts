/**
 * The operations during which the daemon is killed. Each knows what a record may show of it if it was not answered: nothing,
 * or all of it.
 */
import type { Breakpoint } from "@sigtrap/protocol"

/** What was asked of a session, as answers and the plan of `recover` show it. */
export interface Asked {
  readonly args: ReadonlyArray<string>
  readonly label: string
  /** The folder that the source map names. */
  readonly sources: string
  readonly breakpoints: ReadonlyArray<Breakpoint.Breakpoint>
}

/** An operation. */
export interface Action {
  readonly name: Name
  readonly tag: string
  readonly input: { readonly [field: string]: unknown }
  /** Returns whether a session may be this if the operation was not answered. `before` is the session before it. */
  readonly isComplete: (now: Asked, before: Asked | undefined) => boolean
}

/** Names of the operations, the rows of the report. */
export const names = [
  "start",
  "break",
  "edit",
  "remove",
  "watch",
  "catch",
  "continue",
  "restart",
  "source map"
] as const
/** The name of an operation. */
export type Name = (typeof names)[number]

/** The parts of a breakpoint that were asked for, as text. */
export const asked = ({
  access,
  condition,
  enabled,
  hits_wanted,
  id,
  kind,
  log,
  name,
  requested
}: Breakpoint.Breakpoint) =>
  JSON.stringify([id, kind, requested.text, enabled, condition, hits_wanted, log, name, access])

/** Returns whether two lists of breakpoints were asked for alike, and no count of the first is below that of the second. */
const isEqual = (now: ReadonlyArray<Breakpoint.Breakpoint>, before: ReadonlyArray<Breakpoint.Breakpoint>) =>
  now.length === before.length &&
  now.every((one, at) => {
    const other = before[at]
    return other !== undefined && asked(one) === asked(other) && one.hit_count >= other.hit_count
  })

/** Returns whether a session is as before. `counts` compares the counts of hits too. */
export const isSame = (now: Asked, before: Asked | undefined, counts: boolean): boolean =>
  before !== undefined &&
  now.label === before.label &&
  now.sources === before.sources &&
  now.args.join(" ") === before.args.join(" ") &&
  isEqual(now.breakpoints, before.breakpoints) &&
  (!counts || isEqual(before.breakpoints, now.breakpoints))

/** Numbers and places that actions use. */
export interface Place {
  readonly program: string
  /** A line of the program that is reached in each round of its loop. */
  readonly line: number
  /** Folders with the source text. */
  readonly folders: ReadonlyArray<string>
  readonly random: () => number
}

/**
 * Returns whether exactly one breakpoint was set, and that one is as expected. A breakpoint at the place of an older one
 * changes that one and keeps its number; others are added at the end.
 */
const isSet = (now: Asked, before: Asked | undefined, isExpected: (one: Breakpoint.Breakpoint) => boolean): boolean => {
  if (before === undefined) return false
  const old = new Map(before.breakpoints.map((one) => [one.id, one]))
  const set = now.breakpoints.filter((one) => {
    const same = old.get(one.id)
    return same === undefined || asked(one) !== asked(same)
  })
  const [only] = set
  if (only === undefined || set.length > 1 || !isExpected(only)) return false
  const same = old.get(only.id)
  if (same !== undefined && (same.kind !== only.kind || same.requested.text !== only.requested.text)) return false
  const unset = now.breakpoints.flatMap((one) => (one !== only ? [one] : same === undefined ? [] : [same]))
  return isSame({ ...now, breakpoints: unset }, before, true)
}

/** Returns a session without its watchpoints, with these counts of hits if given. */
const restarted = (one: Asked, hits?: number): Asked => ({
  ...one,
  breakpoints: one.breakpoints
    .filter(({ kind }) => kind !== "watch")
    .map((each) => ({ ...each, hit_count: hits ?? each.hit_count }))
})

/** Makes the operations of one point. `round` makes labels and conditions differ. */
export class Actions {
  readonly #place: Place
  #round = 0

  constructor(place: Place) {
    this.#place = place
  }

  /** Returns an operation for a session that is now as `before` says. */
  make(name: Name, before: Asked | undefined): Action {
    const round = ++this.#round
    switch (name) {
      case "start":
        return this.#start(name, round, this.#place.folders[0] ?? "")
      case "source map":
        return this.#start(name, round, this.#place.folders.find((folder) => folder !== before?.sources) ?? "")
      case "break":
        return this.#break(round)
      case "edit":
        return this.#edit(round, before)
      case "remove":
        return this.#remove(before)
      case "watch":
        return {
          name,
          tag: "watch",
          input: { expression: "total", scope: "global", access: "write", condition: `total > ${round}` },
          isComplete: (now, past) =>
            isSet(now, past, (one) => one.kind === "watch" && one.condition === `total > ${round}`)
        }
      case "catch": {
        const filter = ["fork", "vfork", "exec"][round % 3] ?? "fork"
        return {
          name,
          tag: "catch",
          input: { filter },
          isComplete: (now, past) => isSet(now, past, (one) => one.requested.text.includes(filter))
        }
      }
      case "continue":
        return {
          name,
          tag: "continue",
          input: { count: 1 + (round % 3), timeout: "20s" },
          isComplete: (now, past) => isSame(now, past, false)
        }
      case "restart": {
        const args = [`restarted-${round}`, "two words"]
        return {
          name,
          tag: "restart",
          input: { args, timeout: "20s" },
          // A restart removes watchpoints and counts hits anew.
          isComplete: (now, past) =>
            past !== undefined && isSame(restarted(now), { ...restarted(past, 0), args }, false)
        }
      }
    }
  }

  #start(name: Name, round: number, folder: string): Action {
    const { line, program } = this.#place
    const args = [`round-${round}`, "it's", "ünï"]
    const label = `label ${round}`
    return {
      name,
      tag: "start",
      input: {
        program,
        args,
        label,
        replace: name === "source map",
        break: [`counter.c:${line} if n > ${round % 5}`, "main"],
        env: [`CHAOS_ROUND=${round}`, "CHAOS_EMPTY="],
        source_map: [`/build=${folder}`],
        timeout: "30s"
      },
      isComplete: (now) =>
        now.label === label &&
        now.sources === folder &&
        now.args.join(" ") === args.join(" ") &&
        now.breakpoints.length === 2 &&
        now.breakpoints[0]?.condition === `n > ${round % 5}`
    }
  }

  #break(round: number): Action {
    const { line, random } = this.#place
    const name = `at-${round}`
    const condition = `n > ${1000 + round} && total != ${round}`
    const isLine = random() < 0.5
    return {
      name: "break",
      tag: "break",
      input: { at: isLine ? `counter.c:${line + 1}` : "work", name, condition, hits: `%${2 + round}` },
      isComplete: (now, before) =>
        isSet(now, before, (one) => one.name === name && one.condition === condition && one.hits_wanted !== undefined)
    }
  }

  /** Changes the first breakpoint. */
  #edit(round: number, before: Asked | undefined): Action {
    const id = before?.breakpoints[0]?.id ?? 1
    const condition = `n > ${round % 7}`
    const name = `edited-${round}`
    return {
      name: "edit",
      tag: "breakpoint.edit",
      input: { id, condition, name },
      isComplete: (now, past) =>
        past !== undefined &&
        isSame(
          now,
          { ...past, breakpoints: past.breakpoints.map((one) => (one.id === id ? { ...one, condition, name } : one)) },
          true
        )
    }
  }

  /** Removes the last breakpoint, never the first, at which the program stops. */
  #remove(before: Asked | undefined): Action {
    const last = before?.breakpoints.slice(1).at(-1)?.id ?? 0
    return {
      name: "remove",
      tag: "breakpoint.remove",
      input: { ids: [last] },
      isComplete: (now, past) =>
        past !== undefined &&
        isSame(now, { ...past, breakpoints: past.breakpoints.filter(({ id }) => id !== last) }, true)
    }
  }
}

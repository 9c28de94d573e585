/**
 * Turns the payloads of `attach`, `core` and `connect` into launch requests.
 *
 * A process must belong to the same user and must not be this daemon. It is identified by pid and start time, so that a
 * reused pid is noticed. Waiting for a process polls the process list, because a debugger that waits for one answers no
 * other request. The poll is bounded by the caller's timeout.
 */
import { Errors, Field, Hint, MonotonicTime, type Operations } from "@sigtrap/protocol"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import type { LaunchRequest } from "../ports/Backend.ts"
import * as LaunchOptions from "./LaunchOptions.ts"
import { Processes, type Description } from "../ports/Processes.ts"

/** Time between two polls, in milliseconds. */
const pollInterval = 20

/** Failures of finding a target. */
export type TargetProblem =
  | Errors.ProcessNotFound
  | Errors.ProgramNotFound
  | Errors.Permission
  | Errors.AttachFailed
  | Errors.WaitTimeout
  | LaunchOptions.Problem

const usage = (problem: string, hint: Hint.Hint) => new Errors.Usage({ problem, near: [], remedies: [hint] })

const words = (process: Description) => process.command.join(" ")

/** Returns the only match. Fails with `ProcessNotFound`, which lists the matches, if there is none or more than one. */
const onlyMatch = (name: string, matches: ReadonlyArray<Description>) => {
  const [first, second] = matches
  return first !== undefined && second === undefined
    ? Effect.succeed(first)
    : Effect.fail(
        new Errors.ProcessNotFound({
          target: name,
          matches: matches.map((match) => ({ pid: match.pid, command: words(match) }))
        })
      )
}

/** Turns payloads into launch requests for existing targets. */
export class AttachTargets extends Context.Service<
  AttachTargets,
  {
    readonly attach: (payload: Operations.Payload<"attach">) => Effect.Effect<LaunchRequest, TargetProblem>
    readonly core: (
      payload: Operations.Payload<"core">
    ) => Effect.Effect<LaunchRequest, Errors.ProgramNotFound | LaunchOptions.Problem>
    readonly connect: (
      payload: Operations.Payload<"connect">
    ) => Effect.Effect<LaunchRequest, Errors.ProgramNotFound | LaunchOptions.Problem>
  }
>()("@sigtrap/manager/AttachTargets") {
  static readonly layer = Layer.effect(
    AttachTargets,
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const processes = yield* Processes

      const file = Effect.fnUntraced(function* (directory: string | undefined, name: string) {
        const whole = path.resolve(directory ?? ".", name)
        const info = yield* fs
          .stat(whole)
          .pipe(Effect.mapError(() => new Errors.ProgramNotFound({ path: whole, problem: "no such file" })))
        return info.type === "File"
          ? whole
          : yield* new Errors.ProgramNotFound({ path: whole, problem: "it is not a regular file" })
      })

      /** Returns the process. Fails for process 1, this daemon and its parent, other users' and debugged processes. */
      const requirePermitted = Effect.fnUntraced(function* (found: Description) {
        const own = yield* processes.describe(processes.self)
        const parent = Option.map(own, (self) => self.parent)
        if (found.pid === 1 || found.pid === processes.self || Option.contains(parent, found.pid)) {
          const role = found.pid === 1 ? "the first process of the system" : "this daemon or its parent"
          return yield* new Errors.Permission({
            detail: `process ${found.pid} is ${role}`,
            remedies: [Hint.help("attach")]
          })
        }
        if (!found.sameUser) {
          return yield* new Errors.Permission({
            detail: `process ${found.pid} belongs to another user`,
            remedies: [Hint.remedy(`ps -o user= -p ${found.pid}`)]
          })
        }
        if (found.traced) {
          return yield* new Errors.AttachFailed({
            target: `process ${found.pid}`,
            detail: "another debugger is attached"
          })
        }
        return found
      })

      /** Returns the user's processes with this name, without this daemon. */
      const named = (name: string) =>
        Effect.map(processes.named(name), (all) =>
          all.filter(({ sameUser, pid }) => sameUser && pid !== processes.self)
        )

      const waitForProcess = Effect.fnUntraced(function* (name: string, existing: boolean, millis: number) {
        const since = yield* MonotonicTime.now
        const before = existing ? [] : yield* named(name)
        const known = new Set(before.map(({ pid, started }) => `${pid} ${started}`))
        for (;;) {
          const fresh = (yield* named(name)).filter(({ pid, started }) => !known.has(`${pid} ${started}`))
          if (fresh.length > 0) return yield* onlyMatch(name, fresh)
          const left = since + millis - (yield* MonotonicTime.now)
          if (left <= 0)
            return yield* new Errors.WaitTimeout({ waited_ms: Math.round(millis), output_bytes: 0, awaited: name })
          yield* Effect.sleep(Math.min(pollInterval, left))
        }
      })

      const findProcess = Effect.fnUntraced(function* (payload: Operations.Payload<"attach">) {
        const { name, pid } = payload
        if ((pid === undefined) === (name === undefined)) {
          return yield* usage("name either a PID or a process name", Hint.help("attach"))
        }
        if (name !== undefined) {
          return yield* payload.wait
            ? waitForProcess(name, payload.include_existing, Field.millis(payload.timeout))
            : Effect.flatMap(named(name), (matches) => onlyMatch(name, matches))
        }
        if (payload.wait) return yield* usage("--wait needs a process name, not a PID", Hint.help("attach"))
        const found = yield* processes.describe(pid ?? 0)
        return yield* Option.match(found, {
          onNone: () => Effect.fail(new Errors.ProcessNotFound({ target: `${pid}`, matches: [] })),
          onSome: Effect.succeed
        })
      })

      /** Returns the nearest descendant that runs a program. */
      const findDescendant = Effect.fnUntraced(function* (top: Description, program: string | undefined) {
        if (program === undefined) return yield* usage("--descend needs --program", Hint.help("attach"))
        const all = yield* Effect.forEach(yield* processes.descendants(top.pid), ({ pid }) => processes.describe(pid))
        const found = all.flatMap(Option.toArray).find(({ executable }) => executable === program)
        return found ?? (yield* new Errors.ProcessNotFound({ target: `${program} below ${top.pid}`, matches: [] }))
      })

      const commonOptions = Effect.fnUntraced(function* (payload: Operations.Payload<"attach" | "core" | "connect">) {
        return {
          args: [],
          cwd: path.resolve(payload.directory ?? "."),
          env: { ...payload.environment },
          ...(payload.adapter === undefined ? {} : { adapter: payload.adapter }),
          ...(yield* LaunchOptions.read(payload, fs, path))
        }
      })

      return AttachTargets.of({
        attach: Effect.fn("AttachTargets.attach")(function* (payload) {
          const requested = payload.program === undefined ? undefined : yield* file(payload.directory, payload.program)
          const top = yield* findProcess(payload)
          const target = payload.descend === true ? yield* findDescendant(top, requested) : top
          const { command, executable, mainEnded, name, pid, replaced, started } = yield* requirePermitted(target)
          return {
            ...(yield* commonOptions(payload)),
            program: requested ?? executable ?? command[0] ?? name,
            args: command.slice(1),
            stopOnEntry: payload.pause,
            existing: {
              kind: "process",
              pid,
              started,
              ...(replaced === true && requested === undefined ? { replaced } : {}),
              ...(mainEnded === true ? { mainEnded } : {})
            }
          }
        }),

        core: Effect.fn("AttachTargets.core")(function* (payload) {
          const core = yield* file(payload.directory, payload.file)
          const program = payload.program === undefined ? "" : yield* file(payload.directory, payload.program)
          return {
            ...(yield* commonOptions(payload)),
            program,
            stopOnEntry: true,
            existing: { kind: "core", file: core }
          }
        }),

        connect: Effect.fn("AttachTargets.connect")(function* (payload) {
          const [, host, port] = /^(.+):(\d{1,5})$/.exec(payload.address) ?? []
          if (host === undefined || port === undefined || Number(port) > 65_535) {
            return yield* usage(
              `${payload.address} is not HOST:PORT`,
              Hint.again("connect", { address: "localhost:2345" })
            )
          }
          const program = payload.program === undefined ? "" : yield* file(payload.directory, payload.program)
          return {
            ...(yield* commonOptions(payload)),
            program,
            stopOnEntry: true,
            existing: { kind: "remote", host, port: Number(port) }
          }
        })
      })
    })
  )
}

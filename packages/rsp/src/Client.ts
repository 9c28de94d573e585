/**
 * A client of a debug server: launches or attaches to one program, resumes it, waits for its stops, and reads its memory and
 * registers. All-stop mode; one process. It knows no symbols and no sessions.
 *
 * Numbers and packets follow "GDB Remote Serial Protocol"; those with a capital Q and LLDB's name are extensions of lldb-server
 * and debugserver. The client uses an extension only if the server says that it has it, or if the answer shows it.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type * as Socket from "effect/socket/Socket"
import * as Errors from "./Errors.ts"
import * as Features from "./Features.ts"
import * as Exchange from "./internal/Exchange.ts"
import * as LaunchPackets from "./internal/LaunchPackets.ts"
import * as Splice from "./internal/Splice.ts"
import * as Threads from "./internal/Threads.ts"
import * as Memory from "./internal/Memory.ts"
import * as Target from "./internal/Target.ts"
import * as Hex from "./Hex.ts"
import * as Registers from "./Registers.ts"
import type * as StopReply from "./StopReply.ts"
import type { Transport } from "./Transport.ts"

export type { LaunchOptions } from "./internal/LaunchPackets.ts"
export type { Outcome } from "./internal/Exchange.ts"

/** What a thread does at a resume. Threads without an action stay stopped. */
export interface Action {
  readonly kind: "continue" | "step"
  /** The number of a signal to deliver. */
  readonly signal?: number
  /** Absent: all threads without another action. */
  readonly thread?: number
}

/** A place that stops the program: `Z0` to `Z4`. */
export interface Breakpoint {
  readonly kind: "software" | "hardware" | "write" | "read" | "access"
  readonly address: bigint
  /** Watched bytes, or the size of the instruction; by default that of the shortest instruction. */
  readonly size?: number
}

/** What happens at each hit of a watchpoint: it is reported, and the memory is read. */
export interface Hits {
  /** The memory that is read at a hit; at most 64 bytes. */
  readonly address: bigint
  readonly size: number
  /** Called at a hit with the program counter. Returns false to stop the program there. */
  readonly hit: (address: bigint) => boolean
  /** Called after it with the memory in hexadecimal digits; with none if it cannot be read. */
  readonly value: (digits: string) => void
}

/** The state of the program. */
export type State = "none" | "stopped" | "running" | "ended"

/** A client of one debug server. */
export interface Client {
  readonly features: Features.Features
  readonly state: () => State
  /** Sends any request and returns its answer as text. An empty answer is `NotSupported`, `Enn` is `RequestFailed`. */
  readonly request: (packet: string, timeout?: Duration.Input) => Effect.Effect<string, Errors.RequestError>
  /** Launches a program, which is stopped at its first instruction. */
  readonly launch: (options: LaunchPackets.LaunchOptions) => Effect.Effect<StopReply.Stopped, Errors.RequestError>
  /** Attaches to a process of the server's machine and stops it. */
  readonly attach: (pid: number) => Effect.Effect<StopReply.Stopped, Errors.RequestError>
  /** Returns the pid of the program. */
  readonly pid: Effect.Effect<number, Errors.RequestError>
  /** Why the program is stopped. */
  readonly current: Effect.Effect<Exchange.Outcome, Errors.RequestError>
  /** Resumes threads and does not wait; all of them without actions. */
  readonly resume: (actions?: ReadonlyArray<Action>) => Effect.Effect<void, Errors.RequestError>
  /** Waits for the stop or the end after the last resume. Interrupting it does not stop the program. */
  readonly outcome: Effect.Effect<Exchange.Outcome, Errors.RequestError>
  /** Resumes threads and waits. */
  readonly run: (actions?: ReadonlyArray<Action>) => Effect.Effect<Exchange.Outcome, Errors.RequestError>
  /**
   * Resumes all threads, and again at each hit of a watchpoint until `hit` returns false: then its stop is the outcome, as any
   * other stop is. A hit costs one exchange with the server.
   */
  readonly runThroughHits: (hits: Hits) => Effect.Effect<Exchange.Outcome, Errors.RequestError>
  /**
   * Executes one instruction of a thread while the others stay stopped. A software breakpoint at its address is removed
   * meanwhile, so that it is executed and not hit again.
   */
  readonly step: (thread: number) => Effect.Effect<Exchange.Outcome, Errors.RequestError>
  /** Asks a running program to stop. The stop is the outcome of the resume. */
  readonly interrupt: Effect.Effect<void>
  /** The signals that reach the program without a stop, by number; the list replaces the former one. */
  readonly passSignals: (signals: ReadonlyArray<number>) => Effect.Effect<void, Errors.RequestError>
  readonly threads: Effect.Effect<ReadonlyArray<number>, Errors.RequestError>
  /** Why a thread is stopped (LLDB's `qThreadStopInfo`). A thread that no event stopped has no reason and signal 0. */
  readonly threadStop: (thread: number) => Effect.Effect<StopReply.Stopped, Errors.RequestError>
  readonly insert: (breakpoint: Breakpoint) => Effect.Effect<void, Errors.RequestError>
  readonly remove: (breakpoint: Breakpoint) => Effect.Effect<void, Errors.RequestError>
  /** Returns the breakpoints that are inserted. */
  readonly breakpoints: () => ReadonlyArray<Breakpoint>
  /** Reads memory. Fails if its first byte cannot be read; returns fewer bytes if a later one cannot. */
  readonly readMemory: (address: bigint, size: number) => Effect.Effect<Uint8Array, Errors.RequestError>
  readonly writeMemory: (address: bigint, bytes: Uint8Array) => Effect.Effect<void, Errors.RequestError>
  /** The registers of the target; requested once. */
  readonly registers: Effect.Effect<ReadonlyArray<Registers.Register>, Errors.RequestError>
  /** Reads a register of a thread, in the order of memory. */
  readonly readRegister: (register: number, thread: number) => Effect.Effect<Uint8Array, Errors.RequestError>
  readonly writeRegister: (
    register: number,
    thread: number,
    bytes: Uint8Array
  ) => Effect.Effect<void, Errors.RequestError>
  /** Reads an object of the target as a whole (`qXfer`), such as `auxv` or `libraries-svr4`. At most 16 MiB. */
  readonly object: (kind: string, annex?: string) => Effect.Effect<Uint8Array, Errors.RequestError>
  /** Facts about the process (LLDB's `qProcessInfo`): `pid`, `triple`, `endian`. */
  readonly processInfo: Effect.Effect<ReadonlyMap<string, string>, Errors.RequestError>
  /** Calls the listener for output that the program writes through the server. */
  readonly onOutput: (listener: (bytes: Uint8Array) => void) => void
  /** Detaches; the program continues. */
  readonly detach: Effect.Effect<void, Errors.RequestError>
  /** Kills the program. */
  readonly kill: Effect.Effect<void, Errors.RequestError>
  /**
   * Gives the connection to another client, such as LLDB, which finds the program as it is stopped now: inserted breakpoints are
   * removed. Completes when either side has closed its connection. Every later request of this client fails.
   */
  readonly handOver: (peer: Socket.Socket) => Effect.Effect<void, Errors.RequestError>
  /** Waits until the connection cannot be used any more, and returns why. */
  readonly lost: Effect.Effect<Errors.ProtocolBroken | Errors.ConnectionLost>
}

/** The service of one client. */
export const Client = Context.Service<Client>("@sigtrap/rsp/Client")

/** Options of a client. */
export interface Options {
  readonly transport: Transport
  /** Timeout of one request; 10 seconds. */
  readonly timeout?: Duration.Input
}

const types = { software: 0, hardware: 1, write: 2, read: 3, access: 4 }

const sameBreakpoint = (first: Breakpoint, second: Breakpoint) =>
  first.kind === second.kind && first.address === second.address

const actionText = ({ kind, signal, thread }: Action): string => {
  const letter = kind === "continue" ? "c" : "s"
  const what = signal === undefined ? letter : letter.toUpperCase() + signal.toString(16).padStart(2, "0")
  return thread === undefined ? what : `${what}:${thread.toString(16)}`
}

/** Returns what a resume does at the hits of a watchpoint. The program counter is in the stop replies of LLDB's servers. */
const repetitionOf = (
  { address, hit, size, value }: Hits,
  { bits, number }: Registers.Register
): Exchange.Repetition => {
  const key = `;${number.toString(16).padStart(2, "0")}:`
  return {
    stopped: (reply) => {
      if (!reply.includes(";reason:watchpoint;")) return "end"
      const at = reply.indexOf(key) + key.length
      const digits = at < key.length ? undefined : Hex.decode(reply.slice(at, at + bits / 4))
      if (digits === undefined) return "end"
      return hit(Hex.toBigInt(digits)) ? "resume" : "read"
    },
    read: `m${address.toString(16)},${size.toString(16)}`,
    answered: (answer) => value(answer.length === 2 * size ? answer : "")
  }
}

/** Connects a client to a transport: ends acknowledgements and asks for features. */
export const make: (options: Options) => Effect.Effect<Client, Errors.RequestError, Scope.Scope> = Effect.fn(
  "Client.make"
)(function* (options: Options) {
  const limit = Duration.fromInputUnsafe(options.timeout ?? "10 seconds")
  const exchange = yield* Exchange.make(options.transport)
  const ask: Target.Ask = (packet, timeout) =>
    Effect.flatMap(
      exchange.request(packet, timeout === undefined ? limit : Duration.fromInputUnsafe(timeout)),
      (bytes) => Target.checked(packet, bytes)
    )
  const text = (packet: string, timeout?: Duration.Input) => Effect.map(ask(packet, timeout), Target.textOf)
  const attempt = (packet: string) =>
    text(packet).pipe(Effect.catchTag(["NotSupported", "RequestFailed"], () => Effect.succeed("")))

  exchange.sendRaw(new Uint8Array([0x2b]))
  const features = Features.parse(yield* attempt(Features.request))
  if ((yield* attempt("QStartNoAckMode")) === "OK") exchange.dropAcks()
  const suffix = (yield* attempt("QThreadSuffixSupported")) === "OK"
  yield* Effect.all([attempt("QListThreadsInStopReply"), attempt("QEnableErrorStrings")], { concurrency: "unbounded" })

  let inserted: ReadonlyArray<Breakpoint> = []
  let state: State = "none"

  const target = yield* Target.make(ask, features)
  const memory = Memory.make(ask, Features.packetSize(features))
  const threads = Threads.make(ask, target, suffix)

  const entered = (outcome: Exchange.Outcome) => {
    state = outcome.kind === "stopped" ? "stopped" : "ended"
    // Another program has replaced the one in which they were.
    if (outcome.kind === "stopped" && outcome.reason === "exec") inserted = []
    return outcome
  }
  const outcome = Effect.map(exchange.outcome, entered)

  const resume = Effect.fnUntraced(function* (actions: ReadonlyArray<Action>) {
    if (state !== "stopped") return yield* new Errors.WrongState({ packet: "vCont", state })
    yield* exchange.resume(`vCont;${actions.map(actionText).join(";")}`)
    state = "running"
  })
  const everything: ReadonlyArray<Action> = [{ kind: "continue" }]
  const run = (actions: ReadonlyArray<Action>) => Effect.andThen(resume(actions), outcome)

  const insertion = Effect.fnUntraced(function* (letter: "Z" | "z", breakpoint: Breakpoint) {
    const size = breakpoint.size ?? (yield* target.instructionSize)
    yield* ask(`${letter}${types[breakpoint.kind]},${breakpoint.address.toString(16)},${size.toString(16)}`)
  })

  const stopOf = (payload: string, packet: string) => Effect.map(Target.outcomeOf(payload, packet), entered)

  const atEntry = Effect.fnUntraced(function* (payload: string, packet: string) {
    const outcome = yield* stopOf(payload, packet)
    if (outcome.kind === "stopped") return outcome
    return yield* new Errors.WrongState({ packet, state: "ended" })
  })

  const client: Client = {
    features,
    state: () => state,
    request: text,
    launch: Effect.fn("Client.launch")(function* (launch) {
      const payload = yield* LaunchPackets.send(launch, ask, limit)
      return yield* atEntry(payload, "launch")
    }),
    attach: Effect.fn("Client.attach")(function* (pid) {
      const packet = `vAttach;${pid.toString(16)}`
      return yield* atEntry(yield* text(packet), packet)
    }),
    pid: target.pid,
    current: Effect.flatMap(text("?"), (payload) => stopOf(payload, "?")),
    resume: (actions = everything) => resume(actions),
    outcome,
    run: (actions = everything) => run(actions),
    runThroughHits: Effect.fnUntraced(function* (hits) {
      if (state !== "stopped") return yield* new Errors.WrongState({ packet: "vCont", state })
      const pc = Registers.find(yield* target.registers, "pc")
      if (pc === undefined) return yield* new Errors.NotSupported({ packet: "reading the program counter" })
      yield* exchange.resume("vCont;c", repetitionOf(hits, pc))
      state = "running"
      return yield* outcome
    }),
    step: Effect.fnUntraced(function* (thread) {
      const here = yield* threads.address(thread)
      const hidden = inserted.filter(({ address, kind }) => kind === "software" && address === here)
      for (const breakpoint of hidden) yield* insertion("z", breakpoint)
      const after = yield* run([{ kind: "step", thread }])
      if (after.kind === "stopped") for (const breakpoint of hidden) yield* insertion("Z", breakpoint)
      return after
    }),
    interrupt: Effect.sync(() => {
      if (exchange.running()) exchange.sendRaw(new Uint8Array([3]))
    }),
    passSignals: (signals) =>
      Effect.asVoid(ask(`QPassSignals:${signals.map((signal) => signal.toString(16).padStart(2, "0")).join(";")}`)),
    threads: threads.list,
    threadStop: (thread) => {
      const packet = `qThreadStopInfo${thread.toString(16)}`
      return Effect.flatMap(text(packet), (payload) =>
        Effect.filterOrFail(
          Target.outcomeOf(payload, packet),
          (outcome) => outcome.kind === "stopped",
          () => new Errors.WrongState({ packet, state: "ended" })
        )
      )
    },
    insert: Effect.fn("Client.insert")(function* (breakpoint) {
      if (inserted.some((other) => sameBreakpoint(other, breakpoint))) return
      yield* insertion("Z", breakpoint)
      inserted = [...inserted, breakpoint]
    }),
    remove: Effect.fn("Client.remove")(function* (breakpoint) {
      yield* insertion("z", breakpoint)
      inserted = inserted.filter((other) => !sameBreakpoint(other, breakpoint))
    }),
    breakpoints: () => inserted,
    readMemory: memory.read,
    writeMemory: memory.write,
    registers: target.registers,
    readRegister: threads.readRegister,
    writeRegister: threads.writeRegister,
    object: target.object,
    processInfo: target.processInfo,
    onOutput: exchange.onOutput,
    detach: Effect.fn("Client.detach")(function* () {
      yield* ask("D")
      state = "none"
      inserted = []
    })(),
    kill: Effect.fn("Client.kill")(function* () {
      // A server answers OK or with the end of the program, or closes the connection.
      yield* exchange.request("k", limit).pipe(Effect.catchTag("ConnectionLost", () => Effect.void))
      state = "ended"
    })(),
    handOver: Effect.fn("Client.handOver")(function* (peer) {
      for (const breakpoint of inserted) yield* client.remove(breakpoint)
      yield* Splice.run(exchange, peer)
    }),
    lost: exchange.lost
  }
  return client
})

/** Connects a client to a transport, for the life of the layer. */
export const layer = (options: Options): Layer.Layer<Client, Errors.RequestError> => Layer.effect(Client, make(options))

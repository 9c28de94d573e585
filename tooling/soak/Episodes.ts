/**
 * One worker of a soak: a client with a session of its own. An episode brings the session into the state that an operation
 * needs, calls the operation, causes a fault meanwhile, and checks the answer, the processes and the output.
 */
import { type ChildProcess, spawn } from "node:child_process"
import type { Arena } from "./Arena.ts"
import * as Clients from "./Clients.ts"
import type { Fault, Operation } from "./Cells.ts"
import * as Answers from "./Answers.ts"
import { OutputPage } from "@sigtrap/protocol"
import * as Machine from "./Machine.ts"
import * as Output from "./Output.ts"
import type * as Poison from "./Poison.ts"
import type { Report } from "./Report.ts"
import { sleep, until } from "./Timeouts.ts"

/** What a worker needs. */
export interface Options {
  readonly name: string
  readonly arena: Arena
  readonly caller: Clients.Caller
  /** Another client of the same daemon, which is not killed. */
  readonly observer: Clients.Caller
  readonly program: Answers.Program
  readonly random: () => number
  readonly report: Report
  /** Calls that no daemon must suffer from. */
  readonly poison: (random: () => number, session: string) => Poison.Call
}

/** The longest time for the end of a process, in milliseconds. The machine may be busy. */
const patience = 15_000

/** Time of a call after which the report names it, in milliseconds. */
const slow = 15_000

/** A worker. */
export class Worker {
  readonly #options: Options
  /** The program of the session, if one is live. */
  #program: Machine.Process | undefined
  /** The process that is attached to. */
  #target: ChildProcess | undefined
  #stops = false
  /** True if the daemon had a record of the session on disk: only then the next daemon ends what a killed one launched. */
  #isRecorded = false
  /** The last episode, for reports. */
  #last = ""
  /** The epoch of the arena when the session was started. */
  #born = 0
  /** How often the program of the session was started again, at most. */
  #restarts = 0

  constructor(options: Options) {
    this.#options = options
  }

  get #input() {
    return { session: this.#options.name }
  }

  /** Runs one episode. Faults that end or fill the daemon are caused one at a time. */
  async run(operation: Operation, fault: Fault): Promise<void> {
    const { arena } = this.#options
    const episode = () => this.#episode(operation, fault)
    const endsDaemon = fault === "kill" || (operation === "recover" && arena.isUnsafe)
    const from = performance.now()
    await (endsDaemon || fault === "disk" ? arena.alone(episode) : episode())
    this.#options.report.sample(`episode with ${fault}`, performance.now() - from)
  }

  async #episode(operation: Operation, fault: Fault): Promise<void> {
    const { arena, report } = this.#options
    await until(Clients.outcomeLimit, () => !arena.isDown)
    if (this.#born !== arena.epoch) {
      // Connections to the daemon before are noticed as broken by their next call.
      await Clients.limited(this.#options.caller.call("sessions", {}))
      await Clients.limited(this.#options.observer.call("sessions", {}))
      await this.#reset()
    }
    let epoch = arena.epoch
    const ready = await this.#prepare(operation)
    // The daemon was killed for it.
    if (operation === "recover") epoch = arena.epoch
    if (!ready) {
      report.disturbed++
      await this.#reset()
      return
    }
    this.#last = `${operation} with ${fault}`
    this.#isRecorded = arena.isRecorded(this.#options.name)
    const before = this.#isRecorded ? this.#program : undefined
    const pending = Clients.limited(this.#call(operation))
    const injected = await this.#inject(fault)
    const outcome = await pending
    const disturbed = arena.epoch !== epoch || arena.isDown
    if (!injected) report.disturbed++
    else {
      report.count(operation, fault, outcome.ok ? "ok" : outcome.code)
      this.#judge(operation, fault, outcome, disturbed)
    }
    await this.#settle(fault, before)
    if (outcome.ok && fault === "none" && !disturbed) {
      await this.#verify()
      if (operation === "output") await this.#readOutput(this.#options.name)
    }
    const keeps =
      outcome.ok && (fault === "none" || fault === "poison") && operation !== "attach" && operation !== "stop"
    if (!keeps || this.#options.random() < 0.1) await this.#reset()
  }

  /** Ends the session and checks that no process or file of the session is left. */
  async #reset(): Promise<void> {
    const { arena, name, observer, report } = this.#options
    const isOrphan = this.#born !== arena.epoch && !this.#isRecorded
    this.#born = arena.epoch
    const program = this.#program
    this.#program = undefined
    this.#stops = false
    this.#restarts = 0
    const ended = await Clients.limited(observer.call("stop", { names: [name], if_exists: true }))
    if (!ended.ok && !["DAEMON_UNREACHABLE", "GONE"].includes(ended.code) && arena.epoch === this.#born) {
      report.broken("a session can be stopped", `${name}: ${ended.code} ${ended.message}`)
    }
    const target = this.#target
    this.#target = undefined
    if (target?.pid !== undefined) {
      await this.#checkReleased(target.pid)
      target.kill("SIGKILL")
    } else if (program !== undefined) {
      const isGone = () => Machine.lookup(program.pid)?.started !== program.started
      if (!(await until(patience, isGone)) && arena.epoch === this.#born && !isOrphan) {
        report.broken("a launched program ends with its session", `${name}, ${this.#last}: pid ${program.pid} lives`)
      }
      Machine.signal(program.pid, "SIGKILL")
    }
  }

  /** A process that was attached to runs untraced, unless a fault ended it. */
  async #checkReleased(pid: number): Promise<void> {
    const { arena, name, report } = this.#options
    const free = await until(patience, () => {
      const now = Machine.lookup(pid)
      return now === undefined || (now.tracer === 0 && !/[Tt]/.test(now.state))
    })
    const now = Machine.lookup(pid)
    if (!free)
      report.broken("an attached program is released", `${name}: pid ${pid} is ${now?.state}, tracer ${now?.tracer}`)
    if (now === undefined && this.#mayEnd === false && arena.epoch === this.#born) {
      report.broken("an attached program lives on", `${name}: pid ${pid} is gone`)
    }
    this.#mayEnd = false
  }
  /** True if a fault may have ended the attached program. */
  #mayEnd = false

  /** Brings the session into the state that an operation needs. */
  async #prepare(operation: Operation): Promise<boolean> {
    const { program } = this.#options
    if (operation === "start") {
      if (this.#program !== undefined) await this.#reset()
      return true
    }
    if (operation === "attach") {
      await this.#reset()
      const target = spawn(program.file, [], { stdio: "ignore", env: this.#options.arena.environment })
      this.#target = target
      return until(patience, () => target.pid !== undefined && Machine.running(program.file).length > 0)
    }
    const isLive = this.#stops && this.#program !== undefined
    if (!isLive) {
      if (this.#program !== undefined) await this.#reset()
      const outcome = await Clients.limited(this.#call("start"))
      if (!outcome.ok || !this.#stops) return false
    }
    return operation !== "recover" || this.#lose()
  }

  /** Makes the session a lost one: kills its debugger, or the daemon if the arena permits that. */
  async #lose(): Promise<boolean> {
    const { arena, name, observer, report } = this.#options
    const program = this.#program
    const daemon = arena.daemon()
    if (program === undefined || daemon === undefined) return false
    const victim = arena.isUnsafe ? daemon : Machine.debuggerOf(program, daemon)?.pid
    if (victim === undefined) return false
    if (arena.isUnsafe) {
      if (!arena.isRecorded(name)) return false
      arena.epoch++
      arena.isDown = true
    }
    Machine.signal(victim, "SIGKILL")
    if (arena.isUnsafe) await arena.startDaemon()
    this.#born = arena.epoch
    const isGone = await until(patience, () => Machine.lookup(program.pid)?.started !== program.started)
    if (!isGone) report.broken("a launched program ends with its debugger (R33)", `${name}: pid ${program.pid} lives`)
    this.#program = undefined
    this.#stops = false
    return until(patience, async () => {
      const { data, ok } = await Clients.limited(observer.call("status", this.#input))
      return !ok || !["running", "stopped", "starting"].includes(String(data["state"]))
    })
  }

  /** Calls an operation and notes what it changed. */
  async #call(operation: Operation): Promise<Clients.Outcome> {
    const { caller, name, program, random, report } = this.#options
    const inputs: { readonly [name in Operation]: Clients.Input } = {
      start: { program: program.file, break: [`counter.c:${program.after}`], ...this.#input },
      attach: { pid: this.#target?.pid ?? 0, ...this.#input },
      restart: this.#input,
      break: {
        at: `counter.c:${program.before}`,
        condition: `n % ${2 + Math.floor(random() * 5)} == 0`,
        ...this.#input
      },
      continue: { ...this.#input, timeout: "30s" },
      next: this.#input,
      print: { expressions: ["n", "doubled", "total"], ...this.#input },
      output: this.#input,
      recover: { name, yes: true, timeout: "30s" },
      stop: { names: [name] }
    }
    // A call that fails may have started the program too.
    if (operation === "restart" || operation === "recover") this.#restarts++
    const from = performance.now()
    const outcome = await caller.call(operation, inputs[operation])
    const millis = performance.now() - from
    report.sample(`${caller.name} ${operation}`, millis)
    if (millis > slow) report.notes.push(`${operation} took ${Math.round(millis)} ms in ${this.#last}: ${outcome.code}`)
    if (outcome.ok) this.#note(operation, outcome.data)
    return outcome
  }

  /** Notes the program and its state after an answer. */
  #note(operation: Operation, data: Clients.Input): void {
    const pid = Number(data["pid"])
    if (["start", "restart", "attach", "recover"].includes(operation) && pid > 0) this.#program = Machine.lookup(pid)
    if (operation === "stop") this.#program = undefined
    if (data["event"] !== undefined) this.#stops = data["event"] === "stopped"
    if (operation === "attach") this.#stops = false
  }

  /** Causes a fault after a random part of the call; returns whether it was caused. */
  async #inject(fault: Fault): Promise<boolean> {
    const { arena, caller, name, observer, poison, random, report } = this.#options
    if (fault === "none") return true
    await sleep(random() * 60)
    const daemon = arena.daemon()
    if (daemon === undefined) return false
    switch (fault) {
      case "client":
        caller.kill()
        return true
      case "poison": {
        const { input, label, tag } = poison(random, name)
        const poisoned = Clients.limited(observer.call(tag, input))
        const from = performance.now()
        await Clients.limited(observer.call("sessions", {}))
        const millis = performance.now() - from
        report.sample("sessions during poison", millis)
        report.sample(`sessions during ${label}`, millis)
        await poisoned
        return true
      }
      case "program": {
        this.#mayEnd = true
        const found = await this.#found(() => this.#running())
        return found !== undefined && Machine.signal(found.pid, "SIGKILL")
      }
      case "adapter": {
        this.#mayEnd = true
        const adapter = await this.#found(() => {
          const running = this.#running()
          return running === undefined ? undefined : Machine.debuggerOf(running, daemon)
        })
        return adapter !== undefined && Machine.signal(adapter.pid, "SIGKILL")
      }
      case "kill":
        this.#mayEnd = true
        arena.epoch++
        arena.isDown = true
        return Machine.signal(daemon, "SIGKILL")
      case "pause":
        Machine.signal(daemon, "SIGSTOP")
        await sleep(200 + random() * 1000)
        return Machine.signal(daemon, "SIGCONT")
      case "disk":
        arena.epoch++
        arena.fillDisk()
        return true
      case "clock":
        arena.clock?.step((random() - 0.5) * 2 * 86_400_000)
        return true
    }
  }

  /** Returns the program of the session, also while it is being started. */
  #running(): Machine.Process | undefined {
    const pid = this.#program?.pid ?? this.#target?.pid
    return pid === undefined ? Machine.running(this.#options.program.file)[0] : Machine.lookup(pid)
  }

  /** Looks for a process that may be about to start. */
  async #found(look: () => Machine.Process | undefined): Promise<Machine.Process | undefined> {
    let found = look()
    await until(2000, () => (found ??= look()) !== undefined)
    return found
  }

  /** Ends a fault, and checks what must hold after it. */
  async #settle(fault: Fault, before: Machine.Process | undefined): Promise<void> {
    const { arena, report } = this.#options
    if (fault === "disk") {
      await sleep(50)
      arena.emptyDisk()
      if (arena.daemon() === undefined) report.broken("the daemon survives a full disk", arena.logTail())
    }
    if (fault === "clock") arena.clock?.step(0)
    if (fault !== "kill") return
    report.sample("daemon start after kill", await arena.startDaemon())
    if (before !== undefined && this.#target === undefined) {
      const isGone = await until(patience, () => Machine.lookup(before.pid)?.started !== before.started)
      if (!isGone)
        report.broken("a new daemon ends what a killed one launched", `pid ${before.pid} lives: ${arena.logTail()}`)
    }
  }

  /** Checks the answer to a call. */
  #judge(operation: Operation, fault: Fault, outcome: Clients.Outcome, disturbed: boolean): void {
    const { name, report } = this.#options
    const what = `${operation} with ${fault} in ${name}`
    if (outcome.code === "TIMEOUT-OF-SOAK") report.broken("each request has one outcome (I1)", what)
    else if (outcome.code === "INTERNAL") report.broken("no error is INTERNAL", `${what}: ${outcome.message}`)
    else if (!outcome.ok && !disturbed && ["none", "poison", "pause", "clock"].includes(fault)) {
      report.broken("a call without a fault of its own succeeds", `${what}: ${outcome.code} ${outcome.message}`)
    }
    if (!outcome.ok) return
    const { program } = this.#options
    const answer = { operation, data: outcome.data, program, pid: this.#program?.pid, restarts: this.#restarts }
    for (const [invariant, detail] of Answers.problemsOf(answer)) report.broken(invariant, `${what}: ${detail}`)
  }

  /** Reads all output in pages, which is what the program wrote from its start, plus a counted gap. */
  async #readOutput(what: string): Promise<void> {
    const { observer, report } = this.#options
    let text = ""
    let dropped = 0
    for (let since: number | string = 1, pages = 0; pages < 200; pages++) {
      const { data, ok } = await Clients.limited(observer.call("output", { since, ...this.#input }))
      const page = ok ? OutputPage.of(data) : undefined
      if (page === undefined) return
      text += page.text
      dropped += page.dropped
      const next = OutputPage.nextOf(page)
      if (page.truncated !== true) break
      if (next === since) report.broken("each page moves forward (R71)", `${what}: ${since}`)
      since = next
    }
    report.sample("bytes of output", text.length)
    const problem = dropped === 0 ? Output.problemOfAll(text, this.#restarts) : undefined
    if (problem !== undefined) report.broken("output has every byte", `${what}: ${problem}`)
  }

  /** Compares the reported state with the process table. */
  async #verify(): Promise<void> {
    const { name, observer, report } = this.#options
    const program = this.#program
    if (program === undefined) return
    const { data, ok } = await Clients.limited(observer.call("status", this.#input))
    if (!ok) return
    const now = Machine.lookup(program.pid)
    const state = String(data["state"])
    const alive = now?.started === program.started
    const wrong =
      (state === "stopped" && !(alive && /[tT]/.test(now?.state ?? ""))) ||
      (state === "running" && !alive) ||
      (state === "exited" && alive)
    if (wrong) report.broken("states are true (I2)", `${name}: ${state}, but the process is ${now?.state ?? "gone"}`)
  }

  /** Ends the session of this worker. */
  async close(): Promise<void> {
    await this.#reset()
    await this.#options.caller.close()
  }
}

/**
 * Kills the programs of debug servers when this process is killed.
 *
 * A debug server whose client is gone lets its program run on. A small shell outside of this process waits for the end of its
 * input, which the kernel closes with this process, and then kills each process of the sessions (setsid) that it has read.
 * Each line of its input is a word and a number. Where there is no /proc it does nothing.
 */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as ChildProcess from "effect/process/ChildProcess"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"

/** Reads `+ SESSION` and `- SESSION`; kills the processes of the sessions that remain at the end of its input. */
const script = `
trap '' INT HUP TERM
sessions=' '
while read -r word id; do
  case $word in
    +) sessions="$sessions$id " ;;
    -) sessions="\${sessions%%" $id "*} \${sessions#*" $id "}" ;;
  esac
done
for round in 1 2 3; do
  for stat in /proc/[0-9]*/stat; do
    { read -r line < "$stat"; } 2>/dev/null || continue
    rest=\${line##*) }
    set -- $rest
    case $sessions in *" $4 "*) pid=\${line%% *}; kill -9 "$pid" 2>/dev/null ;; esac
  done
done
`

/** Ends the runs of this process if this process ends first. */
export interface Watchdog {
  /** Watches the session of a debug server, before the server launches anything. */
  readonly add: (session: number) => Effect.Effect<void>
  /** Watches it no more. */
  readonly remove: (session: number) => Effect.Effect<void>
}

/** Starts a watchdog, which ends with the scope and then kills nothing that was removed before. */
export const make = Effect.gen(function* () {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const lines = yield* Queue.unbounded<Uint8Array, Cause.Done>()
  yield* Effect.addFinalizer(() => Queue.end(lines))
  yield* spawner.spawn(
    ChildProcess.make("/bin/sh", ["-c", script], {
      stdin: { stream: Stream.fromQueue(lines) },
      stdout: "ignore",
      stderr: "ignore",
      env: {},
      extendEnv: false,
      forceKillAfter: "1 second"
    })
  )
  const encoder = new TextEncoder()
  const write = (text: string) => Effect.asVoid(Queue.offer(lines, encoder.encode(text)))
  const watchdog: Watchdog = {
    add: (session) => write(`+ ${session}\n`),
    remove: (session) => write(`- ${session}\n`)
  }
  return watchdog
})

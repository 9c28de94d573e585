/**
 * Recognizes the code to which a signal handler returns, and which restores the interrupted code by the system call
 * `sigreturn`. A step that ends there has left the handler and not arrived in the program yet.
 */
import type { Frame } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as RuntimeFrames from "../../model/RuntimeFrames.ts"
import type { Session } from "../../session/Session.ts"
import type { StopView } from "../../session/values/StopView.ts"

/** Names that C libraries, kernels and GDB give to this code. Debian's C library has no symbol for it. */
const named = /^(?:__restore(?:_rt)?|__kernel_(?:rt_)?sigreturn|_sigtramp|<signal handler called>)$/

/** The code in Linux: `mov $15, %rax; syscall` on x86-64, `mov x8, #139; svc #0` on ARM64. */
const codes: ReadonlyArray<ReadonlyArray<number>> = [
  [0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05],
  [0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4]
]

const longest = Math.max(...codes.map(({ length }) => length))

/** True if bytes begin with the code. */
export const isCode = (bytes: Uint8Array): boolean =>
  codes.some((code) => code.every((byte, index) => bytes[index] === byte))

/** True if a frame is in this code: its thread is about to return from a signal handler, or the frame called one. */
export const isAt = (view: StopView, frame: Frame.Frame): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    if (frame.line !== undefined) return false
    if (named.test(frame.function)) return true
    if (RuntimeFrames.isNamed(frame) || frame.address === undefined) return false
    return isCode((yield* view.connection.inspection.memory(BigInt(frame.address), longest)).bytes)
  }).pipe(Effect.orElseSucceed(() => false))

/** True if a frame of a thread, by default of the one that stopped, is about to return from a signal handler. */
export const isNext = (session: Session, thread: number | undefined, index = 0): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    const view = yield* session.view
    const { frame } = yield* view.frame(yield* view.threadFor(thread, session.log.snapshot.stopped?.thread), index)
    return yield* isAt(view, frame)
  }).pipe(Effect.orElseSucceed(() => false))

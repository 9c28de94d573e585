/**
 * Every operation, in reading order. `group` is the typed form, `all` the list with the types forgotten.
 */
import type * as Effect from "effect/Effect"
import type * as Rpc from "effect/rpc/Rpc"
import * as RpcGroup from "effect/rpc/RpcGroup"
import type * as Operation from "./Operation.ts"
import { Break, Logpoint } from "./operations/breakpoint.ts"
import {
  BreakpointDisable,
  BreakpointEdit,
  BreakpointEnable,
  BreakpointFind,
  BreakpointInfo,
  BreakpointLines,
  BreakpointList,
  BreakpointLoad,
  BreakpointRemove,
  BreakpointSave,
  BreakpointToggle
} from "./operations/breakpoints.ts"
import { Backtrace, Eval, GetContext, Locals, Print } from "./operations/inspect.ts"
import { Events, Input } from "./operations/events.ts"
import { Disassemble, MemoryRead, MemoryWrite, Modules, Registers } from "./operations/machine.ts"
import { Output, Raw } from "./operations/output.ts"
import { Continue, Finish, Next, Nexti, Pause, Run, Step, Stepi, Until } from "./operations/run.ts"
import { GetStatus, Start, Stop, Wait } from "./operations/session.ts"
import { Capabilities, SessionInfo, SessionPrune, SessionRename, Sessions, SessionUse } from "./operations/sessions.ts"
import {
  SimApps,
  SimAttach,
  SimContainer,
  SimDebug,
  SimGuard,
  SimInstall,
  SimLaunch,
  SimTerminate,
  SimUninstall
} from "./operations/app.ts"
import { DefaultsClear, DefaultsSet, DefaultsShow, DefaultsUse } from "./operations/defaults.ts"
import {
  SimAppearance,
  SimLocation,
  SimLog,
  SimOpenUrl,
  SimPrivacy,
  SimPush,
  SimScreenshot,
  SimStatusBar
} from "./operations/device.ts"
import {
  SimBoot,
  SimClone,
  SimCreate,
  SimDelete,
  SimDoctor,
  SimErase,
  SimList,
  SimRuntimes,
  SimShutdown,
  SimTypes
} from "./operations/simulator.ts"
import { Files, Source } from "./operations/source.ts"
import { Down, SelectFrame, SelectThread, Threads, Up } from "./operations/stack.ts"
import {
  Arguments,
  Changed,
  Complete,
  Expand,
  Find,
  Globals,
  Refs,
  SetValue,
  TypeOf,
  Vars
} from "./operations/values.ts"
import { Attach, Connect, Core, Detach, Restart } from "./operations/target.ts"
import { Catch, CatchList, CatchRemove, Exception, Exceptions, Watch } from "./operations/watch.ts"

export type { Instruction, Module, WordFormat } from "./operations/machine.ts"
export type { FrameView, ThreadStatus } from "./operations/stack.ts"

/** Every operation with its types: what handlers, renderers and the daemon's wire are made from. */
export const group = RpcGroup.make(
  Start,
  Attach,
  Core,
  Connect,
  Restart,
  Detach,
  Stop,
  GetStatus,
  Sessions,
  SessionUse,
  SessionRename,
  SessionInfo,
  SessionPrune,
  Capabilities,
  Break,
  Logpoint,
  Watch,
  Catch,
  CatchList,
  CatchRemove,
  Exception,
  Exceptions,
  BreakpointList,
  BreakpointInfo,
  BreakpointRemove,
  BreakpointEnable,
  BreakpointDisable,
  BreakpointToggle,
  BreakpointEdit,
  BreakpointLines,
  BreakpointFind,
  BreakpointSave,
  BreakpointLoad,
  Run,
  Continue,
  Next,
  Step,
  Finish,
  Until,
  Stepi,
  Nexti,
  Pause,
  Wait,
  GetContext,
  Source,
  Files,
  Changed,
  Backtrace,
  SelectFrame,
  Up,
  Down,
  Threads,
  SelectThread,
  Locals,
  Arguments,
  Globals,
  Vars,
  Print,
  Expand,
  Eval,
  SetValue,
  TypeOf,
  Complete,
  Find,
  Refs,
  MemoryRead,
  MemoryWrite,
  Registers,
  Disassemble,
  Modules,
  Output,
  Input,
  Events,
  Raw,
  SimDebug,
  SimAttach,
  SimGuard,
  SimList,
  SimBoot,
  SimShutdown,
  SimInstall,
  SimLaunch,
  SimTerminate,
  SimApps,
  SimUninstall,
  SimContainer,
  SimLog,
  SimOpenUrl,
  SimPush,
  SimScreenshot,
  SimPrivacy,
  SimLocation,
  SimAppearance,
  SimStatusBar,
  SimRuntimes,
  SimTypes,
  SimCreate,
  SimClone,
  SimErase,
  SimDelete,
  SimDoctor,
  DefaultsShow,
  DefaultsSet,
  DefaultsClear,
  DefaultsUse
)

/** Any of the operations. */
export type Any = RpcGroup.Rpcs<typeof group>
/** The tag of any operation. */
export type Tag = Any["_tag"]
/** The operation of a tag. */
export type ByTag<T extends Tag> = Extract<Any, { readonly _tag: T }>
/** The decoded payload of a tag's operation. */
export type Payload<T extends Tag> = Rpc.Payload<ByTag<T>>
/** The payload of a tag's operation as a program writes it, defaults left out. */
export type PayloadInput<T extends Tag> = Rpc.PayloadConstructor<ByTag<T>>
/** The answer of a tag's operation: the envelope with its data. */
export type Answer<T extends Tag> = Rpc.Success<ByTag<T>>
/** The data in a tag's answer. */
export type Data<T extends Tag> = Answer<T>["data"]
/** What a tag's operation can fail with. */
export type Failure<T extends Tag> = Rpc.Error<ByTag<T>>

/** One function for each operation: what the manager offers, and what a client of any kind calls in the end. */
export type Handlers = {
  readonly [T in Tag]: (payload: Payload<T>) => Effect.Effect<Answer<T>, Failure<T>>
}

/** Every operation with the types forgotten, in reading order. */
export const all: ReadonlyArray<Operation.Any> = [...group.requests.values()]

/** The operation of a tag, if there is one. */
export const find = (tag: string): Operation.Any | undefined => all.find((operation) => operation._tag === tag)

/** The operation of a known tag. */
export const byTag = (tag: Tag): Operation.Any => group.requests.get(tag) ?? Start

/** Whether a word is the tag of an operation. */
export const isTag = (tag: string): tag is Tag => group.requests.has(tag)

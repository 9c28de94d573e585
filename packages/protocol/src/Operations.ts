/**
 * Every operation, in reading order. `group` has the types, `all` is the list without them.
 */
import type * as Effect from "effect/Effect"
import type * as Rpc from "effect/rpc/Rpc"
import * as RpcGroup from "effect/rpc/RpcGroup"
import type * as Operation from "./Operation.ts"
import { Attach, Connect, Core, Detach } from "./operations/Attach.ts"
import { Back, LastWrite } from "./operations/Back.ts"
import { Break, Logpoint } from "./operations/Break.ts"
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
} from "./operations/Breakpoints.ts"
import { AskAnswer, AskList } from "./operations/Ask.ts"
import { ControlRelease, ControlShow, ControlTake } from "./operations/Control.ts"
import { Changed, GetContext } from "./operations/Context.ts"
import { DefaultsClear, DefaultsSet, DefaultsShow, DefaultsUse } from "./operations/Defaults.ts"
import { Display, DisplayList, DisplayRemove } from "./operations/Display.ts"
import { Debuggers } from "./operations/Debuggers.ts"
import { Explain } from "./operations/Explain.ts"
import { Catch, CatchList, CatchRemove, Exception, Exceptions } from "./operations/Exceptions.ts"
import { Complete, Eval, Expand, Print, Refs, TypeOf } from "./operations/Expressions.ts"
import { Input } from "./operations/Input.ts"
import { Disassemble, MemoryRead, MemoryWrite, Modules, Registers } from "./operations/Machine.ts"
import { Events, Output } from "./operations/Output.ts"
import { Bisect } from "./operations/Bisect.ts"
import { Diff } from "./operations/Diff.ts"
import { Diverge } from "./operations/Diverge.ts"
import { History, Report, Stops } from "./operations/PastStops.ts"
import { Run } from "./operations/RunProgram.ts"
import { Raw } from "./operations/Raw.ts"
import { Recover } from "./operations/Recover.ts"
import { Continue, Finish, Next, Nexti, Pause, Step, Stepi, Until, Wait } from "./operations/Resume.ts"
import {
  Capabilities,
  GetStatus,
  SessionInfo,
  SessionPrune,
  SessionRename,
  Sessions,
  SessionUse,
  Stop
} from "./operations/Sessions.ts"
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
} from "./operations/SimulatorApps.ts"
import {
  SimAppearance,
  SimLocation,
  SimLog,
  SimOpenUrl,
  SimPrivacy,
  SimPush,
  SimScreenshot,
  SimStatusBar
} from "./operations/SimulatorDevice.ts"
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
} from "./operations/Simulators.ts"
import { Script } from "./operations/Script.ts"
import { Files, Source } from "./operations/Source.ts"
import { Backtrace, Down, SelectFrame, SelectThread, Threads, Up } from "./operations/Stack.ts"
import { Restart, Start } from "./operations/Start.ts"
import { Tasks } from "./operations/Tasks.ts"
import { HitsDiff, HitsExport, HitsList, HitsTrend, Trace } from "./operations/Trace.ts"
import { Arguments, Find, Globals, Locals, SetValue, Vars } from "./operations/Variables.ts"
import { Watch } from "./operations/Watch.ts"

export type { Instruction, Module, Register, WordFormat } from "./operations/Machine.ts"
export type { InstalledDebugger } from "./operations/Debuggers.ts"
export type { RunTrace, TraceEngine, TraceHit, TracePoint } from "./model/TraceRecord.ts"
export type { ComparedStop, FrameDifference, ValueDifference } from "./operations/Diff.ts"
export type { PastStop } from "./operations/PastStops.ts"
export type { FrameView, ThreadStatus } from "./operations/Stack.ts"

/** Every operation with its types, for handlers, renderers and the wire to the daemon. */
export const group = RpcGroup.make(
  Start,
  Attach,
  Core,
  Connect,
  Restart,
  Recover,
  Detach,
  Stop,
  GetStatus,
  Sessions,
  SessionUse,
  SessionRename,
  SessionInfo,
  SessionPrune,
  ControlTake,
  ControlRelease,
  ControlShow,
  AskList,
  AskAnswer,
  Capabilities,
  Debuggers,
  Break,
  Logpoint,
  Trace,
  HitsList,
  HitsDiff,
  HitsTrend,
  HitsExport,
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
  Explain,
  Source,
  Files,
  Changed,
  Stops,
  History,
  Report,
  Diff,
  Diverge,
  Back,
  LastWrite,
  Bisect,
  Backtrace,
  SelectFrame,
  Up,
  Down,
  Threads,
  SelectThread,
  Tasks,
  Locals,
  Arguments,
  Globals,
  Vars,
  Print,
  Expand,
  Display,
  DisplayList,
  DisplayRemove,
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
  Script,
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
/** The encoded payload of a tag's operation as a caller writes it: fields with a default may be left out or `undefined`. */
export type PayloadInput<T extends Tag> = Loose<ByTag<T>["payloadSchema"]["Encoded"]>

/** Fields of which the optional ones may also be `undefined`. */
type Loose<E> = { readonly [K in keyof E]: object extends Pick<E, K> ? E[K] | undefined : E[K] }

/** The answer of a tag's operation: the envelope with its data. */
export type Answer<T extends Tag> = Rpc.Success<ByTag<T>>
/** The data in a tag's answer. */
export type Data<T extends Tag> = Answer<T>["data"]
/** The errors of a tag's operation. */
export type Failure<T extends Tag> = Rpc.Error<ByTag<T>>

/** One function per operation. The manager implements them and every client calls them. */
export type Handlers = {
  readonly [T in Tag]: (payload: Payload<T>) => Effect.Effect<Answer<T>, Failure<T>>
}

/** Every operation, without its types, in reading order. */
export const all: ReadonlyArray<Operation.Any> = [...group.requests.values()]

/** Returns the operation of a tag, if there is one. */
export const find = (tag: string): Operation.Any | undefined => all.find((operation) => operation._tag === tag)

/** Returns the operation of a known tag. */
export const byTag = (tag: Tag): Operation.Any => group.requests.get(tag) ?? Start

/** Returns true if the text is the tag of an operation. */
export const isTag = (tag: string): tag is Tag => group.requests.has(tag)

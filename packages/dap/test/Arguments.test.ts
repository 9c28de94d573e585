// The types of arguments are those of the published declarations of the protocol. The compiler compares them: a difference does not compile.
import type { DebugProtocol } from "@vscode/debugprotocol"
import { assert, it } from "@effect/vitest"
import type { Arguments, Capabilities } from "../src/index.ts"

/** A type without `readonly`, as the published declarations are written. */
type Writable<T> =
  T extends ReadonlyArray<infer Item>
    ? Array<Writable<Item>>
    : T extends object
      ? { -readonly [K in keyof T]: Writable<T[K]> }
      : T

/** `true` if each of two types is assignable to the other. */
type Same<Ours, Published> = [Writable<Ours>] extends [Published]
  ? [Published] extends [Ours]
    ? [keyof Ours] extends [keyof Published]
      ? [keyof Published] extends [keyof Ours]
        ? true
        : "a field is missing"
      : "a field is not published"
    : "the published type is not assignable"
  : "not assignable to the published type"

/** The names of the boolean capabilities. */
type Published = {
  readonly [Key in keyof DebugProtocol.Capabilities]-?: Required<DebugProtocol.Capabilities>[Key] extends boolean
    ? Key
    : never
}[keyof DebugProtocol.Capabilities]

type Page = "startFrame" | "levels"

/** The fields of the specification; adapters have more. */
type Named<T> = { readonly [K in keyof T as string extends K ? never : K]: T[K] }

type All = readonly [
  Same<Arguments.Initialize, DebugProtocol.InitializeRequestArguments>,
  Same<Named<Arguments.Launch>, DebugProtocol.LaunchRequestArguments>,
  Same<Named<Arguments.Attach>, DebugProtocol.AttachRequestArguments>,
  Same<Arguments.Continue, DebugProtocol.ContinueArguments>,
  Same<Arguments.Step, DebugProtocol.NextArguments>,
  Same<Arguments.Step, DebugProtocol.StepOutArguments>,
  Same<Arguments.StepIn, DebugProtocol.StepInArguments>,
  Same<Arguments.Thread, DebugProtocol.PauseArguments>,
  Same<Arguments.Thread, DebugProtocol.ExceptionInfoArguments>,
  Same<Arguments.Frame, DebugProtocol.ScopesArguments>,
  Same<Arguments.Frame, DebugProtocol.StepInTargetsArguments>,
  Same<Arguments.Frame, DebugProtocol.RestartFrameArguments>,
  Same<Omit<Arguments.StackTrace, Page>, Omit<DebugProtocol.StackTraceArguments, Page>>,
  Same<Arguments.Variables, DebugProtocol.VariablesArguments>,
  Same<Arguments.SetVariable, DebugProtocol.SetVariableArguments>,
  Same<Arguments.SetExpression, DebugProtocol.SetExpressionArguments>,
  Same<Arguments.Evaluate, DebugProtocol.EvaluateArguments>,
  Same<Arguments.SourceText, DebugProtocol.SourceArguments>,
  Same<Arguments.Modules, DebugProtocol.ModulesArguments>,
  Same<Arguments.Completions, DebugProtocol.CompletionsArguments>,
  Same<Arguments.ReadMemory, DebugProtocol.ReadMemoryArguments>,
  Same<Arguments.WriteMemory, Omit<DebugProtocol.WriteMemoryArguments, "allowPartial">>,
  Same<Arguments.Disassemble, DebugProtocol.DisassembleArguments>,
  Same<Arguments.Goto, DebugProtocol.GotoArguments>,
  Same<Arguments.GotoTargets, DebugProtocol.GotoTargetsArguments>,
  Same<Arguments.Terminate, DebugProtocol.TerminateArguments>,
  Same<Arguments.Disconnect, DebugProtocol.DisconnectArguments>,
  Same<Arguments.Cancel, DebugProtocol.CancelArguments>,
  Same<Arguments.SetBreakpoints, DebugProtocol.SetBreakpointsArguments>,
  Same<Arguments.SetFunctionBreakpoints, DebugProtocol.SetFunctionBreakpointsArguments>,
  Same<Arguments.SetInstructionBreakpoints, DebugProtocol.SetInstructionBreakpointsArguments>,
  Same<Arguments.SetDataBreakpoints, DebugProtocol.SetDataBreakpointsArguments>,
  Same<Arguments.DataBreakpointInfo, DebugProtocol.DataBreakpointInfoArguments>,
  Same<Arguments.SetExceptionBreakpoints, DebugProtocol.SetExceptionBreakpointsArguments>,
  Same<Arguments.BreakpointLocations, DebugProtocol.BreakpointLocationsArguments>,
  Same<Capabilities.Capability, Published>
]

type Difference = Exclude<All[number], true>

const found: [Difference] extends [never] ? "no difference" : Difference = "no difference"

it("the types of arguments are those of the published declarations", () => {
  assert.strictEqual(found, "no difference")
})

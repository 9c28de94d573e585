/** Fakes for those who test against debug adapters. */
export * as ScriptedAdapter from "./ScriptedAdapter.ts"

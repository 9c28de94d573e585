/** Fakes for tests with debug adapters. */
export * as ScriptedAdapter from "./ScriptedAdapter.ts"

/** Fakes for tests with debug servers. */
export * as ScriptedServer from "./ScriptedServer.ts"

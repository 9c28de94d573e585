/**
 * The GDB remote protocol as a library: packets, a typed client, and debug servers that it starts.
 */
export * as Client from "./Client.ts"
export * as DebugServer from "./DebugServer.ts"
export * as Errors from "./Errors.ts"
export * as Features from "./Features.ts"
export * as Hex from "./Hex.ts"
export * as Packet from "./Packet.ts"
export * as Registers from "./Registers.ts"
export * as StopReply from "./StopReply.ts"
export * as Transport from "./Transport.ts"

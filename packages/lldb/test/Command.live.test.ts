/** The encoder against a real LLDB: what it read back is what was sent, and no second command ran. */
import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, FileSystem, Result, Schema, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { Command } from "../src/index.ts"

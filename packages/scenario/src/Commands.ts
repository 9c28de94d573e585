/**
 * The port through which scenarios run sigtrap commands. The CLI provides the implementation.
 */
import type { Client, Operation, Operations } from "@sigtrap/protocol"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"

/** A command line, its working directory and environment. */
export interface CommandLine {
  /** The words after the program's name. */
  readonly argv: ReadonlyArray<string>
  readonly directory: string
  readonly environment: { readonly [name: string]: string }
}

/** A program's output and exit code. */
export interface Output {
  readonly stdout: string
  readonly stderr: string
  readonly exit: number
}

/** A command that calls an operation. */
export interface Command {
  /** The name, of one or more words: `breakpoint list`. */
  readonly name: string
  readonly operation: Operation.Any
  /** True if the command has `--timeout`. */
  readonly takesTimeout: boolean
}

/** The service that runs command lines. */
export class Commands extends Context.Service<
  Commands,
  {
    /** Returns the command that begins a line, aliases included; absent for other programs. */
    readonly resolve: (words: ReadonlyArray<string>) => Command | undefined
    /** Returns the words of the command line that makes a call. */
    readonly argvOf: (tag: Operations.Tag, input: { readonly [field: string]: unknown }) => ReadonlyArray<string>
    /** Runs one command line. It never fails: an error is text on stderr and an exit code. */
    readonly run: (line: CommandLine) => Effect.Effect<Output, never, Client.Client>
    /** A manager for one scenario; its sessions end with the scope. */
    readonly manager: Layer.Layer<Client.Client>
  }
>()("@sigtrap/scenario/Commands") {}

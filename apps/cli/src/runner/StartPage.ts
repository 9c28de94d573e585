/**
 * `start --web`: opens the page on the session that was started, as `sigtrap web` does. The start
 * succeeds even if the page cannot be opened.
 */
import type { CommandLine, CommandOutput } from "@sigtrap/host/daemon/Protocol"
import { PageOpener } from "@sigtrap/host"
import { Errors, Hint } from "@sigtrap/protocol"
import type * as Argv from "@sigtrap/protocol/grammar/Argv"
import { Effect } from "effect"
import * as PageText from "../render/PageText.ts"
import type * as OutputSettings from "../render/OutputSettings.ts"

/** The opened page, or why there is none. */
export type Page = PageOpener.Opened | { readonly opened: false; readonly problem: string }

/** Returns the input of a call without `web`, and whether it opens the page. */
export const divide = (
  tag: string,
  given: Argv.Fields
): { readonly input: Argv.Fields; readonly opensPage: boolean } => {
  if (tag !== "start") return { input: given, opensPage: false }
  const { web, ...input } = given
  return { input, opensPage: web === true }
}

/** Fails if the page cannot be opened because there is no daemon. */
export const check = Effect.flatMap(PageOpener.PageOpener, (open) =>
  open === undefined
    ? Effect.fail(
        new Errors.InvalidState({
          problem: "--web needs the daemon, and --foreground runs without it",
          remedies: [Hint.local("web")]
        })
      )
    : Effect.void
)

/** Opens the page on a session. */
export const open = (session: string | undefined, { environment }: CommandLine): Effect.Effect<Page | undefined> =>
  Effect.flatMap(PageOpener.PageOpener, (opener) =>
    opener === undefined
      ? Effect.undefined
      : Effect.catch(opener({ allow: [], session, port: 0, print: false, environment }), (error) =>
          Effect.succeed({ opened: false as const, problem: error.message })
        )
  )

/** Adds the text for the page to the output of the start, before the exit code. JSON has the page already. */
export const add = (
  pieces: ReadonlyArray<CommandOutput>,
  page: Page | undefined,
  { json }: OutputSettings.Settings
): ReadonlyArray<CommandOutput> => {
  if (page === undefined || json) return pieces
  const text =
    "problem" in page ? `warning: the page was not opened: ${page.problem}\n` : `page: ${PageText.describe(page)}`
  return [
    ...pieces.filter(({ _tag }) => _tag !== "Exit"),
    { _tag: "problem" in page ? "Stderr" : "Stdout", text },
    ...pieces.filter(({ _tag }) => _tag === "Exit")
  ]
}

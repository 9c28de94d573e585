/**
 * What the palette offers: actions, lines, stops and sessions that the page knows, and files and functions that the daemon finds.
 */
import { useEffect, useState } from "preact/hooks"
import { actions, endWords, obstacleOf, run, toggleControl } from "../../session/actions/Actions.ts"
import { copyLink, copyReport } from "../../session/actions/Clipboard.ts"
import { showExplanation } from "../../session/actions/Explanations.ts"
import type { Page } from "../../session/Page.ts"
import { follow } from "../../session/Preferences.ts"
import type { SessionView } from "../../session/SessionView.ts"
import { fileName, placeOf, reasonOf } from "../../session/words/StopWords.ts"
import { usePage } from "../parts/PageContext.ts"
import { panelChoices } from "./PanelChoices.ts"
import { reveal } from "../layout/Panes.ts"
import { cursorLine } from "../source/SourceLines.tsx"
import { join } from "@sigtrap/protocol/ShellWords"

/** A line of the palette. */
export interface Choice {
  readonly label: string
  readonly command?: string
  /** The text that a query is compared with, where it is not the label and the command: the name of a file means the file. */
  readonly words?: string
  readonly obstacle?: string | undefined
  readonly choose: () => void
}

/** Most choices. */
const most = 12

/** Most choices of one kind that are read, and time without a key before they are, in milliseconds. */
const [mostFound, pause] = [6, 120]

/** Opens a line of a file, and puts the focus there. */
const openLine = async (view: SessionView, file: string, line: number): Promise<void> => {
  await view.open(file, line)
  reveal("Source", "#source .lines", "#source .instructions")
}

/** Opens the place of a function. */
const openFunction = async (page: Page, view: SessionView, name: string): Promise<void> => {
  const session = view.session.name
  const outcome = await page.act(
    "source",
    { session, at: name, lines: 0 },
    `sigtrap source ${join([name])} --session ${session}`
  )
  if (outcome.ok) await openLine(view, outcome.answer.data.file, outcome.answer.data.first)
}

/** Reads the files and the functions of the program that have the words, once no key came for a moment. */
const useFound = (query: string): ReadonlyArray<Choice> => {
  const page = usePage()
  const view = page.view.value
  const [found, setFound] = useState<ReadonlyArray<Choice>>([])
  const word = query.trim()
  useEffect(() => {
    setFound([])
    if (view === undefined || !/^[\w./~:-]{2,}$/.test(word) || word.startsWith(":") || !view.alive()) return undefined
    const abort = new AbortController()
    const session = view.session.name
    const read = async () => {
      const [files, functions] = await Promise.all([
        page.calls.call("files", { session, match: word, limit: mostFound }, abort.signal),
        page.calls.call("complete", { session, text: word, kind: "location" }, abort.signal)
      ])
      if (abort.signal.aborted) return
      setFound([
        ...(files.ok ? files.answer.data.files : []).map((file) => ({
          label: `File ${fileName(file)}`,
          command: `sigtrap source ${join([file])}`,
          choose: () => void openLine(view, file, 1)
        })),
        // A file ends with a colon.
        ...(functions.ok ? functions.answer.data.completions : [])
          .filter(({ text }) => !text.includes(":") || text.includes("::"))
          .slice(0, mostFound)
          .map(({ text }) => ({
            label: `Function ${text}`,
            command: `sigtrap source ${join([text])}`,
            choose: () => void openFunction(page, view, text)
          }))
      ])
    }
    const timer = setTimeout(() => void read(), pause)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [word, view])
  return found
}

/** What actions are called where no other one is beside them, if it is not the word of their button. */
const actionLabels: ReadonlyMap<string, string> = new Map([
  ["next", "Step over"],
  ["step", "Step into"],
  ["finish", "Step out"]
])

/** True if the words of the query occur in the text in their order. */
const matches = (query: string, text: string): boolean => {
  let at = 0
  const lower = text.toLowerCase()
  return query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "")
    .every((word) => {
      const found = lower.indexOf(word, at)
      at = found + word.length
      return found !== -1
    })
}

/** Returns the choices that have the words of a query. */
export const useChoices = (query: string): ReadonlyArray<Choice> => {
  const page = usePage()
  const view = page.view.value
  const found = useFound(query)
  const sessions: ReadonlyArray<Choice> = [...page.sessions.value.keys()].map((session) => ({
    label: `Session ${session}`,
    choose: () => (page.chosen.value = session)
  }))
  const list: Choice = { label: "All sessions", command: "sigtrap sessions", choose: () => page.showAll() }
  const start: Choice = {
    label: "Start a program…",
    command: "sigtrap start",
    choose: () => (page.overlay.value = "start")
  }
  if (view === undefined) return [...sessions, start].filter(({ label }) => matches(query, label))
  const source = view.source.value
  const line = /^:(\d+)$/.exec(query)?.[1] ?? /\b(\d+)$/.exec(query)?.[1]
  const stop = /^(?:#|stop\s+)(\d+)$/i.exec(query)?.[1]
  const name = source === undefined ? "" : fileName(source.file)
  const { state } = view.session.snapshot.value
  if (stop !== undefined) return [{ label: `Look at stop ${stop}`, choose: () => void view.look(Number(stop)) }]
  const ofLine: ReadonlyArray<Choice> =
    line === undefined || source === undefined
      ? []
      : [
          { label: `Go to line ${line}`, choose: () => void openLine(view, source.file, Number(line)) },
          {
            label: `Run to line ${line}`,
            command: `sigtrap until ${join([`${name}:${line}`])}`,
            obstacle: obstacleOf(page, view, actions.until),
            choose: () => void run(page, view, actions.until, `${source.file}:${line}`)
          },
          {
            label: `Break at ${name}:${line}`,
            command: `sigtrap break ${join([`${name}:${line}`])}`,
            choose: () =>
              void page.act(
                "break",
                { session: view.session.name, at: `${source.file}:${line}` },
                `sigtrap break ${join([`${name}:${line}`])}`
              )
          }
        ]
  if (query.startsWith(":")) return ofLine
  const all: ReadonlyArray<Choice> = [
    ...Object.values(actions)
      .filter(({ id }) => id !== "until")
      .map((action) => ({
        label: action.id === "stop" ? endWords(view) : (actionLabels.get(action.id) ?? action.label),
        command: action.id === "stop" ? "sigtrap stop --keep" : `sigtrap ${action.id}`,
        obstacle: obstacleOf(page, view, action),
        choose: () => void run(page, view, action)
      })),
    ...(source === undefined
      ? []
      : [
          {
            label: `Run to the chosen line, ${cursorLine.value}`,
            command: `sigtrap until ${join([`${name}:${cursorLine.value}`])}`,
            words: "Run to the chosen line sigtrap until",
            obstacle: obstacleOf(page, view, actions.until),
            choose: () => void run(page, view, actions.until, `${source.file}:${cursorLine.value}`)
          }
        ]),
    {
      label: follow.value ? "Do not follow stops" : "Follow stops",
      choose: () => (follow.value = !follow.value)
    },
    { label: "Take or give control", command: "sigtrap control take", choose: () => void toggleControl(page, view) },
    {
      label: "Explain why the program is here",
      command: "sigtrap explain",
      obstacle: state === "stopped" ? undefined : "The program is not stopped.",
      choose: () => void showExplanation(page, view)
    },
    {
      label: "Copy report of this stop",
      command: "sigtrap report",
      words: "Copy report of this stop as Markdown sigtrap report share",
      obstacle: view.reportStop.value === 0 ? "There is no stop yet." : undefined,
      choose: () => void copyReport(page, view)
    },
    {
      label: "Copy read-only link",
      words: "Share: copy read-only link for a person who watches",
      obstacle: page.may("control") ? undefined : "This page may only observe.",
      choose: () => void copyLink(page, view)
    },
    ...view.stops.value.toReversed().map((one) => ({
      label: `Stop ${one.stop}: ${reasonOf(one)} ${placeOf(one.location) ?? ""}`,
      command: `sigtrap context --stop ${one.stop}`,
      words: `Stop ${one.stop}: ${reasonOf(one)}`,
      choose: () => void view.look(one.stop)
    })),
    ...sessions,
    list,
    start,
    ...panelChoices(view)
  ]
  const isMeant = ({ command, label, words }: Choice) =>
    words === undefined ? matches(query, label) || matches(query, command ?? "") : matches(query, words)
  const known = all.filter(isMeant)
  const lines = ofLine.filter(isMeant)
  // What was found in the program keeps its room below the actions, and appears without moving them.
  return [
    ...lines,
    ...known.slice(0, found.length === 0 ? most : most - Math.min(found.length, mostFound)),
    ...found
  ].slice(0, most)
}

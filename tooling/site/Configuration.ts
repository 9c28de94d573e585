/** The configuration of VitePress: the title, the bar at the side and the search. */
import { posix } from "node:path"
import * as MarkdownLinks from "../src/markdownLinks.ts"
import * as Pages from "./Pages.ts"

/** A document: its path in the repository and its text. */
export interface Document {
  readonly path: string
  readonly text: string
}

interface Item {
  readonly text: string
  readonly link?: string
  readonly collapsed?: boolean
  readonly items?: ReadonlyArray<Item>
}

const link = (page: string) => `/${Pages.addressOf(page)}`

/** Returns an item for each of these documents that exists. */
const items = (documents: ReadonlyArray<Document>, paths: ReadonlyArray<string>): ReadonlyArray<Item> =>
  paths.flatMap((path) => {
    const found = documents.find((one) => one.path === path)
    const page = Pages.pageOf(path)
    return found === undefined || page === undefined ? [] : [{ text: Pages.titleOf(found.text), link: link(page) }]
  })

/** Returns the documents that a document links to, in its order. */
const linked = ({ path, text }: Document): ReadonlyArray<string> => [
  ...new Set(
    MarkdownLinks.of(text)
      .filter(({ target }) => !MarkdownLinks.isAddress(target))
      .map(({ target }) => posix.join(posix.dirname(path), target.replace(/#.*/, "")))
  )
]

const inFolder = (documents: ReadonlyArray<Document>, folder: string) =>
  documents.map(({ path }) => path).filter((path) => posix.dirname(path) === folder)

const usage = [
  "configuration",
  "policies",
  "scenarios",
  "backends",
  "troubleshooting",
  "faq",
  "performance",
  "known-gaps"
]

/** Returns the bar at the side. `packages` are the packages with an API reference. */
const sidebar = (documents: ReadonlyArray<Document>, packages: ReadonlyArray<string>): ReadonlyArray<Item> => {
  const index = documents.find(({ path }) => path === "docs/guide/README.md")
  const ordered =
    index === undefined ? [] : [index.path, ...linked(index).filter((path) => path.startsWith("docs/guide/"))]
  return [
    { text: "Guides", items: items(documents, [...new Set([...ordered, ...inFolder(documents, "docs/guide")])]) },
    {
      text: "Use",
      items: items(
        documents,
        usage.map((name) => `docs/${name}.md`)
      )
    },
    { text: "Reference", items: items(documents, inFolder(documents, "docs/reference")) },
    {
      text: "Packages",
      items: items(
        documents,
        documents.map(({ path }) => path).filter((path) => /^(?:packages|apps)\//.test(path))
      )
    },
    { text: "API", items: packages.map((name) => ({ text: `@sigtrap/${name}`, link: `/api/${name}/` })) },
    {
      text: "Project",
      collapsed: true,
      items: items(documents, [
        "ARCHITECTURE.md",
        "SECURITY.md",
        "CONTRIBUTING.md",
        "docs/glossary.md",
        ...inFolder(documents, "docs/internals"),
        ...inFolder(documents, "docs/decisions")
      ])
    }
  ]
}

/** Returns the text of `config.mjs`. See https://vitepress.dev/reference/site-config. */
export const text = (documents: ReadonlyArray<Document>, packages: ReadonlyArray<string>): string => {
  const settings = {
    title: "sigtrap",
    description: "One debugger session, shared by a shell, coding agents and programs",
    cleanUrls: true,
    markdown: { languageAlias: { console: "sh" } },
    themeConfig: {
      nav: [
        { text: "Guides", link: "/guide/" },
        { text: "Reference", link: "/reference/operations" },
        { text: "API", link: "/packages/host" }
      ],
      sidebar: sidebar(documents, packages),
      outline: [2, 3],
      search: { provider: "local" }
    }
  }
  return `export default ${JSON.stringify(settings, undefined, 2)}\n`
}

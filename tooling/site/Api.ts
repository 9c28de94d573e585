/** The API reference: pages that TypeDoc makes from the declarations of a package and their doc comments. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, posix, relative } from "node:path"
import * as Pack from "../release/Pack.ts"
import * as MarkdownLinks from "../src/markdownLinks.ts"

/** The folder in which TypeDoc places the modules of a package. */
const namespaces = /(?:^|(?<=\/))@sigtrap\/namespaces\//g

const pagesOf = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))

/** Returns the text of a page that is moved, with its links as they are there. */
const moved = (page: string, text: string, place: (page: string) => string): string =>
  MarkdownLinks.replaced(text, ({ label, target }) => {
    if (MarkdownLinks.isAddress(target) || target.startsWith("#")) return `[${label}](${target})`
    const [file = "", anchor] = target.split("#")
    const link = MarkdownLinks.relative(place(page), place(posix.join(posix.dirname(page), file)))
    return `[${label}](${link}${anchor === undefined ? "" : `#${anchor}`})`
  })

/** Makes the pages of a package in a folder. `tools` is the folder with TypeDoc. */
const make = (name: string, destination: string, tools: string): void => {
  const made = join(destination, `.${name}`)
  const entry = join(Pack.root, "packages", name, "dist/index.d.ts")
  const settings = join(destination, `.${name}.tsconfig.json`)
  const compilerOptions = {
    target: "ES2024",
    lib: ["ES2024", "DOM", "ESNext.Disposable"],
    module: "NodeNext",
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    types: [],
    noEmit: true
  }
  writeFileSync(settings, JSON.stringify({ compilerOptions, files: [entry] }))
  const options = {
    plugin: "typedoc-plugin-markdown",
    entryPoints: entry,
    tsconfig: settings,
    out: made,
    name: `@sigtrap/${name}`,
    router: "module",
    readme: "none",
    entryFileName: "index",
    parametersFormat: "table",
    interfacePropertiesFormat: "table",
    classPropertiesFormat: "table",
    typeDeclarationFormat: "table",
    logLevel: "Error"
  }
  const flags = ["excludeExternals", "skipErrorChecking", "hideGenerator", "disableSources", "hideBreadcrumbs"]
  const words = [
    ...Object.entries(options).flatMap(([option, value]) => [`--${option}`, value]),
    ...[...flags, "hidePageHeader", "useHTMLEncodedBrackets"].map((flag) => `--${flag}`)
  ]
  Pack.run(process.execPath, [join(tools, "node_modules/typedoc/bin/typedoc"), ...words], tools)
  for (const page of pagesOf(made)) {
    const place = (path: string) => path.replaceAll(namespaces, "")
    const to = join(destination, name, place(page))
    mkdirSync(dirname(to), { recursive: true })
    writeFileSync(to, moved(page, readFileSync(join(made, page), "utf8"), place))
  }
  rmSync(made, { recursive: true })
  rmSync(settings)
}

/** Makes the pages of all packages in a folder; returns the names of the packages. */
export const all = (destination: string, tools: string): ReadonlyArray<string> => {
  mkdirSync(destination, { recursive: true })
  const names = readdirSync(join(Pack.root, "packages")).toSorted()
  for (const name of names) make(name, destination, tools)
  return names
}

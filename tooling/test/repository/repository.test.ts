// Rules of the repository that no other tool checks: the form of manifests, sources and documents, and whether the documents
// agree with the sources. A failure names the file and the rule.
import { assert, describe, it } from "@effect/vitest"
import { existsSync } from "node:fs"
import { basename, dirname, join, relative } from "node:path"
import { nativePrograms } from "../../src/lock.ts"
import { commands, examples, files, json, none, packages, page, read, root, sources, workspaces } from "./sources.ts"

describe("lockfile", () => {
  const programs = nativePrograms(read("bun.lock"))

  it("has the binaries of every native program for every platform we develop on", () => {
    none(programs.flatMap(({ name, missing }) => missing.map((platform) => `${name}: nothing for ${platform}`)))
  })

  it("covers the programs that the scripts run", () => {
    const names = new Set(programs.map((program) => program.name))
    none(
      ["bun", "deno", "node", "turbo", "oxlint", "oxfmt", "typescript", "rolldown"].filter((name) => !names.has(name))
    )
  })

  it("notices a binary that was left out", () => {
    const text = read("bun.lock").replace(/^ +"@turbo\/darwin-arm64": .*\n/m, "")
    assert.deepStrictEqual(nativePrograms(text).find(({ name }) => name === "turbo")?.missing, ["darwin-arm64"])
  })
})

describe("manifests", () => {
  const version = json(`${packages[0]}/package.json`).version

  const everyone = (folder: string) => ({ version, license: "MIT", type: "module", name: nameOf(folder) })
  const nameOf = (folder: string) => (folder === "apps/cli" ? "sigtrap" : `@sigtrap/${basename(folder)}`)
  const required = (folder: string): Record<string, unknown> => {
    if (folder.startsWith("packages/")) {
      return {
        ...everyone(folder),
        sideEffects: false,
        files: ["dist"],
        engines: { node: ">=22.15" },
        // Only the HTTP listener of `host` needs the whole platform package, so it is an optional peer there.
        peerDependencies:
          folder === "packages/host" ? { "@effect/platform-node": "~4.1.0", effect: "~4.1.0" } : { effect: "~4.1.0" }
      }
    }
    return folder.startsWith("apps/") && folder !== page
      ? { ...everyone(folder), files: ["dist"], engines: { node: ">=22.15" } }
      : { ...everyone(folder), private: true }
  }

  it.each(workspaces)("%s has the fields that every workspace of its kind has", (folder) => {
    const manifest = json(`${folder}/package.json`)
    const fields = required(folder)
    assert.deepStrictEqual(Object.fromEntries(Object.keys(fields).map((key) => [key, manifest[key]])), fields)
    // tooling/check.mjs checks all workspaces at once.
    assert.isUndefined(manifest.scripts?.check)
    if (folder !== "tooling") assert.isString(manifest.description)
  })

  it.each(packages)("%s exports named modules: sources inside the repository, dist outside", (folder) => {
    const { exports } = json(`${folder}/package.json`)
    for (const [entry, target] of Object.entries<Record<string, string>>(exports)) {
      assert.notInclude(entry, "*")
      const module = target["@sigtrap/source"]?.match(/^\.\/src\/(.*)\.ts$/)?.[1]
      const expected = {
        "@sigtrap/source": `./src/${module}.ts`,
        types: `./dist/${module}.d.ts`,
        default: `./dist/${module}.js`
      }
      // The order matters: the first condition that applies is taken.
      assert.strictEqual(JSON.stringify(target), JSON.stringify(expected), `${folder} ${entry}`)
      assert.isTrue(existsSync(join(root, folder, `src/${module}.ts`)), `${folder} ${entry}: no such source`)
    }
  })

  it.each(commands)("%s exports named modules for the tooling", (folder) => {
    const servers = folder === "apps/cli" ? ["./mcp", "./http"] : []
    for (const [entry, target] of Object.entries(json(`${folder}/package.json`).exports)) {
      assert.notInclude(entry, "*")
      if (servers.includes(entry)) {
        // The published packages @sigtrap/mcp and @sigtrap/http start these bundles.
        assert.deepStrictEqual(target, { default: `./dist/${entry === "./mcp" ? "mcp.cjs" : "http.mjs"}` })
        continue
      }
      assert.deepStrictEqual(target, { "@sigtrap/source": `./src/${entry.slice(2)}.ts` })
      assert.isTrue(existsSync(join(root, folder, "src", `${entry.slice(2)}.ts`)), `${folder} ${entry}: no such source`)
    }
  })

  it.each(commands)("%s is run from its bundle", (folder) => {
    const { bin, scripts } = json(`${folder}/package.json`)
    assert.match(Object.values<string>(bin).join(), /^\.\/dist\/[a-z-]+\.js$/)
    assert.strictEqual(scripts.build, "node ../../tooling/bundle.mjs")
  })
})

describe("examples", () => {
  it.each(examples)("%s is private, and needs released packages only", (folder) => {
    const { dependencies, ...manifest } = json(`${folder}/package.json`)
    const main = existsSync(join(root, folder, "main.ts")) ? "node main.ts" : "vitest run"
    assert.deepStrictEqual(manifest, {
      name: `example-${basename(folder)}`,
      private: true,
      license: "MIT",
      type: "module",
      scripts: { start: main }
    })
    const released = new Set(packages.map((path) => json(`${path}/package.json`).name))
    none(
      Object.entries(dependencies)
        .filter(([name, version]) => version !== (released.has(name) ? "workspace:^" : "catalog:"))
        .map(([name, version]) => `${name}: ${version}`)
    )
  })

  it("are all listed", () => {
    const listed = [...read("examples/README.md").matchAll(/^\| \[(\w+)\]/gm)].map(([, name]) => `examples/${name}`)
    assert.deepStrictEqual(listed.toSorted(), examples.toSorted())
  })
})

describe("who may import whom", () => {
  const short = (name: string) => (name === "sigtrap" ? "cli" : name.replace("@sigtrap/", ""))
  const ownNames = new Set(workspaces.map((folder) => json(`${folder}/package.json`).name))
  const used = new Map(
    workspaces.map((folder) => {
      const { name, dependencies = {}, devDependencies = {} } = json(`${folder}/package.json`)
      const names = Object.keys({ ...dependencies, ...devDependencies }).filter((dependency) =>
        ownNames.has(dependency)
      )
      return [short(name), names.map(short).toSorted()] as const
    })
  )
  const words = (cell: string) =>
    [...cell.matchAll(/`([a-z]+)`/g)].flatMap(([, word]) => (word === undefined ? [] : [word]))

  it("is in ARCHITECTURE.md as it is in the manifests", () => {
    const lines = read("ARCHITECTURE.md").split("\n")
    const first = lines.findIndex((line) => /^\| package +\| imports +\|$/.test(line)) + 2
    const rows = lines.slice(first, lines.indexOf("", first))
    const table = rows.flatMap((row) => {
      const [, subject = "", imports = ""] = row.split("|")
      return words(subject).map((name) => [name, words(imports).toSorted()] as const)
    })
    assert.deepStrictEqual(Object.fromEntries(table), Object.fromEntries(used))
  })

  it("is in turbo.json as it is in the manifests", () => {
    const tagOf = (name: string) => {
      const folder = workspaces.find((path) => basename(path) === name)
      return json(`${folder}/turbo.json`).tags[0]
    }
    // turbo counts what a dependency brings with it, too.
    const reach = (name: string): ReadonlyArray<string> =>
      (used.get(name) ?? []).flatMap((next) => [next, ...reach(next)])
    const allowed = new Map<string, Set<string>>()
    for (const name of used.keys()) {
      const tags = allowed.get(tagOf(name)) ?? new Set()
      for (const other of reach(name)) tags.add(tagOf(other))
      allowed.set(tagOf(name), tags)
    }
    const stated = Object.entries<{ dependencies: { allow: Array<string> } }>(json("turbo.json").boundaries.tags)
    assert.deepStrictEqual(
      Object.fromEntries(stated.map(([tag, { dependencies }]) => [tag, dependencies.allow.toSorted()])),
      Object.fromEntries([...allowed].map(([tag, tags]) => [tag, [...tags].toSorted()]))
    )
  })
})

describe("sources", () => {
  const modules = sources.filter((path) => !path.includes("/test/"))

  it("open with a comment that says what they are", () => {
    none(modules.filter((path) => !/^(#!.*\n)?\s*(\/\/|\/\*)/.test(read(path))))
  })

  it("have at most 400 lines, tests too", () => {
    const lines = (path: string) => read(path).split("\n").length - 1
    const written = sources.filter((path) => !path.endsWith(".generated.ts"))
    none(written.filter((path) => lines(path) > 400).map((path) => `${path}: ${lines(path)} lines`))
  })

  it.each([
    ["silence neither compiler nor linter", /@ts-(?:ignore|nocheck|expect-error)|(?:oxlint|eslint)-disable/],
    ["skip no test and leave none alone", /\b(?:it|test|describe)(?:\.\w+)*\.(?:skip|only|todo|fails)\b/],
    ["leave nothing to be done later", /\b(?:TO[D]O|FIX[M]E|XX[X])\b/]
  ])("%s", (_, pattern) => {
    none(sources.filter((path) => path !== relative(root, import.meta.filename) && pattern.test(read(path))))
  })

  it("are in use: every module of a package is imported by another, or is one of its entries", () => {
    const imported = new Set(
      sources.flatMap((path) =>
        // Imported, or started as a program by its path.
        [...read(path).matchAll(/(?:(?:from|import)\s*\(?\s*"(?=\.)|import\.meta\.dirname, ")([^"]+)"/g)].map((match) =>
          join(dirname(path), match[1] ?? "")
        )
      )
    )
    for (const path of sources) {
      for (const [, name, module] of read(path).matchAll(/from "@sigtrap\/(\w+)\/([\w/]+)"/g)) {
        imported.add(`packages/${name}/src/${module}.ts`)
      }
    }
    none(
      sources.filter(
        (path) => /^packages\/\w+\/src\//.test(path) && basename(path) !== "index.ts" && !imported.has(path)
      )
    )
  })

  it("are linted for what a strict reader would not accept", () => {
    const { rules } = json(".oxlintrc.json")
    none(
      ["typescript/no-explicit-any", "typescript/no-non-null-assertion", "typescript/ban-ts-comment"].filter(
        (rule) => rules[rule] !== "error"
      )
    )
  })
})

describe("text files", () => {
  it("have no conflict markers of git, also not as the formatter rewrites them", () => {
    const texts = files.filter((path) => /\.(md|ts|mjs|json|ya?ml|toml)$/.test(path))
    none(texts.filter((path) => /^(?:<{7} |>{7} |(?:> ){7})/m.test(read(path))))
  })
})

describe("text", () => {
  const texts = files.filter(
    (path) => !/\.(png|ico|woff2|bin|gz)$/.test(path) && path !== relative(root, import.meta.filename)
  )

  it.each([
    ["a package registry's address", /https?:\/\/[^\s"'/]*(?:registry|artifactory|nexus|npmjs|verdaccio)/],
    // `user` and `me` are placeholders, and examples need one.
    ["a home directory", /(?<![\w.$}~*])\/(?:work\/(?:main|shared)|root\/\w|(?:home|Users)\/(?!user\b|me\b)\w)/]
  ])("nowhere contains %s", (_, pattern) => {
    none(texts.filter((path) => pattern.test(read(path))).map((path) => `${path}: ${read(path).match(pattern)?.[0]}`))
  })
})

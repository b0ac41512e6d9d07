/** Every command and flag that the documentation tells people to type exists. */
import { assert, beforeAll, describe, it } from "vitest"
import { arena, build } from "../cli/arena.ts"
import { blocks, codeSpans, type Page, pages } from "./pages.ts"

beforeAll(build)

const helps = new Map<string, Promise<string>>()

/** The help of a command, such as `run` or `cache ls`. */
const helpOf = (command: string): Promise<string> => {
  const known = helps.get(command)
  if (known !== undefined) return known
  const help = arena([...command.split(" ").filter((word) => word !== ""), "--help"]).then(({ stdout }) => stdout)
  helps.set(command, help)
  return help
}

/** Lines such as `  run, evaluate    Run …`; flags and arguments look different. */
const subcommands = (help: string): ReadonlyArray<string> =>
  [...help.matchAll(/^ {2}([a-z]+(?:, [a-z]+)*) {2,}\S/gm)].flatMap(([, names = ""]) => names.split(", "))

const flags = (help: string): ReadonlySet<string> => new Set(help.match(/(?<=\s)--?[a-z][a-z-]*/g))

/** What comes after `arena`, in blocks to be typed and between back quotes. */
const invocations = (page: Page): ReadonlyArray<string> =>
  [...blocks(page, "sh", "yaml", "text").flatMap((block) => block.split("\n")), ...codeSpans(page)].flatMap((line) => {
    const [, rest] = /^\s*(?:npx |npm run )?arena (.*)$/.exec(line) ?? []
    return rest === undefined ? [] : [rest.replace(/ #.*$/, "").replace(/ [|&>].*$/, "")]
  })

/** Flags between back quotes without their command. */
const loneFlags = (page: Page): ReadonlyArray<string> =>
  codeSpans(page).flatMap((span) => /^(--[a-z][a-z-]*)(?:[ =].*)?$/.exec(span)?.[1] ?? [])

const check = async (rest: string): Promise<ReadonlyArray<string>> => {
  const words = rest.split(/\s+/)
  let command = ""
  for (const word of words) {
    if (!subcommands(await helpOf(command)).includes(word)) break
    command = `${command} ${word}`.trim()
  }
  const first = words[0] ?? ""
  if (command === "" && /^[a-z]/.test(first)) return [`there is no command ${first}`]
  const known = flags(await helpOf(command))
  return words
    .filter((word) => /^--?[a-z]/.test(word))
    .map((word) => word.replace(/=.*$/, ""))
    .flatMap((flag) => (known.has(flag) ? [] : [`arena ${command} has no ${flag}`]))
}

describe("commands in the documentation", () => {
  it.each(pages.filter((page) => invocations(page).length > 0))("$path names only what there is", async (page) => {
    const findings: Array<string> = []
    for (const rest of new Set(invocations(page))) findings.push(...(await check(rest)))
    assert.deepStrictEqual(findings, [])
  })

  it("names only flags that some command has", async () => {
    const all = new Set<string>()
    for (const command of subcommands(await helpOf(""))) {
      const help = await helpOf(command)
      for (const flag of flags(help)) all.add(flag)
      for (const nested of subcommands(help))
        for (const flag of flags(await helpOf(`${command} ${nested}`))) all.add(flag)
    }
    const unknown = pages
      .filter(({ path }) => path !== "CONTRIBUTING.md")
      .flatMap((page) => loneFlags(page).map((flag) => ({ page: page.path, flag })))
      .filter(({ flag }) => !all.has(flag))
    assert.deepStrictEqual(unknown, [])
  })
})

/** Checks the import graph of the packages against the rules of `architecture/rules.ts`; one line a violation. */
import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { check, rules } from "./architecture/rules.ts"
import * as SourceGraph from "./architecture/SourceGraph.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const paths = globSync("packages/*/src/**/*.{ts,tsx}", { cwd: root }).map((path) => path.replaceAll("\\", "/"))
const violations = check(
  SourceGraph.make(new Map(paths.map((path) => [path, readFileSync(`${root}/${path}`, "utf8")])))
)

for (const { line, message, path, rule } of violations) process.stderr.write(`${path}:${line}  ${rule} ${message}\n`)
for (const rule of new Set(violations.map((violation) => violation.rule))) {
  process.stderr.write(`${rule}: ${rules.find(({ id }) => id === rule)?.says}\n`)
}
if (violations.length > 0) process.exitCode = 1

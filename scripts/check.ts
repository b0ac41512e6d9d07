/** Everything that is checked without running the program: style and lint, types, architecture. */
import { root, run } from "./run.ts"

const steps: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  ["biome", [`${root}node_modules/@biomejs/biome/bin/biome`, "check"]],
  ["types", [`${root}node_modules/typescript/bin/tsc`, "-b"]],
  ["architecture", [`${root}scripts/check-architecture.ts`]]
]

const failed: Array<string> = []
for (const [name, args] of steps) if ((await run(args)) !== 0) failed.push(name)
if (failed.length > 0) {
  process.stderr.write(`check failed: ${failed.join(", ")}\n`)
  process.exitCode = 1
}

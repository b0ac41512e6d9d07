/**
 * Builds everything: declarations and libraries with `tsc -b`, and the `arena` command as one bundle whose parts load
 * on demand. `npm ci` runs it through `prepare`, so it says nothing when all is well.
 */
import { cpSync, mkdtempSync, renameSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename } from "node:path"
import { rolldown } from "rolldown"
import { root, run } from "./run.ts"

const tui = `${root}packages/tui`

const compile = () =>
  run([`${root}node_modules/typescript/bin/tsc`, "-b", "packages/core", "packages/connectors", "packages/tui"])

/** From the sources, so that it needs no `tsc` output and can run beside it. */
const bundle = async () => {
  const next = `${tui}/dist/arena.next`
  rmSync(next, { recursive: true, force: true })
  const build = await rolldown({
    cwd: root,
    input: {
      main: "./packages/tui/src/main.ts",
      // The entry of a worker thread, found by its name beside the code that starts it.
      CallableWorker: "./packages/core/src/connector/callable/CallableWorker.ts",
      BlockingScorerWorker: "./packages/core/src/scoring/blocking/BlockingScorerWorker.ts"
    },
    platform: "node",
    // Optional parts of libraries that are not installed; their loaders cope.
    external: ["react-devtools-core"],
    resolve: { conditionNames: ["agent-arena-source", "node", "import", "module", "default"] },
    transform: { define: { "process.env.NODE_ENV": '"production"' } },
    logLevel: "warn"
  })
  await build.write({
    dir: next,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
    minify: true,
    sourcemap: true
  })
  await build.close()
  // A build that fails leaves the command as it was.
  rmSync(`${tui}/dist/arena`, { recursive: true, force: true })
  renameSync(next, `${tui}/dist/arena`)
  return 0
}

/** The project that `arena init` copies, without what running it in place has left. */
const copyTemplate = () => {
  rmSync(`${tui}/dist/template`, { recursive: true, force: true })
  cpSync(`${root}projects/_template`, `${tui}/dist/template`, {
    recursive: true,
    filter: (source) => basename(source) !== "results"
  })
}

/** Does once what people do often, so that the code compiled for it is cached beside the bundle. */
const warm = async () => {
  const template = `${tui}/dist/template`
  const scratch = mkdtempSync(`${tmpdir()}/arena-build-`)
  for (const args of [["--help"], ["validate", template], ["run", template, "--output-dir", scratch]]) {
    await run([`${tui}/bin/arena.js`, ...args], "ignore")
  }
  rmSync(scratch, { recursive: true, force: true })
}

const failed = (error: unknown): number => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  return 1
}

// `--bundle` makes the command alone: what its tests need after a change of a source.
const codes = await Promise.all([process.argv.includes("--bundle") ? 0 : compile(), bundle().catch(failed)])
process.exitCode = Math.max(...codes)
if (codes[1] === 0) {
  copyTemplate()
  await warm()
}

/**
 * Builds everything: declarations and libraries with `tsc -b`, and the `arena` command as one bundle whose parts load
 * on demand. `npm ci` runs it through `prepare`, so it says nothing when all is well.
 */
import { cpSync, rmSync } from "node:fs"
import { rolldown } from "rolldown"
import { root, run } from "./run.ts"

const tui = `${root}packages/tui`

const compile = () =>
  run([`${root}node_modules/typescript/bin/tsc`, "-b", "packages/core", "packages/connectors", "packages/tui"])

/** From the sources, so that it needs no `tsc` output and can run beside it. */
const bundle = async () => {
  const out = `${tui}/dist/arena`
  rmSync(out, { recursive: true, force: true })
  const build = await rolldown({
    cwd: root,
    input: {
      main: "./packages/tui/src/main.ts",
      // The entry of a worker thread, found by its name beside the code that starts it.
      CallableWorker: "./packages/core/src/connector/callable/CallableWorker.ts"
    },
    platform: "node",
    // Optional parts of libraries that are not installed; their loaders cope.
    external: ["react-devtools-core"],
    resolve: { conditionNames: ["agent-arena-source", "node", "import", "module", "default"] },
    transform: { define: { "process.env.NODE_ENV": '"production"' } },
    logLevel: "warn"
  })
  await build.write({
    dir: out,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
    minify: true,
    sourcemap: true
  })
  await build.close()
}

const copyTemplate = () => {
  rmSync(`${tui}/dist/template`, { recursive: true, force: true })
  cpSync(`${root}projects/_template`, `${tui}/dist/template`, { recursive: true })
}

/** Runs the command once for each part that people start often, so that their compiled code is cached. */
const warm = async () => {
  const template = `${tui}/dist/template`
  for (const args of [["--help"], ["validate", template], ["tests", template], ["run", template, "--dry-run"]])
    await run([`${tui}/bin/arena.js`, ...args], "ignore")
}

// `--bundle` makes the command alone: what its tests need after a change of a source.
const [code] = await Promise.all([process.argv.includes("--bundle") ? 0 : compile(), bundle()])
copyTemplate()
await warm()
process.exitCode = code

#!/usr/bin/env node
/**
 * The rim of the process. Plain JavaScript that any Node parses, with no imports: the signal handlers below are the
 * first statements that run, so a signal during the start of the program ends it with nothing begun.
 *
 * `signals.listener` is replaced by the program as soon as it has something to end in order (`src/process/Signals.ts`).
 */
const exitCodes = { SIGINT: 130, SIGTERM: 124, SIGHUP: 124 }
const signals = { listener: (name) => process.exit(exitCodes[name]) }
for (const name of Object.keys(exitCodes)) process.on(name, () => signals.listener(name))

const [major, minor] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  const found = `this is ${process.version} (${process.execPath})`
  process.stderr.write(
    `arena needs Node.js 22.19 or newer; ${found}: npx arena takes the one that npm ci brings along\n`
  )
  process.exit(1)
}

// V8 would let its young generation grow to several times its size, which costs 90 MB and gains nothing here, and would
// let garbage of a long run pile up to several times what is in use.
if (major <= 26) {
  const { setFlagsFromString } = process.getBuiltinModule("node:v8")
  for (const flag of ["--semi-space-growth-factor=1", "--heap-growing-percent=40"]) setFlagsFromString(flag)
}

// Node 22 announces its SQLite and its TypeScript support as experimental; the user can do nothing about either.
const emitWarning = process.emitWarning
process.emitWarning = (warning, ...rest) => {
  const type = typeof rest[0] === "object" && rest[0] !== null ? rest[0].type : rest[0]
  if (type !== "ExperimentalWarning") emitWarning.call(process, warning, ...rest)
}

// Compiled code is kept beside the bundle, or in the temporary folder when that cannot be written.
const { enableCompileCache, constants } = process.getBuiltinModule("node:module")
const { fileURLToPath } = process.getBuiltinModule("node:url")
const home = new URL("../", import.meta.url)
const cache = enableCompileCache(fileURLToPath(new URL("dist/arena/.cache", home)))
if (cache.status === constants.compileCacheStatus.FAILED) enableCompileCache()

const bundle = new URL("dist/arena/main.js", home)
if (!process.getBuiltinModule("node:fs").existsSync(bundle)) {
  process.stderr.write(`arena is not built: ${fileURLToPath(bundle)} is missing (run: npm run build)\n`)
  process.exit(1)
}
const { main } = await import(bundle.href)
main({ argv: process.argv.slice(2), home: fileURLToPath(home), signals })

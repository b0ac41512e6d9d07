import { accessSync, constants, statSync } from "node:fs"
import { delimiter, isAbsolute, join, resolve } from "node:path"

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

const isPath = (program: string): boolean => program.includes("/") || program.includes("\\")

const windowsNames = (program: string, extensions: string): ReadonlyArray<string> => [
  program,
  ...extensions.split(";").map((extension) => program + extension)
]

/** Why a program cannot be started from the folder `root`; null = it can. Nothing is started. */
export const whyNotExecutable = (
  program: string,
  root: string,
  env: Readonly<Record<string, string | undefined>>
): string | null => {
  const names = windowsNames(program, process.platform === "win32" ? (env["PATHEXT"] ?? ".EXE;.CMD;.BAT") : "")
  if (isPath(program)) {
    const file = isAbsolute(program) ? program : resolve(root, program)
    if (isExecutable(file)) return null
    const exists = statSync(file, { throwIfNoEntry: false }) !== undefined
    return exists ? `${file} is not executable (chmod +x)` : `the program ${file} does not exist`
  }
  const folders = (env["PATH"] ?? env["Path"] ?? "").split(delimiter).filter((folder) => folder !== "")
  const found = folders.some((folder) => names.some((name) => isExecutable(join(folder, name))))
  return found ? null : `the program "${program}" is not found in PATH`
}

import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as Context from "effect/Context"

/** Facts about the installed package. */
export class Installation extends Context.Service<
  Installation,
  {
    readonly version: string
    /** Absolute folder of the project that `arena init` copies. */
    readonly template: string
  }
>()("@agent-arena/tui/process/Installation") {
  /** The package in the folder `home`. */
  static readonly at = (home: string): Installation["Service"] => {
    const manifest: { readonly version: string } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"))
    return { version: manifest.version, template: join(home, "dist", "template") }
  }
}

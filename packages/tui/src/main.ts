import { InterruptionReason } from "@agent-arena/core/domain/InterruptionReason"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as CliConfig from "effect/cli/CliConfig"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { makeCli } from "./commands/root.ts"
import { Installation } from "./process/Installation.ts"
import { Output } from "./process/Output.ts"
import * as Presenter from "./process/Presenter.ts"
import { runProcess } from "./process/runProcess.ts"
import { Shutdown } from "./process/Shutdown.ts"
import { type SignalSource, stopRequestOf } from "./process/Signals.ts"

/** What `bin/arena.js` hands over. */
export interface Host {
  /** Arguments after the program's name. */
  readonly argv: ReadonlyArray<string>
  /** Absolute folder of the installed package. */
  readonly home: string
  readonly signals: SignalSource
}

const cliConfig = CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] })

/** The `arena` command, from its arguments to its exit code. */
export const main = ({ argv, home, signals }: Host): void =>
  runProcess(
    ({ output, shutdown, signal }) => {
      const installation = Installation.at(home)
      return Command.runWith(makeCli(), { version: installation.version })(argv).pipe(
        Effect.provide(
          Layer.mergeAll(
            NodeServices.layer,
            cliConfig,
            CliOutput.layerPresenter(Presenter.make(output)),
            Layer.succeed(Output, output),
            Layer.succeed(Shutdown, shutdown),
            Layer.succeed(InterruptionReason, () => stopRequestOf(signal() ?? "SIGINT")),
            Layer.succeed(Installation, installation),
            Layer.succeed(Logger.LogToStderr, true)
          )
        )
      )
    },
    { argv, signals }
  )

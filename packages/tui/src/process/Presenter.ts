import * as CliOutput from "effect/cli/CliOutput"
import * as Effect from "effect/Effect"
import type { Output, OutputChannel } from "./Output.ts"

const formatter = (channel: OutputChannel) => CliOutput.defaultFormatter({ colors: channel.style.bold("x") !== "x" })

/** Help that was asked for is a result and goes to stdout; help after a mistake goes to stderr with the mistake last. */
export const make = (output: Output["Service"]): CliOutput.Presenter => ({
  present: (event) => {
    switch (event._tag) {
      case "Version":
        return output.stdout.write(`${event.name} ${event.version}\n`)
      case "Help": {
        const channel = event.reason === "Requested" ? output.stdout : output.stderr
        return channel.write(`${formatter(channel).formatHelpDoc(event.helpDoc)}\n`)
      }
      case "InvalidInvocation": {
        const { formatErrors, formatHelpDoc } = formatter(output.stderr)
        return Effect.andThen(
          output.stderr.write(`${formatHelpDoc(event.helpDoc)}\n`),
          output.stderr.write(`${formatErrors(event.errors)}\n`)
        )
      }
    }
  }
})

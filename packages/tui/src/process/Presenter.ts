import { sanitise } from "@agent-arena/core/report/Sanitise"
import * as CliOutput from "effect/cli/CliOutput"
import { wrapHelp } from "./HelpText.ts"
import type { Output, OutputChannel } from "./Output.ts"

const helpPage = ({ columns, style }: OutputChannel, { helpDoc }: CliOutput.Presenter.Help): string => {
  const formatter = CliOutput.defaultFormatter({ colors: style.bold("x") !== "x", globalFlags: "summary" })
  return wrapHelp(formatter.formatHelpDoc(helpDoc), columns)
}

/** The library's word for what a flag with a number takes. */
const plainly = (message: string): string =>
  message
    .replace("a string representing a finite number", "a number")
    .replace("Expected an integer", "Expected a whole number")

/** What is wrong with the command line, and where to read on. */
const mistake = ({ style }: OutputChannel, { commandPath, errors, helpDoc }: CliOutput.Presenter.InvalidInvocation) =>
  [
    ...errors.map(({ message }) => `${style.bad("error")} ${sanitise(plainly(message))}`),
    "",
    `usage: ${helpDoc.usage}`,
    `${commandPath.join(" ")} --help says more`,
    ""
  ].join("\n")

/** Help that was asked for is a result and goes to stdout; after a mistake only the mistake is told, on stderr. */
export const make = (output: Output["Service"]): CliOutput.Presenter => ({
  present: (event) => {
    switch (event._tag) {
      case "Version":
        return output.stdout.write(`${event.name} ${event.version}\n`)
      case "Help": {
        const channel = event.reason === "Requested" ? output.stdout : output.stderr
        return channel.write(`${helpPage(channel, event)}\n`)
      }
      case "InvalidInvocation":
        return output.stderr.write(mistake(output.stderr, event))
    }
  }
})

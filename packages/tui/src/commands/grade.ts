import * as Command from "effect/cli/Command"
import { json, off, optionalInt, optionalString, runOfProject } from "./flags.ts"
import { lazily } from "./lazily.ts"

const flags = {
  ...runOfProject,
  open: off("open", "Show whose answer it is, in the order of the cases; hidden and shuffled otherwise"),
  seed: optionalInt("seed", "Seed of the order"),
  by: optionalString("by", "NAME", "Who grades; the user of this machine by default"),
  regrade: off("regrade", "Also what has a grade; the earlier grade stays in the record"),
  export: optionalString("export", "FILE", "Write what is to be graded (.csv, .jsonl) to fill in, and grade nothing"),
  set: optionalString(
    "set",
    "FILE",
    "Take grades from a file (.csv, .jsonl, .yaml): id, or contestant, case and trial; score; reason"
  ),
  noReport: off("no-report", "Leave the report files of the run as they are"),
  json
}

export type GradeInput = Command.Command.Config.Infer<typeof flags>

export const grade = Command.make("grade", flags, (input) =>
  lazily(
    () => import("../actions/grade.ts"),
    ({ gradeRun }) => gradeRun(input)
  )
).pipe(
  Command.withDescription(
    "Grade the answers of a run that wait for a person (scorer manual), by default of the latest run. Answers are shown without their contestants, in a shuffled order, equal ones once. Every grade is durable at once; at the end the run is ranked anew and its report files are rewritten."
  ),
  Command.withShortDescription("Grade answers that wait for a person"),
  Command.withExamples([
    { command: "arena grade my-task" },
    { command: "arena grade my-task latest --export grades.csv", description: "to fill in elsewhere" },
    { command: "arena grade my-task latest --set grades.csv" }
  ])
)

/**
 * What a simulated model of `mode: flaky` does, written down from its description and used by tests only: the engine has
 * its own code for it, and the two must agree.
 */
import { createHash } from "node:crypto"

/** A number in [0, 100) from the first eight hexadecimal digits of SHA-256. */
const draw = (model: string, seed: string, caseId: string, trial: number): number => {
  const digest = createHash("sha256").update(`${model}|${seed}|${caseId}|${trial}`).digest("hex")
  return (Number(`0x${digest.slice(0, 8)}`) % 10_000) / 100
}

/** A token for every four characters, at least one. */
export const tokens = (text: string): number => (text === "" ? 0 : Math.max(1, Math.floor([...text].length / 4)))

export interface Flaky {
  readonly model: string
  readonly seed?: string
  /** Percent. */
  readonly accuracy: number
  readonly wrong: string
}

export const answer = (flaky: Flaky, caseId: string, trial: number, right: string): string =>
  draw(flaky.model, flaky.seed ?? "", caseId, trial) < flaky.accuracy ? right : flaky.wrong

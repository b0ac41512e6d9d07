import * as Schema from "effect/Schema"
import { CaseId } from "./Ids.ts"
import { Message } from "./Message.ts"
import { SourcePosition } from "./SourcePosition.ts"

/** Free-form options; their shape belongs to whoever reads them (scorer, connector, target). */
export const Params = Schema.Record(Schema.String, Schema.Unknown)
export type Params = typeof Params.Type

/** One scorer of a case. Several are combined by weighted mean. */
export const CaseScorer = Schema.Struct({
  type: Schema.NonEmptyString,
  /** Share in the cell's score, > 0. */
  weight: Schema.Finite,
  /** `scorers.options.<type>` of the project overlaid by the case's own params. */
  params: Params,
  position: SourcePosition
})
export type CaseScorer = typeof CaseScorer.Type

/** One row of the matrix. */
export const TestCase = Schema.Struct({
  id: CaseId,
  messages: Schema.NonEmptyArray(Message),
  /** The expected answer; a key that is absent means there is none. 0, false, "" and [] are references. */
  reference: Schema.optionalKey(Schema.Unknown),
  /** System prompt of this case; null falls back to `defaults.system`. */
  system: Schema.NullOr(Schema.String),
  scorers: Schema.NonEmptyArray(CaseScorer),
  tags: Schema.Array(Schema.String),
  /** >= 0; share of the case in accuracy and pass rate. */
  weight: Schema.Finite,
  maxTokens: Schema.NullOr(Schema.Int),
  temperature: Schema.NullOr(Schema.Finite),
  metadata: Params,
  /** Structured output asked for this case: the request param `response_format`, over that of `defaults.params`. */
  responseFormat: Schema.optionalKey(Params),
  /** A graph of turns that is played instead of one request: a `ScenarioDocument` or a `Scenario`; absent = an ordinary case. */
  scenario: Schema.optionalKey(Schema.Unknown),
  position: SourcePosition
})
export type TestCase = typeof TestCase.Type

/** Ranks what was measured: quickly while it changes, in full when it stands. */
import type { Leaderboard } from "@agent-arena/core/domain/Leaderboard"
import type { RankingRules } from "@agent-arena/core/domain/Project"
import { isComplete, rank, rankLive } from "@agent-arena/core/ranking/Leaderboard"
import type { Measurements } from "@agent-arena/core/ranking/Measurements"
import * as Effect from "effect/Effect"

export const rankMeasured =
  (measurements: Measurements) =>
  (rules: RankingRules, depth: "quick" | "full"): Effect.Effect<Leaderboard> =>
    Effect.sync(() =>
      depth === "quick"
        ? rankLive(rules, measurements)
        : rank(rules, measurements, { complete: isComplete(measurements) })
    )

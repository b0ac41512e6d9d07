import type { Message } from "../../domain/Message.ts"
import type { TurnRecord } from "../model/Turn.ts"
import type { TurnRequest } from "../play/PlayContext.ts"

/** What a recorded turn was asked: what a handover gave, the turns since then, and its own prompt. */
const conversationOf = (turns: ReadonlyArray<TurnRecord>, turn: TurnRecord): ReadonlyArray<Message> => {
  const before = new Map<number, TurnRecord>()
  for (const one of turns) {
    if (one.output !== null && one.index >= turn.since && one.index < turn.index && !before.has(one.index)) {
      before.set(one.index, one)
    }
  }
  return [
    ...(turn.given ?? []),
    ...[...before.values()]
      .toSorted((a, b) => a.index - b.index)
      .flatMap(
        ({ output, prompt }): ReadonlyArray<Message> => [
          { role: "user", content: prompt },
          { role: "assistant", content: output ?? "" }
        ]
      ),
    { role: "user", content: turn.prompt }
  ]
}

/**
 * Whether a request is word for word what a turn of an earlier play was asked. Where checks or edges have changed since, a
 * play may come to the same visit of a node with another conversation, and an answer to another question is none.
 *
 * `placeless` takes out of a text what differs between two plays that are the same: the folder of the play.
 */
export const askedTheSame =
  (earlier: ReadonlyArray<TurnRecord>, placeless: (text: string) => string = (text) => text) =>
  ({ contestant, messages, node, system, visit }: TurnRequest): boolean => {
    const turn = earlier.find(
      (one) => one.output !== null && one.node === node && one.visit === visit && one.contestant === contestant
    )
    if (turn === undefined || turn.system !== system) return false
    const told = (conversation: ReadonlyArray<Message>) =>
      placeless(JSON.stringify(conversation.map(({ content, role }) => [role, content])))
    return told(conversationOf(earlier, turn)) === told(messages)
  }

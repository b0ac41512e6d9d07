/** What can happen to the screen, and what it may ask for in return. */
import type { Size } from "../view/Layout.ts"
import type { Action } from "./Keymap.ts"

export type Intent =
  | { readonly _tag: "Act"; readonly action: Action }
  /** Text typed or pasted into the field that is being edited; `backspace` and `clear` take away. */
  | { readonly _tag: "Type"; readonly edit: { readonly insert: string } | "backspace" | "clear" }
  | { readonly _tag: "Resize"; readonly size: Size }
  | { readonly _tag: "Say"; readonly text: string; readonly level: "info" | "warning" | "error" }

/** An effect on the outside that a step asks for; carried out at the rim. */
export type Command =
  | { readonly _tag: "Pause" | "Resume" | "Stop" | "StopNow"; readonly run: string }
  | { readonly _tag: "Leave" }

export interface Step<S> {
  readonly state: S
  readonly commands: ReadonlyArray<Command>
}

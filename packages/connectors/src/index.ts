export { fromAiSdk } from "./adapter/FromAiSdk.ts"
export * as Connectors from "./Connectors.ts"

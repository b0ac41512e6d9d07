export { type Host, main } from "./main.ts"

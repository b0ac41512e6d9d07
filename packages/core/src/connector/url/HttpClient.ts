/**
 * The HTTP client of `url:` targets, in a module of its own so that it is loaded with the first of them. By name: the
 * namespace of the client's own module is empty once everything is bundled, because it only passes on what a CommonJS
 * package exports.
 */
import { Agent as HttpAgent, fetch as httpFetch } from "@effect/platform-node/Undici"

export const Agent = HttpAgent
export const fetch = httpFetch

/**
 * The generator behind resampling: sfc32 ("small fast counting"; Chris Doty-Humphrey, PractRand), 128 bits of state, 32
 * bits a step, seeded as its author does. Our own, so that a seed gives the same intervals on every machine and runtime.
 */
export type GeneratorState = Int32Array

const warmUp = 12

/** State for an integer seed. */
export const seeded = (seed: number): GeneratorState => {
  const state = Int32Array.of(0, seed % 2 ** 32, Math.floor(seed / 2 ** 32), 1)
  drawCounts(state, new Float64Array(warmUp))
  return state
}

/** Draws `counts.length` indices with replacement, one step each, and counts how often each came. */
export const drawCounts = (state: GeneratorState, counts: Float64Array): void => {
  const size = counts.length
  const perBit = size / 2 ** 32
  let [a = 0, b = 0, c = 0, counter = 0] = state
  counts.fill(0)
  for (let draw = 0; draw < size; draw += 1) {
    const bits = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + bits) | 0
    const index = ((bits >>> 0) * perBit) | 0
    counts[index] = (counts[index] ?? 0) + 1
  }
  state.set([a, b, c, counter])
}

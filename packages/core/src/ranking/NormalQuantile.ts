/** Φ(x) of the standard normal distribution by Marsaglia's series (2004), exact to about 1e-15 for |x| < 6. */
const distribution = (x: number): number => {
  let term = x
  let sum = x
  for (let odd = 3; Math.abs(term) > 1e-17; odd += 2) {
    term *= (x * x) / odd
    sum += term
  }
  return 0.5 + (sum * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI)
}

/** How many standard errors a gap must span to exclude 0 at a two-sided confidence (0..1): 1.96 for 0.95. */
export const twoSidedZ = (confidence: number): number => {
  const wanted = (1 + confidence) / 2
  let low = 0
  let high = 6
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2
    if (distribution(middle) < wanted) low = middle
    else high = middle
  }
  return (low + high) / 2
}

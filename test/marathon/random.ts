/** Draws from one seed. */
export interface Random {
  /** From 0 to below 1. */
  next(): number;
  /** A whole number from 0 to below `n`. */
  below(n: number): number;
  /** One of a list; undefined for an empty one. */
  of<T>(list: readonly T[]): T | undefined;
  /** One of the names, each as often as its weight says. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name;
  /** A name that no other draw has. */
  name(): string;
  /** Another source, whose draws do not depend on how often this one is drawn from later. */
  branch(): Random;
}

const RANGE = 2 ** 32;

/** The same draws for the same seed. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    // Mulberry32.
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / RANGE;
  };
  const below = (n: number) => Math.floor(next() * n);
  const hex = () => below(RANGE).toString(16).padStart(8, "0");
  return {
    next,
    below,
    of: (list) => list[below(list.length)],
    weighted(weights) {
      const entries = Object.entries<number>(weights);
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [name, weight] of entries) {
        left -= weight;
        if (left < 0) return name as keyof typeof weights;
      }
      throw new Error("no weights");
    },
    name: () => `${hex()}${hex()}${hex()}`,
    branch: () => seeded(below(RANGE)),
  };
}

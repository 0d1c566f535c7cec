import type { RawNotification } from "../../src/gateways/contract.ts";

/** Numbers from 0 to below `n`, the same ones for a seed. */
function randomFrom(seed: number): (n: number) => number {
  let state = seed >>> 0;
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

/** How a run of bytes is spoiled: bytes changed, cut, doubled, moved, put in. */
const SPOILS: readonly ((bytes: Buffer, random: (n: number) => number) => Buffer)[] = [
  (bytes, random) => {
    const changed = Buffer.from(bytes);
    const at = random(bytes.length);
    changed[at] = (changed[at] ?? 0) ^ (1 << random(8));
    return changed;
  },
  (bytes, random) => bytes.subarray(0, random(bytes.length)),
  (bytes, random) => bytes.subarray(1 + random(bytes.length)),
  (bytes, random) => {
    const [from, to] = [random(bytes.length), random(bytes.length)].toSorted((a, b) => a - b) as [number, number];
    return Buffer.concat([bytes.subarray(0, to), bytes.subarray(from)]);
  },
  (bytes, random) => {
    const at = random(bytes.length);
    return Buffer.concat([bytes.subarray(at), bytes.subarray(0, at)]);
  },
  (bytes, random) => {
    const at = random(bytes.length + 1);
    const inserted = Buffer.from(Array.from({ length: 1 + random(8) }, () => random(256)));
    return Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at)]);
  },
];

/**
 * A notification mutated so many times: in its body, or in the value of a header, once to three times. Mutants that are
 * equal to the original are left out. The same for each run.
 */
export function* mutants(original: RawNotification, count: number): Generator<RawNotification> {
  const random = randomFrom(20261123);
  const body = Buffer.from(original.rawBody);
  const names = Object.keys(original.headers);
  for (let made = 0; made < count; ) {
    const header = random(4) === 0 ? names[random(names.length)] : undefined;
    const whole = header === undefined ? body : Buffer.from(original.headers[header] ?? "");
    let spoiled: Buffer = whole;
    for (let times = 1 + random(3); times > 0 && spoiled.length > 0; times--)
      spoiled = SPOILS[random(SPOILS.length)]?.(spoiled, random) ?? spoiled;
    if (spoiled.equals(whole)) continue;
    made++;
    yield header === undefined
      ? { ...original, rawBody: spoiled }
      : { ...original, headers: { ...original.headers, [header]: spoiled.toString() } };
  }
}

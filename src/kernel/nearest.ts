/** The number of letters to insert, delete, replace or swap with the next one, by which two words differ. */
function distance(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1] ? 0 : 1;
      const least = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same);
      const swapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      row.push(swapped ? Math.min(least, (beforeLast[j - 2] ?? 0) + 1) : least);
    }
    [beforeLast, last] = [last, row];
  }
  return last[other.length] ?? 0;
}

const letters = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

/**
 * The known name that a misspelt one most likely stands for: the same letters in another case or with underscores, one that contains it,
 * or one of few other letters. Null when none is near.
 */
export function nearest(name: string, known: readonly string[]): string | null {
  const asked = letters(name);
  if (asked === "") return null;
  const ranked = known
    .map((one) => ({ one, far: distance(asked, letters(one)) }))
    .sort((a, b) => a.far - b.far || a.one.length - b.one.length);
  const [best] = ranked;
  if (best && best.far <= Math.max(1, Math.floor(asked.length / 3))) return best.one;
  const held = ranked.find(
    ({ one }) =>
      asked.length > 2 && letters(one).length > 2 && (letters(one).includes(asked) || asked.includes(letters(one))),
  );
  return held?.one ?? null;
}

/** The most names that are drawn for one record. */
const DRAWS_MAX = 20;

/**
 * The result of the first `attempt` that is not null: each draws a random name, and is null when another record has it.
 * Throws after 20: names are nearly used up then, or an attempt takes another refusal for this one.
 */
export async function withFreeName<Result>(attempt: () => Promise<Result | null>): Promise<Result> {
  for (let draw = 0; draw < DRAWS_MAX; draw++) {
    const result = await attempt();
    if (result !== null) return result;
  }
  throw new Error(`${DRAWS_MAX} names in a row were taken`);
}

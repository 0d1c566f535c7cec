import fc from "fast-check";

/*
 * fast-check for all properties: a run tries the values of the run before, so that what fails was changed. Others are tried with
 * `TEST_SEED=7 npm test -- part-of-a-path`.
 */

const SEED = Number(process.env["TEST_SEED"] ?? 20_261_120);

fc.configureGlobal({ seed: SEED });

export { fc };

/** A source of numbers from 0 to below 1, the same in every run. */
export function seededNumbers(): () => number {
  let state = SEED;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

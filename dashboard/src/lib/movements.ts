/** The label of each kind of movement of recurring revenue. */
export const MOVEMENTS = {
  new: "New",
  expansion: "Grown",
  contraction: "Shrunk",
  churn: "Ended",
  reactivation: "Come back",
} as const;

/** The kinds, in the order in which they are shown. */
export const MOVEMENT_KINDS = Object.keys(MOVEMENTS) as (keyof typeof MOVEMENTS)[];

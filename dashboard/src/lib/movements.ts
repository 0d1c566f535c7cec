/** The label of each kind of movement of recurring revenue. */
export const MOVEMENTS = {
  new: "New",
  expansion: "Expansion",
  contraction: "Contraction",
  churn: "Churned",
  reactivation: "Reactivated",
} as const;

/** The kinds, in the order in which they are shown. */
export const MOVEMENT_KINDS = Object.keys(MOVEMENTS) as (keyof typeof MOVEMENTS)[];

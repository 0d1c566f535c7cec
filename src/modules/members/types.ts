/** Contract 5. */
export const ROLES = ["owner", "admin", "finance", "support", "viewer"] as const;
export type Role = (typeof ROLES)[number];

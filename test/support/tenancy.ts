/** Tables that belong to no organisation, and why (decision 10). Every other table is a tenant table. */
export const NOT_TENANT_TABLES: Readonly<Record<string, string>> = {
  migrations: "what has been applied to this database",
  organisations: "the tenants themselves; isolated by their own id",
  claim_turns: "the row that a claim of due work locks, whose work belongs to all",
  rate_windows: "counters of requests, before the organisation is known",
};

/** Indexes that are used to find an organisation, and so cannot begin with its id (decision 10). */
export const LOOKUP_INDEXES: readonly string[] = [
  "api_keys_prefix",
  "members_user",
  "gateway_accounts_id",
  "due_work_pending",
];

/** Indexes that are used to find an organisation, and so cannot begin with its id (decisions.md#tenant-first). */
export const LOOKUP_INDEXES: readonly string[] = [
  "payment_links_short_code",
  "api_keys_prefix",
  "members_user",
  "gateway_accounts_id",
  "due_work_pending",
  "due_work_latest",
];

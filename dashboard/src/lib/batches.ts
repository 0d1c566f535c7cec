/** What a batch is at: completed once each of its debits has a result. */
export const statusOf = ({ status, completedAt }: { readonly status: string; readonly completedAt: string | null }) =>
  completedAt === null ? status : "completed";

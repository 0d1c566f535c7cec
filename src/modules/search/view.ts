import type { Hit } from "../../domain/records.ts";
import { toRand } from "../../kernel/money.ts";
import { businessDay } from "../../kernel/time.ts";

/** A found record as the API shows it; `path` is its path below `/dashboard/api`. */
export const hitView = (hit: Hit, path: string) => ({
  id: hit.id,
  title: hit.title,
  detail: hit.detail,
  status: hit.status,
  amount: hit.amount === null ? null : toRand(hit.amount),
  currency: hit.currency,
  date: hit.at instanceof Date ? businessDay(hit.at) : hit.at,
  path,
});

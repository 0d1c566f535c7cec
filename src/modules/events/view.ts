import { toTimestamp } from "../../kernel/time.ts";
import type { StoredEvent } from "./types.ts";

/** The organisation whose event it is. */
interface Owner {
  readonly id: string;
  readonly slug: string;
  readonly sandbox: boolean;
}

/** An event of an organisation as both APIs show it, and as the body that webhook endpoints receive (interface 6.1). */
export const eventView = ({ id, slug, sandbox }: Owner, event: StoredEvent) => ({
  id: event.id,
  type: event.type,
  created: toTimestamp(event.createdAt),
  subject: event.subject,
  sequence: event.sequence,
  apiVersion: event.apiVersion,
  sandbox,
  organisation: { id, slug },
  data: event.data,
});

/** Data of events whose type alone does not say what happened. */
interface Detailed {
  readonly debit?: { readonly reason: string | null; readonly code: string | null };
  readonly results?: Readonly<Record<"collected" | "unpaid", number>>;
}

/** What happened in more words, for timelines; null where the type of the event says it. */
export function eventDetail({ type, data }: Pick<StoredEvent, "type" | "data">): string | null {
  const { debit, results } = data as Detailed;
  if (type === "mandate.debit_unpaid" && debit?.reason)
    return debit.code === null ? debit.reason : `${debit.reason.replace(/\.$/, "")} (code ${debit.code})`;
  if (type === "debit_batch.completed" && results) return `${results.collected} collected, ${results.unpaid} unpaid`;
  return null;
}

import { api } from "./client.ts";

/**
 * Stores the reason of an action, which the API does not accept with the action itself, as a note about the record. The
 * action is done by then: when the note fails, the action has not failed.
 */
export async function noteReason(subject: string, did: string, reason: string | undefined): Promise<void> {
  const text = reason?.trim();
  if (!text) return;
  await api.POST("/notes", { body: { subject, text: `${did}: ${text}` } }).catch(() => undefined);
}

import { api } from "./client.ts";

/**
 * Keeps the reason of an action, which the API does not take with the action itself, as a note about the record. The action is done by then: a
 * note that fails is no failure of it.
 */
export async function noteReason(subject: string, did: string, reason: string | undefined): Promise<void> {
  const text = reason?.trim();
  if (!text) return;
  await api.POST("/notes", { body: { subject, text: `${did}: ${text}` } }).catch(() => undefined);
}

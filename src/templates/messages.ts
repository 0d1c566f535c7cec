import type { MessageParts } from "../kernel/messages.ts";
import { truncate } from "../kernel/text.ts";
import type { MessageKind } from "../modules/messages/types.ts";

/** Longer names of what is paid would make a second part of most messages. */
const WHAT_MAX = 60;

const SENTENCES: Readonly<Record<Exclude<MessageKind, "opt_out">, (parts: MessageParts) => string>> = {
  payment_link: ({ what, amount, url }) => `Please pay ${amount} for ${what}: ${url}`,
  invoice: ({ what, amount, url }) => `Invoice ${what} of ${amount} is ready. See and pay it here: ${url}`,
  reminder: ({ what, amount, url }) => `A reminder: ${amount} of invoice ${what} is to be paid. Pay here: ${url}`,
  payment_failed: ({ what, amount, url }) => `Payment of ${amount} for ${what} failed. Pay here: ${url}`,
  test: ({ what, url }) => `${what}. Links look like this: ${url}`,
};

/** Values of a message as its text and its template show them. */
export const shownParts = ({ what, amount, url }: MessageParts): MessageParts => ({
  what: truncate(what, WHAT_MAX),
  amount,
  url,
});

/** The text of a message: who sends it, what it is, the address, and how to get no more where the phone can reply. */
export function messageText(
  kind: Exclude<MessageKind, "opt_out">,
  parts: MessageParts,
  { sender, sandbox, repliable }: { readonly sender: string; readonly sandbox: boolean; readonly repliable: boolean },
): string {
  const stop = repliable ? " Reply STOP to opt out." : "";
  return `${sandbox ? "TEST: " : ""}${sender}: ${SENTENCES[kind](shownParts(parts))}${stop}`;
}

/** The answer to STOP. */
export const optOutText = (sender: string): string =>
  `${sender}: you will get no more messages from us. Reply START to get them again.`;

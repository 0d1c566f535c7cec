/** How messages reach a phone. */
export const CHANNELS = ["sms", "whatsapp"] as const;
export type Channel = (typeof CHANNELS)[number];

/** The values that the text of a message is made of, for providers that take templates in place of a text. */
export interface MessageParts {
  /** What is paid, such as the number of an invoice. */
  readonly what: string;
  /** With its currency. */
  readonly amount: string;
  readonly url: string;
}

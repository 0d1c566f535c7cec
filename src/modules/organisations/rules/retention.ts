/** Something that the settings let go after a time, and for how many months they may keep it. */
interface Rule {
  /** At least so many, so that a mistake is found before the trace of it is gone. */
  readonly least: number;
  readonly most: number;
  /** What becomes of it, and how long it is kept when the settings name no time. */
  readonly about: string;
}

/** What the settings let go: nothing that tax law says to keep. */
export const RETENTION = {
  mailTexts: {
    least: 1,
    most: 120,
    about:
      "The texts of mails are emptied; that a mail was sent, to whom and about what, stays. Without a time they are kept.",
  },
  webhookDeliveries: {
    least: 1,
    most: 13,
    about: "Webhook deliveries are deleted. Without a time they are kept for 13 months, as events are.",
  },
  proofsOfPayment: {
    least: 3,
    most: 120,
    about:
      "Files that payers sent as proof of a bank transfer are deleted, once it is paid, rejected or over. Without a time they are kept.",
  },
  auditReads: {
    least: 12,
    most: 60,
    about:
      "Entries of the audit log about what was read are deleted; those about changes stay. Without a time all are kept for 61 months.",
  },
  abandonedCheckouts: {
    least: 1,
    most: 120,
    about: "What a visitor entered in a checkout that came to nothing is emptied. Without a time it is kept.",
  },
  closedCustomers: {
    least: 1,
    most: 120,
    about:
      "Customers that are inactive, unchanged for the time and owe nothing are erased as by hand. Without a time they are kept.",
  },
} as const satisfies Readonly<Record<string, Rule>>;

/** What the settings let go. */
export type Retained = keyof typeof RETENTION;
export const RETAINED = Object.keys(RETENTION) as readonly Retained[];

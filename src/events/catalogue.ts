/** Events of spec part 6 that the service can send by now, with what each one's `data` is. */
export const EVENTS = {
  "payment.complete": "The payment (transaction object with `customer`) once it is verified complete.",
  "payment.failed": "The payment that failed.",
  "payment.cancelled": "The payment that was cancelled or abandoned.",
  "payment.refunded": "The payment, refunded in full.",
  "payment.partially_refunded": "The payment, refunded in part.",
  "invoice.paid": "The invoice, whose whole balance is paid.",
  "invoice.partially_paid": "The invoice after a payment of less than its balance.",
  "invoice.cancelled": "The invoice that was cancelled.",
  "invoice.created": "The invoice that a quote was converted into.",
  "quote.created": "The quote.",
  "quote.updated": "The quote after a change, or moved back to draft.",
  "quote.sent": "The quote that was sent.",
  "quote.accepted": "The quote that was accepted.",
  "quote.declined": "The quote that was declined.",
  "quote.expired": "The quote whose last valid day is over.",
  "quote.invoiced": "The quote, with the invoice it was converted into.",
  "eft.proof_received": "The EFT order, with the proof of payment that was sent for it.",
  "eft.rejected": "The EFT order, with the reason why its proof was rejected.",
  "eft.expired": "The EFT order that nobody paid in time.",
  "eft.cancelled": "The EFT order that was cancelled.",
  "credit_note.created": "The credit note.",
  "credit_note.issued": "The credit note, from now on to be applied.",
  "credit_note.applied": "The credit note after an invoice took something of it; once an invoice.",
  "customer.standing.changed": "The account standing, with `previousStatus`.",
  "endpoint.test": "`{endpointId}`: a test that staff asked for.",
} as const;

export type EventType = keyof typeof EVENTS;

export const EVENT_TYPES = Object.keys(EVENTS) as EventType[];

/** Whether a text names an event. */
export const isEventType = (text: string): text is EventType => Object.hasOwn(EVENTS, text);

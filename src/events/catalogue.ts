/** Events of spec part 6 that the service can send by now, with what each one's `data` is. */
export const EVENTS = {
  "payment.complete": "The payment (transaction object with `customer`) once it is verified complete.",
  "payment.failed": "The payment that failed.",
  "payment.cancelled": "The payment that was cancelled or abandoned.",
  "payment.refunded": "The payment, refunded in full.",
  "payment.partially_refunded": "The payment, refunded in part.",
  "customer.standing.changed": "The account standing, with `previousStatus`.",
  "endpoint.test": "`{endpointId}`: a test that staff asked for.",
} as const;

export type EventType = keyof typeof EVENTS;

export const EVENT_TYPES = Object.keys(EVENTS) as EventType[];

import type { Shape } from "../../api/client.ts";

/** The meaning of each flag, and the action that it needs. */
export const FLAGS: Readonly<Record<Shape<"Transaction">["flags"][number], string>> = {
  overpaid: "More was paid than was owed; what is over is the customer's credit.",
  notification_mismatch: "The gateway reported another amount or currency. Compare the payment at the gateway.",
  refund_failed: "A refund was taken back by the gateway. Refund the money in another way.",
  made_elsewhere: "A refund was made in the gateway's own dashboard. Record it here when it is not among the refunds.",
  not_on_statement:
    "The gateway's statement does not name this payment, so its money may be in another merchant's account. Look for it in the gateway's own dashboard.",
  disputed: "The customer has disputed this payment at their bank. Its dispute says until when you can answer.",
};

import { dueWork } from "../../platform/due-work.ts";

/** Starts, bills or ends a subscription on the day that it falls due; also moves the period of a `manual` one whose bill was paid. */
export const CUSTOMER_SUBSCRIPTION_BILL = dueWork("customer_subscription.bill", { together: 250, perProcess: 500 });

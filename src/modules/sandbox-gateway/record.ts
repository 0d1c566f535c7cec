// Writes nothing. Reads nothing else.

import { ABOUT_THE_MATTER, erased, keptAsProof, keptByTaxLaw } from "../../domain/erasure.ts";
import { record } from "../../domain/records.ts";

/** What erasure makes of the columns of sandbox gateway. */
export const SANDBOX_GATEWAY_RECORD = record({
  tables: {
    sandbox_debit_batches: {
      plain: "id account_id reference notify_url status",
    },
    sandbox_mandates: {
      plain: "id account_id account_reference status",
      columns: {
        details: keptAsProof(),
        reason: ABOUT_THE_MATTER,
      },
      notHanded: "of the sandbox's gateway, which knows nobody real",
    },
    sandbox_outcomes: {
      plain: "id kind customer_id subscription_id outcome used_by",
    },
    sandbox_payments: {
      plain: "id account_id checkout_id reference currency status kind subscription_id batch_id",
      columns: {
        details: erased("without_personal(details)"),
      },
      rows: "reference = any (subjects)",
      notHanded: "of the sandbox's gateway, which knows nobody real",
    },
    sandbox_refunds: {
      plain: "id payment_id refund_id",
      columns: {
        reason: keptByTaxLaw(),
      },
      notHanded: "of the sandbox's gateway, which knows nobody real",
    },
    sandbox_subscriptions: {
      plain: "id account_id reference status currency frequency",
      columns: {
        details: erased("without_personal(details)"),
      },
      rows: "reference = any (subjects)",
      notHanded: "of the sandbox's gateway, which knows nobody real",
    },
  },
});

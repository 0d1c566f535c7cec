import { SUBSCRIPTION_RESUMES } from "../flows/customer-subscriptions/resume-subscription.ts";
import { ENDED_WITH_CUSTOMER } from "../flows/customers/deactivate-customer.ts";
import { gatherBy } from "../flows/debit-batches/change-batch.ts";
import { completeBatch } from "../flows/debit-batches/complete-batch.ts";
import { gatherDaily } from "../flows/debit-batches/gather-debits.ts";
import { debitPurpose } from "../flows/debit-batches/payment-purpose.ts";
import { readResults } from "../flows/debit-batches/read-results.ts";
import { submitBatch } from "../flows/debit-batches/submit-batch.ts";
import { UNPAID_DEBIT_MAIL } from "../flows/debit-batches/unpaid-debit-mail.ts";
import { readStatements } from "../flows/gateway-statements/read-statements.ts";
import { applyMandateFact } from "../flows/mandates/apply-mandate-fact.ts";
import { mandateEndedWithCustomer, resumeMandate } from "../flows/mandates/change-mandate.ts";
import { checkEMandate } from "../flows/mandates/check-e-mandate.ts";
import { expireAgreement, lockAgreement } from "../flows/mandates/expire-agreement.ts";
import { AGREEMENT_MAIL, AGREEMENT_SIGNED_MAIL, AGREEMENT_SIGNED_STAFF_MAIL } from "../flows/mandates/mandate-mails.ts";
import { mandatePage } from "../flows/mandates/read-mandate.ts";
import { MANDATE_FACTS } from "../flows/payments/apply-facts.ts";
import { PURPOSES } from "../flows/payments/purpose.ts";
import { registerSignMandatePages } from "../http/pages/sign-mandate/routes.ts";
import { debitBatchEndpoints } from "../http/resources/debit-batches.ts";
import { mandateEndpoints } from "../http/resources/mandates.ts";
import * as debitBatches from "../modules/debit-batches/declarations.ts";
import { DEBIT_BATCH_RECORD } from "../modules/debit-batches/record.ts";
import { lockDebitBatch } from "../modules/debit-batches/store/debit-batches.ts";
import { debitBatchExaminations } from "../modules/debit-batches/verify.ts";
import * as gatewayStatements from "../modules/gateway-statements/declarations.ts";
import { GATEWAY_STATEMENT_RECORD } from "../modules/gateway-statements/record.ts";
import { gatewayStatementExaminations } from "../modules/gateway-statements/verify.ts";
import * as mandateAgreements from "../modules/mandate-agreements/declarations.ts";
import { AGREEMENT_RECORD } from "../modules/mandate-agreements/record.ts";
import { agreementExaminations } from "../modules/mandate-agreements/verify.ts";
import * as mandates from "../modules/mandates/declarations.ts";
import { MANDATE_RECORD } from "../modules/mandates/record.ts";
import { SEALED_ACCOUNT_NUMBERS, SEALED_ID_NUMBERS } from "../modules/mandates/store.ts";
import { mandateExaminations } from "../modules/mandates/verify.ts";
import { acting, asking } from "../worker/handlers.ts";
import type { Resource } from "./merged.ts";

/** Mandates, the debits that they cause, and the statements that say how debits ended. */
export const DEBIT_ORDERS: readonly Resource[] = [
  {
    declared: mandates,
    work: [asking(mandates.MANDATE_CHECK, checkEMandate)],
    extensions: [
      MANDATE_FACTS.with(applyMandateFact),
      SUBSCRIPTION_RESUMES.with(resumeMandate),
      ENDED_WITH_CUSTOMER.with(mandateEndedWithCustomer),
    ],
    endpoints: mandateEndpoints,
    examinations: mandateExaminations,
    record: MANDATE_RECORD,
    payerPage: mandatePage,
    sealed: [SEALED_ACCOUNT_NUMBERS, SEALED_ID_NUMBERS],
  },
  {
    declared: debitBatches,
    work: [
      asking(debitBatches.DEBITS_GATHER, gatherDaily),
      asking(debitBatches.DEBITS_GATHER_BY, gatherBy),
      asking(debitBatches.DEBIT_BATCH_SUBMIT, submitBatch),
      asking(debitBatches.DEBIT_BATCH_RESULTS, readResults),
      acting(debitBatches.DEBIT_BATCH_COMPLETE, lockDebitBatch, completeBatch),
    ],
    mails: [UNPAID_DEBIT_MAIL],
    extensions: [PURPOSES.with(debitPurpose)],
    endpoints: debitBatchEndpoints,
    examinations: debitBatchExaminations,
    record: DEBIT_BATCH_RECORD,
  },
  {
    declared: mandateAgreements,
    work: [acting(mandateAgreements.AGREEMENT_EXPIRE, lockAgreement, expireAgreement)],
    mails: [AGREEMENT_MAIL, AGREEMENT_SIGNED_MAIL, AGREEMENT_SIGNED_STAFF_MAIL],
    pages: registerSignMandatePages,
    examinations: agreementExaminations,
    record: AGREEMENT_RECORD,
  },
  {
    declared: gatewayStatements,
    work: [asking(gatewayStatements.STATEMENTS_READ, readStatements)],
    examinations: gatewayStatementExaminations,
    record: GATEWAY_STATEMENT_RECORD,
  },
];

import { CUSTOMERS } from "./catalogue/customers.ts";
import { merged, type Resource } from "./catalogue/merged.ts";
import { PAYMENTS } from "./catalogue/payments.ts";
import { SOLD } from "./catalogue/sold.ts";
import { WAYS_TO_PAY } from "./catalogue/ways-to-pay.ts";
import { PLATFORM_RECORD } from "./domain/platform-tables.ts";
import { EVENT_REACT } from "./events/outbox.ts";
import { BANK_DETAILS_MAIL } from "./flows/gateways/bank-details-mail.ts";
import { reconnect } from "./flows/gateways/reconnect.ts";
import { INVITATION_MAIL } from "./flows/members/invitation-mail.ts";
import { announceTrialEnding, ORGANISATION_TRIAL_MAIL } from "./flows/members/trial-ending-mail.ts";
import { renewSubscription } from "./flows/sandbox-gateway/renew-subscription.ts";
import { settleCharge } from "./flows/sandbox-gateway/settle-charge.ts";
import { settleDebits } from "./flows/sandbox-gateway/settle-debits.ts";
import { ENDPOINT_DISABLED_MAIL } from "./flows/webhooks/endpoint-disabled-mail.ts";
import { registerGatewayReturn } from "./http/pages/gateway-return/routes.ts";
import { registerReferralPages } from "./http/pages/refer/routes.ts";
import { registerSandboxPages } from "./http/pages/sandbox-gateway/routes.ts";
import { accountingMonthEndpoints } from "./http/resources/accounting-months.ts";
import { accountingSoftwareEndpoints } from "./http/resources/accounting-software.ts";
import { agedDebtorEndpoints } from "./http/resources/aged-debtors.ts";
import { allowedReturnUrlEndpoints } from "./http/resources/allowed-return-urls.ts";
import { apiKeyEndpoints } from "./http/resources/api-keys.ts";
import { auditLogEndpoints } from "./http/resources/audit-log.ts";
import { customerStatementEndpoints } from "./http/resources/customer-statements.ts";
import { deferredRevenueEndpoints } from "./http/resources/deferred-revenue.ts";
import { emailEndpoints } from "./http/resources/emails.ts";
import { eventEndpoints } from "./http/resources/events.ts";
import { gatewayEndpoints, payoutHoldEndpoints } from "./http/resources/gateways.ts";
import { meEndpoints } from "./http/resources/me.ts";
import { memberEndpoints } from "./http/resources/members.ts";
import { messageEndpoints } from "./http/resources/messages.ts";
import { overviewEndpoints } from "./http/resources/overview.ts";
import { referralLinkEndpoints } from "./http/resources/referral-links.ts";
import { reportEndpoints } from "./http/resources/reports.ts";
import { requestLogEndpoints } from "./http/resources/request-log.ts";
import { roleEndpoints } from "./http/resources/roles.ts";
import { sandboxEndpoints } from "./http/resources/sandbox.ts";
import { savedViewEndpoints } from "./http/resources/saved-views.ts";
import { searchEndpoints } from "./http/resources/search.ts";
import { settingsEndpoints } from "./http/resources/settings.ts";
import { testClockEndpoints } from "./http/resources/test-clock.ts";
import { snapshotEndpoints } from "./http/resources/test-clock-snapshots.ts";
import { timelineEndpoints } from "./http/resources/timeline.ts";
import { vatReturnEndpoints } from "./http/resources/vat-returns.ts";
import { webhookEndpoints } from "./http/resources/webhooks.ts";
import { ACCOUNTING_MONTH_RECORD } from "./modules/accounting-months/record.ts";
import { ACCOUNTING_SOFTWARE_RECORD } from "./modules/accounting-software/record.ts";
import { ALLOWED_RETURN_URL_RECORD } from "./modules/allowed-return-urls/record.ts";
import { API_KEY_RECORD } from "./modules/api-keys/record.ts";
import { AUDIT_LOG_RECORD } from "./modules/audit-log/record.ts";
import { BANK_DETAIL_CHANGE_RECORD } from "./modules/bank-detail-changes/record.ts";
import { CLOCK_SNAPSHOT_RECORD } from "./modules/clock-snapshots/store.ts";
import { DOCUMENT_NUMBER_RECORD } from "./modules/document-numbers/record.ts";
import { documentNumberExaminations } from "./modules/document-numbers/verify.ts";
import * as emails from "./modules/emails/declarations.ts";
import { EMAIL_RECORD } from "./modules/emails/record.ts";
import { SEALED_MAIL_SECRETS } from "./modules/emails/store.ts";
import { emailExaminations } from "./modules/emails/verify.ts";
import { EVENT_RECORD } from "./modules/events/record.ts";
import { eventExaminations } from "./modules/events/verify.ts";
import * as gatewayAccounts from "./modules/gateway-accounts/declarations.ts";
import { GATEWAY_ACCOUNT_RECORD } from "./modules/gateway-accounts/record.ts";
import { SEALED_CREDENTIALS } from "./modules/gateway-accounts/store.ts";
import { GATEWAY_HEALTH_RECORD } from "./modules/gateway-health/record.ts";
import { MEMBER_RECORD } from "./modules/members/record.ts";
import * as messages from "./modules/messages/declarations.ts";
import { MESSAGE_RECORD } from "./modules/messages/record.ts";
import { SEALED_MESSAGE_CREDENTIALS } from "./modules/messages/store.ts";
import { messageExaminations } from "./modules/messages/verify.ts";
import { NOTE_RECORD } from "./modules/notes/record.ts";
import * as organisations from "./modules/organisations/declarations.ts";
import { ORGANISATION_RECORD } from "./modules/organisations/record.ts";
import { lockOrganisation, SEALED_LINK_KEYS } from "./modules/organisations/store.ts";
import { OVERVIEW_RECORD } from "./modules/overview/record.ts";
import { overviewExaminations } from "./modules/overview/verify.ts";
import { REVISION_RECORD } from "./modules/personal-data/record.ts";
import * as referralLinks from "./modules/referral-links/declarations.ts";
import { REFERRAL_LINK_RECORD } from "./modules/referral-links/record.ts";
import { REQUEST_LOG_RECORD } from "./modules/request-log/record.ts";
import * as sandboxGateway from "./modules/sandbox-gateway/declarations.ts";
import { SANDBOX_GATEWAY_RECORD } from "./modules/sandbox-gateway/record.ts";
import { sandboxExaminations } from "./modules/sandbox-gateway/verify.ts";
import { SAVED_VIEW_RECORD } from "./modules/saved-views/record.ts";
import * as webhooks from "./modules/webhooks/declarations.ts";
import { WEBHOOK_RECORD } from "./modules/webhooks/record.ts";
import { SEALED_PREVIOUS_SECRETS, SEALED_SECRETS } from "./modules/webhooks/store.ts";
import { webhookExaminations } from "./modules/webhooks/verify.ts";
import { SEALED_REPLIES } from "./platform/idempotency-keys.ts";
import { createDeliverWebhook } from "./worker/deliver-webhook.ts";
import { acting, asking } from "./worker/handlers.ts";
import { createReact } from "./worker/react.ts";
import { createComposeMail, createSendMail } from "./worker/send-mail.ts";
import { createSendMessage } from "./worker/send-message.ts";

/** Every resource, once. A new one is an entry of its family in `src/catalogue`. */
const RESOURCES: readonly Resource[] = [
  { endpoints: meEndpoints },
  { record: PLATFORM_RECORD },
  ...PAYMENTS,
  ...CUSTOMERS,
  ...WAYS_TO_PAY,
  ...SOLD,
  {
    declared: organisations,
    work: [acting(organisations.ORGANISATION_TRIAL_ENDING, lockOrganisation, announceTrialEnding)],
    mails: [ORGANISATION_TRIAL_MAIL],
    endpoints: settingsEndpoints,
    examinations: documentNumberExaminations,
    sealed: [SEALED_LINK_KEYS, SEALED_REPLIES],
    record: ORGANISATION_RECORD,
  },
  { endpoints: allowedReturnUrlEndpoints, record: ALLOWED_RETURN_URL_RECORD },
  {
    endpoints: [...apiKeyEndpoints, ...requestLogEndpoints],
    record: API_KEY_RECORD,
  },
  {
    work: [{ work: EVENT_REACT, handler: createReact }],
    endpointsOver: ({ events, records }) => eventEndpoints(events, records),
    examinations: eventExaminations,
    record: EVENT_RECORD,
  },
  {
    declared: gatewayAccounts,
    work: [asking(gatewayAccounts.GATEWAY_RECONNECT, reconnect)],
    mails: [BANK_DETAILS_MAIL],
    endpoints: [...gatewayEndpoints, ...payoutHoldEndpoints],
    pages: registerGatewayReturn,
    sealed: [SEALED_CREDENTIALS],
    record: GATEWAY_ACCOUNT_RECORD,
  },
  {
    mails: [INVITATION_MAIL],
    endpoints: [...memberEndpoints, ...roleEndpoints],
    record: MEMBER_RECORD,
  },
  { endpoints: accountingMonthEndpoints, record: ACCOUNTING_MONTH_RECORD },
  { endpoints: accountingSoftwareEndpoints, record: ACCOUNTING_SOFTWARE_RECORD },
  { endpoints: vatReturnEndpoints },
  { endpoints: deferredRevenueEndpoints },
  { endpoints: agedDebtorEndpoints },
  { endpoints: customerStatementEndpoints },
  {
    declared: referralLinks,
    record: REFERRAL_LINK_RECORD,
    endpoints: referralLinkEndpoints,
    pages: registerReferralPages,
  },
  {
    endpoints: [...overviewEndpoints, ...reportEndpoints],
    examinations: overviewExaminations,
    record: OVERVIEW_RECORD,
  },
  { endpointsOver: ({ records }) => searchEndpoints(records) },
  { endpointsOver: ({ records }) => timelineEndpoints(records), record: NOTE_RECORD },
  { endpoints: savedViewEndpoints, record: SAVED_VIEW_RECORD },
  { endpointsOver: ({ records }) => auditLogEndpoints(records), record: AUDIT_LOG_RECORD },
  { endpoints: [...testClockEndpoints, ...snapshotEndpoints], record: CLOCK_SNAPSHOT_RECORD },
  {
    declared: sandboxGateway,
    work: [
      asking(sandboxGateway.SANDBOX_SETTLE, settleCharge),
      asking(sandboxGateway.SANDBOX_RENEW, renewSubscription),
      asking(sandboxGateway.SANDBOX_DEBIT, settleDebits),
    ],
    endpoints: sandboxEndpoints,
    pages: registerSandboxPages,
    examinations: sandboxExaminations,
    record: SANDBOX_GATEWAY_RECORD,
  },
  {
    declared: emails,
    work: [
      { work: emails.MAIL_COMPOSE, handler: createComposeMail },
      { work: emails.MAIL_SEND, handler: createSendMail },
    ],
    endpointsOver: ({ mails, records }) => emailEndpoints(mails, records),
    examinations: emailExaminations,
    sealed: [SEALED_MAIL_SECRETS],
    record: EMAIL_RECORD,
  },
  {
    declared: messages,
    work: [{ work: messages.MESSAGE_SEND, handler: createSendMessage }],
    endpointsOver: ({ records }) => messageEndpoints(records),
    examinations: messageExaminations,
    sealed: [SEALED_MESSAGE_CREDENTIALS],
    record: MESSAGE_RECORD,
  },
  {
    declared: webhooks,
    work: [{ work: webhooks.WEBHOOK_DELIVER, handler: createDeliverWebhook }],
    mails: [ENDPOINT_DISABLED_MAIL],
    endpointsOver: ({ events }) => webhookEndpoints(events),
    examinations: webhookExaminations,
    sealed: [SEALED_SECRETS, SEALED_PREVIOUS_SECRETS],
    record: WEBHOOK_RECORD,
  },
  { record: REQUEST_LOG_RECORD },
  { record: DOCUMENT_NUMBER_RECORD },
  { record: GATEWAY_HEALTH_RECORD },
  { record: BANK_DETAIL_CHANGE_RECORD },
  // The last, since what is erased in a record becomes a new version of it.
  { record: REVISION_RECORD },
];

export const {
  events: EVENTS,
  reactions: REACTIONS,
  mails: MAILS,
  work: WORK,
  extensions: EXTENSIONS,
  records: RECORDS,
  held: HELD,
  tables: TABLES,
  clientEndpoints: CLIENT_ENDPOINTS,
  dashboardEndpoints: DASHBOARD_ENDPOINTS,
  examinations: EXAMINATIONS,
  sealed: SEALED_COLUMNS,
  registerPages,
} = merged(RESOURCES);

import { personName } from "../../kernel/person-name.ts";
import { calendarDay, DAY_SECONDS, secondsBetween } from "../../kernel/time.ts";
import type {
  BankAccount,
  BankAccountCheck,
  ChargeRequest,
  Connection,
  DebitBatchRequest,
  DebitBatchState,
  DebitLine,
  DebitOrderAbility,
  GatewayAdapter,
  GatewayCall,
  NotificationAbility,
  PaymentIdentity,
  StatementAbility,
  StatementReading,
  StatementRequest,
  StoredCardAbility,
} from "../contract.ts";
import { internalFact, type PaymentFact } from "../facts.ts";
import { GatewayNotReached, GatewayUnclear } from "../http.ts";
import { BANK_FILE, type BankRecord, CARD_FILE, type CardRecord } from "./batch-file.ts";
import { earliestActionDate, followBatch, listsBatch, listText, sendBatch, TWO_DAY_AHEAD } from "./batches.ts";
import { cardOnFile, DEBITED_BRANDS } from "./card-token.ts";
import { callText, checkPayNow, payNowUrl, refusalOf } from "./client.ts";
import { askAboutMandate, createMandate } from "./mandates.ts";
import { confirmClaim, readPostback } from "./notifications.ts";
import { formFields, payNowFact } from "./pay-now.ts";
import { readStatement } from "./statement.ts";
import { isNotReady } from "./wire.ts";

/** Netcash finds a payment on its pages only by its own trace, which its messages bring. */
async function queryPayment({ providerRef }: PaymentIdentity, call: GatewayCall): Promise<PaymentFact | null> {
  if (providerRef === null) return null;
  const answer = await checkPayNow(call, providerRef);
  if (answer.kind === "refused") throw new GatewayUnclear(`netcash: ${answer.reason}`);
  return answer.kind === "absent" ? null : payNowFact(answer.value, call);
}

const notifications: NotificationAbility = {
  urlIsSet: "by hand",
  read: readPostback,
  confirm: confirmClaim,
};

/** The most debits of a file. Its statement has a line for each, and an answer of Netcash at most 8 MB. */
const BATCH_LINES_MAX = 10_000;

/**
 * Several debits of a mandate on one day have a number at the end of their references (interface 2.2). Their account references get it too,
 * because these must be unique in a file.
 */
const bankRecord = ({ reference, accountReference, amount, bank }: DebitLine): BankRecord => ({
  accountReference: `${accountReference}${/-\d{8}(-\d+)$/.exec(reference)?.[1] ?? ""}`,
  accountName: bank.holder,
  amount,
  reference,
  bank,
});

async function* bankRecords(lines: DebitBatchRequest["lines"]): AsyncGenerator<BankRecord> {
  for await (const line of lines) yield bankRecord(line);
}

const debitOrders: DebitOrderAbility = {
  most: BATCH_LINES_MAX,
  earliest: earliestActionDate,
  cutOffDays: TWO_DAY_AHEAD,
  submit: ({ reference, actionDate, lines }, call) =>
    sendBatch({ name: reference, actionDate, layout: BANK_FILE, records: bankRecords(lines) }, call),
  query: ({ reference, batchRef, lines }, call) =>
    followBatch({ name: reference, token: batchRef, records: bankRecords(lines) }, call),
  lists: listsBatch,
};

/** An account reference: `TEFOC-<16 hex>-<counter>` would be too long for one. */
const shortened = (reference: string): string => reference.replace(/^[A-Z]+-/, "C").slice(0, 22);

/** A charge of a saved card is a file with one debit (decisions.md#one-card-charge-one-file): its result comes on the statement. */
const storedCards: StoredCardAbility = {
  brands: DEBITED_BRANDS,
  async charge({ reference, card, amount, payer }: ChargeRequest, call) {
    const name = personName(payer) ?? reference;
    const onFile = cardOnFile(card.token, card.brand, name);
    if (!onFile) return declined(reference, "Netcash did not say enough of this card to debit it. Add it again.", true);
    const line = { accountReference: shortened(reference), accountName: name, amount, reference, card: onFile };
    const actionDate = earliestActionDate(call.now);
    try {
      const file = { name: reference, actionDate, layout: CARD_FILE, records: [line] };
      return chargeFact(reference, await sendBatch<CardRecord>(file, call));
    } catch (error) {
      if (!(error instanceof GatewayNotReached)) throw error;
      return declined(reference, "Netcash could not be reached, so nothing was charged.", false);
    }
  },
  async query({ reference, providerRef, amount, startedAt }, call) {
    const old = providerRef === null && secondsBetween(startedAt, call.now) >= DAY_SECONDS;
    if (old && !(await listsBatch(reference, call)))
      return {
        ...internalFact(reference, "not listed"),
        ...{ kind: "pending", amount: null, currency: null, forStaff: NOT_LISTED },
      };
    const line = { accountReference: shortened(reference), accountName: "", amount, reference };
    return chargeFact(reference, await followBatch({ name: reference, token: providerRef, records: [line] }, call));
  },
  lists: listsBatch,
};

/** The note for staff about a charge whose upload had no answer. */
const NOT_LISTED =
  "Netcash has not answered whether it took this charge of a saved card, and does not list it. " +
  "Look for a batch of this name in Netcash's pages; when it is not there, say so (give up, beside the payment), " +
  "and charge the card anew.";

const declined = (reference: string, reason: string, hard: boolean): PaymentFact => ({
  ...internalFact(reference, "rejected"),
  kind: "declined",
  amount: null,
  currency: null,
  reason,
  hard,
});

function chargeFact(reference: string, state: DebitBatchState): PaymentFact {
  const reason = state.kind === "refused" ? state.reason : state.rejected[0]?.reason;
  if (state.kind === "refused" || reason !== undefined)
    return declined(reference, reason ?? "", /token|expir|card number/i.test(reason ?? ""));
  return {
    ...internalFact(reference, state.kind),
    providerRef: state.batchRef,
    kind: "pending",
    amount: null,
    currency: null,
    ...(state.kind === "held" ? { forStaff: state.reason } : {}),
  };
}

const statement: StatementAbility = {
  // 08:30, with a margin of minutes for the difference of Netcash's clock.
  readyAfterSeconds: 8.75 * 3600,
  // A payer may dispute a debit for 60 days; the bank's report takes some more.
  days: 65,
  lineWithinDays: 3,
  read: readDay,
};

/** Netcash has no statement of that day, or nothing new on it since the last request. */
const NOTHING = /^\s*(102|NO CHANGE)\s*$/i;

async function readDay({ day, ticket }: StatementRequest, call: GatewayCall): Promise<StatementReading> {
  const serviceKey = ["ServiceKey", call.credentials["accountKey"] ?? ""] as const;
  const ask = (method: string, argument: readonly [string, string]) =>
    callText(call, { method, args: [serviceKey, argument], repeatable: true });
  const id = ticket ?? (await ask("RequestMerchantStatement", ["FromActionDate", day.replaceAll("-", "")])).trim();
  const unprepared = NOTHING.test(id) ? null : refusalOf(id);
  if (NOTHING.test(id)) return { kind: "ready", lines: [] };
  if (unprepared) return unprepared;
  if (id === "") throw new GatewayUnclear("netcash: a statement without a polling id");
  const text = await ask("RetrieveMerchantStatement", ["PollingId", id]);
  if (isNotReady(text)) return { kind: "wait", ticket: id };
  if (NOTHING.test(text)) return { kind: "ready", lines: [] };
  return refusalOf(text) ?? { kind: "ready", lines: readStatement(text) };
}

const FINDINGS: Readonly<Record<string, string>> = {
  "0": "",
  "1": "Netcash does not know the branch code.",
  "2": "The account number fails its check digit at Netcash: confirm it with the account holder.",
  "3": "Netcash does not know the account type at this bank.",
  "4": "Netcash finds the bank details incomplete.",
};
const ACCOUNT_TYPES: Readonly<Record<BankAccount["type"], string>> = { current: "1", savings: "2", transmission: "3" };

/** Checks the form of an account number, not that the account exists. */
async function checkBankAccount(bank: BankAccount, call: GatewayCall): Promise<BankAccountCheck> {
  const { riskKey, debitOrderKey = "" } = call.credentials;
  const args = [
    ["ServiceKey", riskKey ?? debitOrderKey],
    ["AccountNumber", bank.number],
    ["BranchCode", bank.branchCode],
    ["AccountType", ACCOUNT_TYPES[bank.type]],
  ] as const;
  const code = (
    await callText(call, { service: "validation", method: "ValidateBankAccount", args, repeatable: true })
  ).trim();
  const finding = FINDINGS[code];
  if (finding === undefined) throw new GatewayUnclear("netcash: the bank account could not be checked");
  return { warnings: finding === "" ? [] : [finding] };
}

/** Codes that are about the key or its service, not about what was asked. */
const ABOUT_KEY = new Set(["100", "104", "105", "106", "311"]);

/** Why a key is not accepted; null for an answer that is not about the key. `what`: which key, for a wrong one. */
function keyRefusal(answer: string, what: string): Connection | null {
  const code = answer.trim();
  if (!ABOUT_KEY.has(code)) return null;
  const reason = code === "100" ? `the ${what} service key is not accepted (100).` : refusalOf(code)?.reason;
  return { kind: "refused", reason: reason ?? `the ${what} service key is not accepted (${code}).` };
}

/** Makes a call that costs nothing with each key that can be checked; the Pay Now key can be checked by a payment only. */
async function connect(call: GatewayCall): Promise<Connection> {
  const ofDebits = keyRefusal(await listText(call), "debit order");
  if (ofDebits) return ofDebits;
  const args = [
    ["ServiceKey", call.credentials["accountKey"] ?? ""],
    ["FromActionDate", calendarDay(call.now).replaceAll("-", "")],
  ] as const;
  const asked = await callText(call, { method: "RequestMerchantStatement", args, repeatable: true });
  return keyRefusal(asked, "account") ?? { kind: "connected", credentials: {} };
}

const key = (name: string, label: string, required: boolean) =>
  ({
    name,
    label,
    where: "Account profile, NetConnector: each service shows its own key.",
    secret: true,
    required,
    pattern: "[\\x21-\\x7e]{1,100}",
    hint: "the service key that Netcash shows for this service, such as 8d3c2f1e-0a4b-4c5d-9e6f-7a8b9c0d1e2f.",
  }) as const;

/** Debit orders, e-mandates, Pay Now and card debits. */
export const netcash: GatewayAdapter = {
  type: "netcash",
  name: "Netcash",
  credentialFields: [
    key("debitOrderKey", "Debit order service key", true),
    key("accountKey", "Account service key", true),
    key("payNowKey", "Pay Now service key", true),
    key("vaultKey", "PCI vault service key", false),
    key("riskKey", "Risk reports service key", false),
    {
      name: "cardDebits",
      label: "Card debits",
      secret: false,
      required: false,
      choices: ["on", "off"],
      where: "Not shown: ask Netcash whether card debits are part of the debit order service.",
      hint: "on when Netcash has switched on card debits for the debit order service.",
      fallback: () => "off",
      enables: { capabilities: ["chargeStoredCard"], when: "on" },
    },
    {
      name: "waitForStatement",
      label: "Wait for the statement",
      secret: false,
      required: false,
      choices: ["off", "on"],
      where: "Yours to choose: Netcash's messages do not say whose account was paid.",
      hint:
        "on when a Pay Now payment is complete only once the account's statement names it, mostly the next " +
        "morning. No card is saved then.",
      fallback: () => "off",
      enables: { capabilities: ["saveCard"], when: "off" },
    },
  ],
  currencies: ["ZAR"],
  simulated: false,
  facts: {
    fees:
      "An amount for each debit, each unpaid debit and each e-mandate, a monthly fee, and for Pay Now a share " +
      "of the payment; same-day debits cost more.",
    feesReported: false,
    limits: [
      "Results of debits come on daily statements: one to three business days after the action date.",
      "Limits for each debit and each day are the account's own.",
      "A batch has at most 10 000 debits.",
      "Refunds are made in Netcash's own pages.",
      "Saved cards are charged with card debits switched on, Visa and Mastercard only.",
    ],
  },
  payerDomains: ["netcash.co.za"],
  checkout: {
    needsPayerEmail: false,
    minimumAmounts: {},
    savesCards: true,
    returnsToAccount: true,
    start: async (request, call) => ({
      kind: "form",
      action: payNowUrl(call),
      fields: formFields(request, call),
      checkoutRef: null,
    }),
    query: queryPayment,
  },
  notifications,
  storedCards,
  debitOrders,
  eMandates: { shortLinks: true, create: createMandate, query: askAboutMandate },
  bankAccountCheck: checkBankAccount,
  statement,
  connect: (_, call) => connect(call),
};

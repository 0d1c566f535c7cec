import assert from "node:assert/strict";
import { test } from "node:test";
import { toDecimalText } from "../../kernel/money.ts";
import type { BusinessDay } from "../../kernel/time.ts";
import { accountCapabilities, capabilitiesOf } from "../capabilities.ts";
import type { DebitBatchState, GatewayAdapter } from "../contract.ts";
import type { GatewayFact, PaymentFact } from "../facts.ts";
import { GatewayUnclear } from "../http.ts";
import {
  amountFromText,
  answer,
  BARE_CHECKOUT,
  callWith,
  PLAIN,
  REQUEST,
  received,
  SILENT,
  standIn,
  take,
} from "./testing.ts";

// An unsigned postback that only a query proves, debits in batches that staff may have to release, results on a daily statement, and
// abilities that hang on which keys an account has.

const CREDENTIALS = { debitKey: "d-key", payNowKey: "p-key", cardDebits: "on" };

/** Soft codes may be tried again on the next mandated day; all others stop the debtor. */
const SOFT = ["02", "22"];

function traceFact(told: Record<string, string>): PaymentFact | null {
  const amount = amountFromText(told["Amount"] ?? "");
  const { RequestTrace: providerRef = "", Reference: reference = null, Reason: gatewayWord = "" } = told;
  const news = { ...SILENT, gatewayWord, reference, providerRef, currency: "ZAR" };
  if (told["TransactionAccepted"] === "true")
    return amount === null ? null : { ...news, kind: "paid", dedupeKey: `${providerRef}:paid`, amount, fee: null };
  if (/cancel/i.test(gatewayWord)) return { ...news, kind: "abandoned", dedupeKey: `${providerRef}:abandoned`, amount };
  const declined = { kind: "declined", reason: gatewayWord, hard: false, reverses: true } as const;
  return { ...news, ...declined, dedupeKey: `${providerRef}:declined`, amount };
}

/** One line of the statement: date, type, id, description, amount, sign, VAT, our reference. */
function lineFacts(line: string): GatewayFact[] {
  const [, type = "", id = "", description = "", text = "", , , reference = ""] = line.split("\t");
  const amount = amountFromText(text);
  const known = { dedupeKey: id, occurredAt: null, gatewayWord: type, reference, providerRef: id };
  if (amount === null) return [];
  if (/^[ST]D[DC]$/.test(type)) return [{ ...SILENT, ...known, kind: "paid", amount, currency: "ZAR", fee: null }];
  if (!/^D[RC]U$/.test(type)) return [];
  const code = /Code: ?(\d\d)/.exec(description)?.[1] ?? null;
  return [{ ...known, about: "reversal", amount, code, reason: description, hard: !SOFT.includes(code ?? "") }];
}

const netcash: GatewayAdapter = {
  ...PLAIN,
  type: "netcash",
  name: "Netcash",
  credentialFields: [
    { name: "debitKey", label: "Debit order key", secret: true, required: true },
    {
      name: "payNowKey",
      label: "Pay Now key",
      secret: true,
      required: false,
      enables: { capabilities: ["onceOff", "saveCard"] },
    },
    {
      name: "cardDebits",
      label: "Card debits",
      secret: false,
      required: false,
      choices: ["on", "off"],
      enables: { capabilities: ["chargeStoredCard"], when: "on" },
    },
  ],
  checkout: {
    ...BARE_CHECKOUT,
    savesCards: true,
    async start({ reference, amount, description, saveCard }, { credentials, baseUrl }) {
      const fields: [string, string][] = [
        ["m1", credentials["payNowKey"] ?? ""],
        ["p2", reference],
        ["p3", description.slice(0, 50)],
        ["p4", toDecimalText(amount)],
        ...(saveCard ? [["m14", "1"] satisfies [string, string]] : []),
      ];
      const action = `${baseUrl}/site/paynow.aspx`;
      return { kind: "form", action, fields, checkoutRef: null, subscriptionKey: null };
    },
    query: async () => null,
  },
  notifications: {
    urlIsSet: "by hand",
    read(raw) {
      const trace = new URLSearchParams(Buffer.from(raw.rawBody).toString()).get("RequestTrace");
      return trace ? { kind: "confirm", claim: trace } : { kind: "refused", reason: "No trace to ask about." };
    },
    async confirm(trace, { http, baseUrl }) {
      const url = `${baseUrl}/PayNow/TransactionStatus/Check?RequestTrace=${encodeURIComponent(trace)}`;
      const { status, body } = await http({ method: "GET", url });
      if (status >= 500) throw new GatewayUnclear("no status");
      const fact = status === 200 ? traceFact(JSON.parse(body)) : null;
      return fact ? { kind: "verified", facts: [fact] } : { kind: "refused", reason: "No such payment." };
    },
  },
  storedCards: {
    brands: ["visa", "mastercard"],
    async charge({ reference, amount }, { http, baseUrl }) {
      const { body } = await http({
        method: "POST",
        url: `${baseUrl}/NIWS/NIWS_NIF.svc`,
        body: `T\t${reference}\t${amount}`,
      });
      const known = { ...SILENT, dedupeKey: `${reference}:uploaded`, gatewayWord: body, reference, providerRef: body };
      return { ...known, kind: "pending", amount, currency: "ZAR" };
    },
    query: async () => null,
  },
  debitOrders: {
    async submit({ lines }, { http, baseUrl, credentials }): Promise<DebitBatchState> {
      const rows = lines.map(
        ({ accountReference, amount, reference }) => `T\t${accountReference}\t${amount}\t${reference}`,
      );
      const total = lines.reduce((sum, { amount }) => sum + amount, 0);
      const file = [`H\t${credentials["debitKey"]}`, ...rows, `F\t${lines.length}\t${total}\t9999`].join("\n");
      const { body } = await http({ method: "POST", url: `${baseUrl}/NIWS/NIWS_NIF.svc`, body: file });
      if (/^\d{3}$/.test(body)) return { kind: "refused", reason: `Code ${body}.` };
      return { kind: "processing", batchRef: body, rejected: [] };
    },
    async query({ batchRef }, { http, baseUrl }) {
      if (batchRef === null) throw new GatewayUnclear("batches are looked up by name");
      const { body } = await http({ method: "GET", url: `${baseUrl}/report` });
      if (body === "FILE NOT READY") return { kind: "processing", batchRef, rejected: [] };
      const [, , status] = body.split("\n")[0]?.split("\t") ?? [];
      const rejected = [...body.matchAll(/^Acc Ref :(\w+)\t[^\t]*\t([^\t\n]*)/gm)];
      if (status === "UNSUCCESSFUL") return { kind: "refused", reason: "The file was rejected." };
      const lines = rejected.map(([, reference = "", reason = ""]) => ({ reference, reason }));
      return { kind: "held", batchRef, reason: "Release it at the gateway.", rejected: lines };
    },
  },
  async statement({ ticket }, { http, baseUrl }) {
    if (ticket === null)
      return { kind: "wait", ticket: (await http({ method: "POST", url: `${baseUrl}/request` })).body };
    const { body } = await http({ method: "GET", url: `${baseUrl}/statement/${ticket}` });
    if (body === "FILE NOT READY") return { kind: "wait", ticket };
    return { kind: "ready", facts: body.split(/\r?\n/).flatMap(lineFacts) };
  },
};

test("what an account can do hangs on its keys", () => {
  const all = ["onceOff", "saveCard", "chargeStoredCard", "debitOrders"];
  assert.deepEqual(capabilitiesOf(netcash), all);
  assert.deepEqual(accountCapabilities(netcash, CREDENTIALS), all);
  assert.deepEqual(accountCapabilities(netcash, { debitKey: "d", cardDebits: "off" }), ["debitOrders"]);
});

const POSTBACK = { TransactionAccepted: "true", Amount: "1999.00", Reference: REQUEST.reference, RequestTrace: "tr-1" };
const TRUTHS: [string, Record<string, string>, object][] = [
  ["paid", { ...POSTBACK, Amount: "19.99" }, { kind: "paid", amount: 1999, providerRef: "tr-1" }],
  [
    "declined after all",
    { ...POSTBACK, TransactionAccepted: "false", Reason: "Unpaid" },
    { kind: "declined", reverses: true },
  ],
  ["cancelled", { ...POSTBACK, TransactionAccepted: "false", Reason: "Cancelled by user" }, { kind: "abandoned" }],
];
for (const [what, truth, fact] of TRUTHS)
  test(`a postback proves nothing; the query says ${what}`, async () => {
    const { http } = standIn({ "GET /PayNow/TransactionStatus/Check": () => answer(truth) });
    assert.partialDeepStrictEqual(await take(netcash, received(POSTBACK), callWith(CREDENTIALS, http)), [fact]);
  });

test("a forged postback is refused by the query, uses up no key, and an outage decides nothing", async () => {
  const asking = (status: number) => standIn({ "GET /PayNow/TransactionStatus/Check": () => answer("", status) }).http;
  const forged = await take(netcash, received(POSTBACK), callWith(CREDENTIALS, asking(404)));
  assert.deepEqual(forged, { kind: "refused", reason: "No such payment." });
  await assert.rejects(take(netcash, received(POSTBACK), callWith(CREDENTIALS, asking(503))), GatewayUnclear);
  assert.partialDeepStrictEqual(await take(netcash, received("x=1"), callWith(CREDENTIALS)), { kind: "refused" });
});

test("the payer posts an unsigned form with exact cents", async () => {
  const started = await netcash.checkout?.start({ ...REQUEST, saveCard: true }, callWith(CREDENTIALS));
  assert.ok(started?.kind === "form");
  assert.partialDeepStrictEqual(Object.fromEntries(started.fields), { p2: REQUEST.reference, p4: "19.99", m14: "1" });
});

const BATCH = {
  reference: "batch_1",
  actionDate: "2026-11-25" as BusinessDay,
  lines: [
    {
      reference: "DO0123456789-20261125",
      accountReference: "DO0123456789",
      amount: REQUEST.amount,
      description: "Fees",
      bank: { holder: "T", number: "0123", branchCode: "250655", type: "current" },
    },
  ],
  notifyUrl: REQUEST.notifyUrl,
} as const;

test("a batch is uploaded, loads, loses a line and waits for staff; a line's result is on the statement", async () => {
  const reports = [
    "FILE NOT READY",
    "###BEGIN\tb\tSUCCESSFUL WITH ERRORS\t10:00\nAcc Ref :DO1\tLine :2\tBad branch\n###END",
  ];
  const lines = [
    "2026-11-25\tTDD\t501\tDebit\t19.99\t+\t0\tDO0123456789-20261125",
    "2026-11-27\tDRU\t502\tUnpaid - Code: 02\t19.99\t-\t0\tDO0123456789-20261125",
    "2026-11-27\tDCU\t503\tUnpaid -Code:12\t5.00\t-\t0\tDO1",
    "2026-11-27\tVAT\t504\tFees\t1.00\t-\t0\t",
  ];
  const { http, seen } = standIn({
    "POST /NIWS/NIWS_NIF.svc": () => answer("20000000.1.2"),
    "GET /report": () => answer(reports.shift() ?? ""),
    "POST /request": () => answer("poll-1"),
    "GET /statement/poll-1": () => answer(lines.join("\r\n")),
  });
  const call = callWith(CREDENTIALS, http);
  const batchRef = "20000000.1.2";
  assert.deepEqual(await netcash.debitOrders?.submit(BATCH, call), { kind: "processing", batchRef, rejected: [] });
  assert.match(seen[0]?.body ?? "", /\nF\t1\t1999\t9999$/);
  const asked = { reference: "batch_1", batchRef };
  assert.partialDeepStrictEqual(await netcash.debitOrders?.query(asked, call), { kind: "processing" });
  const held = { kind: "held", rejected: [{ reference: "DO1", reason: "Bad branch" }] };
  assert.partialDeepStrictEqual(await netcash.debitOrders?.query(asked, call), held);

  const day = "2026-11-27" as BusinessDay;
  assert.deepEqual(await netcash.statement?.({ day, ticket: null }, call), { kind: "wait", ticket: "poll-1" });
  assert.partialDeepStrictEqual(await netcash.statement?.({ day, ticket: "poll-1" }, call), {
    kind: "ready",
    facts: [
      { about: "payment", kind: "paid", amount: 1999, dedupeKey: "501" },
      { about: "reversal", amount: 1999, code: "02", hard: false },
      { about: "reversal", amount: 500, code: "12", hard: true },
    ],
  });
});

test("a card charge goes out at once and stays pending for days", async () => {
  const { http } = standIn({ "POST /NIWS/NIWS_NIF.svc": () => answer("20000000.9") });
  const card = { token: "vault", brand: "visa", last4: "4242" } as const;
  const fact = await netcash.storedCards?.charge({ ...REQUEST, card }, callWith(CREDENTIALS, http));
  assert.partialDeepStrictEqual(fact, { kind: "pending", providerRef: "20000000.9", reference: REQUEST.reference });
});

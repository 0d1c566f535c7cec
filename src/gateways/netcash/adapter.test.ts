import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { standIn as protocol } from "../../../test/gateways/netcash/stand-in.ts";
import { openStandIn, type StandIn } from "../../../test/gateways/stand-in.ts";
import { call as callOf, KEYS, NOW } from "../../../test/support/gateways/netcash.ts";
import { addBusinessDays } from "../../kernel/business-days.ts";
import { cents } from "../../kernel/money.ts";
import { type CalendarDay, calendarDay, instant } from "../../kernel/time.ts";
import type { DebitBatchState, DebitLine, EMandateRequest, GatewayCall } from "../contract.ts";
import { GatewayUnclear, gatewayHttp } from "../http.ts";
import { netcash } from "./adapter.ts";

let standIn: StandIn;
before(async () => {
  standIn = await openStandIn(protocol);
  standIn.setNow(NOW);
});
after(() => standIn.close());
let serial = 0;
beforeEach(() => void serial++);

const { debitOrders, storedCards, eMandates, bankAccountCheck, statement, checkout, connect } = netcash;
const call = (changes: Partial<GatewayCall> = {}) => callOf(gatewayHttp, { baseUrl: standIn.url, ...changes });
const ACTION_DATE = addBusinessDays(calendarDay(NOW), 3);
const day = (date: CalendarDay) => date.replaceAll("-", "");

const debit = (n: number, changes: Partial<DebitLine> = {}): DebitLine => ({
  reference: `DO${String(serial).padStart(4, "0")}${String(n).padStart(6, "0")}-${day(ACTION_DATE)}`,
  accountReference: `DO${String(serial).padStart(4, "0")}${String(n).padStart(6, "0")}`,
  amount: cents(29_900 + n),
  description: "Membership",
  bank: { holder: "T Nkosi", number: "62123456700", branchCode: "250655", type: "current" },
  ...changes,
});
const batch = (lines: readonly DebitLine[]) => ({
  reference: `dbat_${serial}`,
  actionDate: ACTION_DATE,
  notifyUrl: "http://localhost:8080/x",
  lines,
});
const submit = async (lines: readonly DebitLine[], changes: Partial<GatewayCall> = {}) =>
  debitOrders?.submit(batch(lines), call(changes)) ?? assert.fail();
const query = async (lines: readonly DebitLine[], batchRef: string | null) =>
  (await debitOrders?.query({ reference: `dbat_${serial}`, lines, batchRef }, call())) ?? assert.fail();
const refOf = (state: DebitBatchState) => (state.kind === "refused" ? assert.fail(state.reason) : state.batchRef);
const uploads = () => standIn.requests.filter(({ text }) => text.includes(`dbat_${serial}\t`)).length;

test("a batch is uploaded, looked at later, authorised once, and its debits are found in the gateway's books", async () => {
  const lines = [debit(1), debit(2)];
  const sent = await submit(lines);
  assert.partialDeepStrictEqual(sent, { kind: "processing", rejected: [] });
  const taken = await query(lines, refOf(sent));
  assert.deepEqual(taken, { kind: "submitted", batchRef: refOf(sent), rejected: [] });
  assert.equal((await query(lines, refOf(sent))).kind, "submitted");
  assert.equal(uploads(), 1);
  assert.equal(standIn.requests.filter(({ text }) => text.includes("<RequestBatchAuthorise")).length, 1);
  const booked = standIn.payments().filter(({ reference }) => lines.some((line) => line.reference === reference));
  assert.deepEqual(
    booked.map(({ amount }) => amount),
    [29_901, 29_902],
  );
});

test("lines that Netcash does not take are rejected by their references, the others are submitted", async () => {
  const wrong = debit(2, { bank: { ...debit(2).bank, number: "12" } });
  const lines = [debit(1), wrong, debit(3)];
  const state = await query(lines, refOf(await submit(lines)));
  assert.ok(state.kind === "submitted");
  assert.deepEqual(state.rejected, [
    {
      reference: wrong.reference,
      reason:
        "Account details could not be validated. Please check the fields Bank account type, Branch code and Account number.",
    },
  ]);
});

test("several debits of one mandate have account references of their own", async () => {
  const second = { ...debit(1), reference: `${debit(1).reference}-2` };
  const lines = [debit(1), second];
  assert.partialDeepStrictEqual(await query(lines, refOf(await submit(lines))), { kind: "submitted", rejected: [] });
});

test("a batch of which no line is taken is refused", async () => {
  const lines = [debit(1, { bank: { ...debit(1).bank, branchCode: "1" } })];
  const state = await query(lines, refOf(await submit(lines)));
  assert.match(state.kind === "refused" ? state.reason : "", /^Line 3: Account details/);
});

test("wrong keys are refused, at once and when the account is saved", async () => {
  const credentials = { ...KEYS, debitOrderKey: "another" };
  assert.equal((await submit([debit(1)], { credentials })).kind, "refused");
  const asked = { notifyUrl: "http://localhost:8080/x" };
  assert.equal((await connect?.(asked, call({ credentials })))?.kind, "refused");
  assert.equal((await connect?.(asked, call({ credentials: { ...KEYS, accountKey: "another" } })))?.kind, "refused");
  assert.equal((await connect?.(asked, call()))?.kind, "connected");
});

const FAULTS = ["silence", "error", "half", "html", "redirect", "huge", "garbled"] as const;
for (const kind of FAULTS) {
  test(`an upload that is answered by ${kind} is unclear; the batch is found by its name`, async () => {
    standIn.failAnswers({ kind, done: true });
    await assert.rejects(submit([debit(1)]), GatewayUnclear);
    assert.equal((await query([debit(1)], null)).kind, "submitted");
    assert.equal(uploads(), 1);
  });
  // Half an answer is one to a request that took effect.
  if (kind !== "half")
    test(`an upload that did not happen, answered by ${kind}, stays unclear: it is never said that it may be sent again`, async () => {
      standIn.failAnswers({ kind });
      await assert.rejects(submit([debit(1)]), GatewayUnclear);
      await assert.rejects(query([debit(1)], null), GatewayUnclear);
    });
}

test("an unclear load report leaves the batch that was uploaded as it is", async () => {
  standIn.failAnswers({ kind: "late", delayMs: 0 });
  standIn.failAnswers({ kind: "error" });
  const sent = await submit([debit(1)]);
  assert.equal(sent.kind, "processing");
});

// The answer to the request to authorise a batch, and what staff are told; null: it is asked again.
for (const [code, why] of [
  ["202", null],
  ["316", /compliance documents/],
  ["318", /limit for one debit/],
  ["319", /limit for a day/],
  ["320", /limit for a batch/],
  ["321", /in this way/],
  ["322", /automatic authorisation/],
  ["323", /not enough money/],
] as const)
  test(`a batch that is authorised with the answer ${code} ${why ? "waits for staff" : "is asked about again"}`, async () => {
    const sent = await submit([debit(1)]);
    const http: GatewayCall["http"] = async (request) => {
      const answer = await gatewayHttp(request);
      const isAuthorisation = request.headers?.["soapaction"]?.endsWith("/RequestBatchAuthorise");
      return isAuthorisation ? { ...answer, body: answer.body.replace(/(Result>)[^<]*/, `$1${code}`) } : answer;
    };
    const asked = { reference: `dbat_${serial}`, lines: [debit(1)], batchRef: refOf(sent) };
    const state = (await debitOrders?.query(asked, call({ http }))) ?? assert.fail();
    if (!why) return assert.equal(state.kind, "processing");
    assert.match(state.kind === "held" ? state.reason : "", why);
    assert.match(state.kind === "held" ? state.reason : "", new RegExp(`\\(${code}\\)`));
  });

test("a file is made while it is sent", async () => {
  let [made, ended] = [0, 0];
  async function* many() {
    for (let n = 0; n < 20_000; n++) {
      made = n;
      yield debit(n);
    }
    ended = made;
  }
  const lines = { [Symbol.asyncIterator]: many };
  const sent = await debitOrders?.submit({ ...batch([]), lines }, call());
  assert.equal(sent?.kind, "processing");
  assert.equal(ended, 19_999);
});

// South African time, and the first action date.
const TIMES: [string, string][] = [
  ["2027-03-01T08:29:59Z", "2027-03-01"],
  ["2027-03-01T08:30:00Z", "2027-03-02"],
  ["2027-03-05T10:00:00Z", "2027-03-08"],
  ["2027-03-06T05:00:00Z", "2027-03-08"],
  ["2027-03-25T12:00:00Z", "2027-03-30"],
];
for (const [at, expected] of TIMES)
  test(`at ${at} the first action date is ${expected}`, () =>
    assert.equal(debitOrders?.earliest?.(instant(at)), expected));

for (const [ahead, instruction] of [
  [0, "Sameday"],
  [2, "Sameday"],
  [3, "TwoDay"],
  [9, "TwoDay"],
] as const)
  test(`${ahead} business days ahead: ${instruction}`, async () => {
    await debitOrders?.submit({ ...batch([debit(1)]), actionDate: addBusinessDays(calendarDay(NOW), ahead) }, call());
    assert.ok(standIn.requests.some(({ text }) => text.includes(`\t${instruction}\tdbat_${serial}\t`)));
  });

const TOKEN = JSON.stringify({
  token: "2f6a7c1e-0b3d-4e5f-8a9b-0c1d2e3f4a5b",
  masked: "424242******4242",
  holder: "T Nkosi",
  month: 8,
  year: 2031,
});
const charge = (changes: object = {}) => ({
  reference: `TEFOC-abcdef${String(serial).padStart(10, "0")}-12`,
  card: { token: TOKEN, brand: "visa" as const, last4: "4242" },
  amount: cents(1999),
  currency: "ZAR",
  description: "Membership",
  payer: { email: null, firstName: "Thandi", lastName: "Nkosi", phone: null },
  notifyUrl: "http://localhost:8080/x",
  ...changes,
});
const identity = (providerRef: string | null) => ({ ...charge(), checkoutRef: null, providerRef, startedAt: NOW });

test("a saved card is charged by a file with one debit, and stays pending until the statement", async () => {
  const first = await storedCards?.charge(charge(), call());
  assert.partialDeepStrictEqual(first, { kind: "pending", reference: charge().reference });
  const again = await storedCards?.query(identity(first?.providerRef ?? null), call());
  assert.partialDeepStrictEqual(again, { kind: "pending", providerRef: first?.providerRef });
  await standIn.acts.endsDebit?.(charge().reference, "paid");
});
for (const [outcome, hard] of [
  ["declined", false],
  ["hard", true],
] as const)
  test(`a card that the load report does not take (${outcome}) fails at once`, async () => {
    standIn.acts.nextCharges?.(outcome);
    const first = await storedCards?.charge(charge(), call());
    assert.partialDeepStrictEqual(await storedCards?.query(identity(first?.providerRef ?? null), call()), {
      kind: "declined",
      hard,
    });
  });
test("a charge whose upload had no clear answer is found by its name, or stays unclear", async () => {
  standIn.failAnswers({ kind: "silence", done: true });
  await assert.rejects(async () => storedCards?.charge(charge(), call()), GatewayUnclear);
  assert.partialDeepStrictEqual(await storedCards?.query(identity(null), call()), { kind: "pending" });
  serial++;
  standIn.failAnswers({ kind: "silence" });
  await assert.rejects(async () => storedCards?.charge(charge(), call()), GatewayUnclear);
  await assert.rejects(async () => storedCards?.query(identity(null), call()), GatewayUnclear);
});
test("a card of which too little is known is not charged", async () => {
  const card = { token: TOKEN.replace("2031", "null"), brand: "visa", last4: "4242" };
  assert.partialDeepStrictEqual(await storedCards?.charge(charge({ card }), call()), { kind: "declined", hard: true });
});

const mandate = (changes: Partial<EMandateRequest> = {}): EMandateRequest => ({
  accountReference: `DO${String(serial).padStart(10, "0")}`,
  amount: cents(25_050),
  amountVaries: false,
  frequency: "monthly",
  debitDay: 31,
  startDate: "2027-03-05" as CalendarDay,
  description: 'Fees & "more" 😀',
  payer: { email: "t@example.co.za", firstName: "Thandi", lastName: "N'kosi & Søn", phone: "0821234567" },
  idNumber: "8001015009087",
  bank: { holder: "T Nkosi", number: "62123456700", branchCode: "250655", type: "current" },
  notifyUrl: "http://localhost:8080/x",
  ...changes,
});
test("an e-mandate is made, signed and found by asking", async () => {
  const made = await eMandates?.create(mandate(), call());
  assert.equal(made?.kind, "created");
  const { accountReference } = mandate();
  assert.equal((await eMandates?.query(accountReference, call()))?.kind, "waiting");
  await standIn.acts.decidesMandate?.(accountReference, "accepted");
  assert.equal((await eMandates?.query(accountReference, call()))?.kind, "accepted");
  await standIn.acts.decidesMandate?.(accountReference, "rejected");
  assert.partialDeepStrictEqual(await eMandates?.query(accountReference, call()), {
    kind: "rejected",
    reason: "The account holder declined the mandate.",
  });
  assert.equal(await eMandates?.query("DO9999999999", call()), null);
});
for (const [frequency, debitDay, startDate, month] of [
  ["monthly", 5, "2027-03-05", "3"],
  ["quarterly", 4, "2027-03-05", "4"],
  ["annually", 1, "2027-12-05", "1"],
] as const)
  test(`an e-mandate from ${startDate} on the ${debitDay}th begins in month ${month}`, async () => {
    await eMandates?.create(
      mandate({
        frequency,
        debitDay,
        startDate: startDate as CalendarDay,
        idNumber: null,
        payer: { ...mandate().payer, phone: null, firstName: null, lastName: null },
      }),
      call(),
    );
    assert.match(
      standIn.requests.at(-1)?.text ?? "",
      new RegExp(`<CommencementMonth>${month}</CommencementMonth><CommencementDay>${debitDay}</`),
    );
  });
test("an e-mandate that Netcash refuses says why", async () => {
  const refused = await eMandates?.create(mandate({ bank: { ...mandate().bank, number: "62123456709" } }), call());
  assert.deepEqual(refused, { kind: "refused", reason: "The bank account is not valid" });
});

test("a bank account is checked by its form", async () => {
  const bank = mandate().bank;
  assert.deepEqual(await bankAccountCheck?.(bank, call()), { warnings: [] });
  assert.equal((await bankAccountCheck?.({ ...bank, number: "62123456705" }, call()))?.warnings.length, 1);
  await assert.rejects(
    async () => bankAccountCheck?.(bank, call({ credentials: { ...KEYS, riskKey: "another" } })),
    GatewayUnclear,
  );
});

test("a statement is prepared first, and read under the ticket", async () => {
  const lines = [debit(1), debit(2)];
  await query(lines, refOf(await submit(lines)));
  await standIn.acts.endsDebit?.(debit(1).reference, "paid");
  await standIn.acts.endsDebit?.(debit(2).reference, "unpaid");
  const first = await statement?.read({ day: ACTION_DATE, ticket: null }, call());
  assert.ok(first?.kind === "wait" && first.ticket);
  const read = await statement?.read({ day: ACTION_DATE, ticket: first.ticket }, call());
  const facts =
    read?.kind === "ready"
      ? read.lines.map(({ fact }) => fact).filter(({ reference }) => lines.some((line) => line.reference === reference))
      : [];
  assert.partialDeepStrictEqual(facts, [
    { kind: "paid", reference: debit(1).reference, amount: 29_901 },
    { kind: "paid", reference: debit(2).reference },
    { kind: "declined", reference: debit(2).reference, amount: 29_902, hard: false, takesBack: { code: "02" } },
  ]);
});
test("a day without a statement is read; a wrong key is refused", async () => {
  const day = "2020-01-01" as CalendarDay;
  const first = await statement?.read({ day, ticket: null }, call());
  assert.ok(first?.kind === "wait");
  assert.deepEqual(await statement?.read({ day, ticket: first.ticket }, call()), { kind: "ready", lines: [] });
  assert.equal(
    (await statement?.read({ day, ticket: null }, call({ credentials: { ...KEYS, accountKey: "x" } })))?.kind,
    "refused",
  );
});

test("a payment on Pay Now's pages begins with a form, in the order of the documentation", async () => {
  const request = {
    reference: "TEFO-20270301-9F3C01AB",
    amount: cents(29_900),
    currency: "ZAR",
    description: `Fees & ${"é😀".repeat(40)}`,
    payer: { email: "t@example.co.za", firstName: null, lastName: null, phone: "0821234567" },
    returnUrl: "http://localhost:8080/r",
    cancelUrl: "http://localhost:8080/c",
    notifyUrl: "http://localhost:8080/x",
    recurring: null,
    saveCard: true,
    startsSubscription: false,
    forCard: false,
  };
  const started = await checkout?.start(request, callOf());
  assert.deepEqual(started, {
    kind: "form",
    action: "https://paynow.netcash.co.za/site/paynow.aspx",
    checkoutRef: null,
    fields: [
      ["m1", KEYS.payNowKey],
      ["m2", "24ade73c-98cf-47b3-99be-cc7b867b3080"],
      ["p2", "TEFO-20270301-9F3C01AB"],
      ["p3", `Fees & ${"é😀".repeat(40)}`.match(/./gu)?.slice(0, 50).join("") ?? ""],
      ["p4", "299.00"],
      ["Budget", "N"],
      ["m4", "TEFO-20270301-9F3C01AB"],
      ["m9", "t@example.co.za"],
      ["m11", "0821234567"],
      ["m14", "1"],
    ],
  });
});

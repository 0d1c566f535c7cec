import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { type CardShop, MASTERCARD } from "../support/cards.ts";
import { type CollectingShop, openCollectingShop, type ShownCollected } from "../support/collected-subscriptions.ts";
import { debitReference } from "../support/debit-batches.ts";
import { openDebitedShop, UNPAID_ACCOUNT } from "../support/debited-subscriptions.ts";
import { mailsOf } from "../support/mails.ts";
import { addActiveMandate, openMandateShop, type Shown } from "../support/mandates.ts";
import { CLICKATELL, type MessagingStandIn, openMessagingStandIn, WHATSAPP } from "../support/messaging-stand-ins.ts";
import { notify, reportedReversal } from "../support/payments.ts";
import { closeVerified } from "../support/verified.ts";

/* Messages to payers whose payment was missed, or whose debit came back, by the setting of missed payments. */

const PHONE = "+27821234567";
/** Later charges of it are declined. */
const DECLINED = "4000000000000341";

let api: TestApi;
let clickatell: MessagingStandIn;
let whatsapp: MessagingStandIn;
before(async () => {
  [clickatell, whatsapp] = await Promise.all([openMessagingStandIn(CLICKATELL), openMessagingStandIn(WHATSAPP)]);
  api = await openApi({ GATEWAY_URL_CLICKATELL: clickatell.url, GATEWAY_URL_WHATSAPP_CLOUD: whatsapp.url });
});
after(() => closeVerified(api).finally(() => Promise.all([clickatell.close(), whatsapp.close()])));

interface Message {
  readonly id: string;
  readonly kind: string;
  readonly about: string;
  readonly customerId: string;
  readonly recipient: string;
  readonly text: string;
  readonly segments: number | null;
  readonly status: string;
  readonly error: string | null;
  readonly leavesAt: string;
}

/** A time of 2027, South African. */
const at = (day: string, hour = "12:00") => `2027-${day}T${hour}:00+02:00`;

/** Connects a channel; answers the path for reports. */
async function connect({ staff }: CardShop, { channel, type, credentials } = CLICKATELL, enabled = true) {
  const answer = await staff<{ reportsUrl: string }>("PUT", `/messaging/${channel}`, {
    ...{ provider: type, credentials, enabled },
  });
  assert.equal(answer.status, 200, answer.text);
  return new URL(answer.body.reportsUrl).pathname;
}

async function setMessageBy({ staff }: CardShop, messageBy: "sms" | "whatsapp" | null) {
  const answer = await staff("PATCH", "/settings", { messages: { failedPayments: messageBy } });
  assert.equal(answer.status, 200, answer.text);
}

async function setPhone({ shop, customer }: CardShop, phone: string | null) {
  const answer = await shop.call("PATCH", `/customers/${customer}`, { body: { phone } });
  assert.equal(answer.status, 200, answer.text);
}

/** Makes messages go by SMS to the shop's customer when a payment fails. */
async function prepare<Shop extends CardShop>(shop: Shop): Promise<Shop> {
  await connect(shop);
  await setMessageBy(shop, "sms");
  await setPhone(shop, "082 123 4567");
  return shop;
}

/** The messages about failed payments, oldest first. */
const messagesOf = async ({ staff }: CardShop): Promise<Message[]> =>
  (await staff<{ data: Message[] }>("GET", "/messages?kind=payment_failed&limit=100")).body.data.toReversed();

const missedMails = ({ shop }: CardShop) => mailsOf(api.services, shop.organisation, { kind: "missed_collection" });

/** A subscription whose first charge finds no card at noon of 10 March: an attempt that failed. */
async function missOne(stage: CollectingShop): Promise<ShownCollected> {
  const made = await stage.subscribe({ paidThrough: "2027-03-10" });
  await stage.move(at("03-10"));
  const missed = await stage.now(made.id);
  assert.equal(missed.status, "past_due");
  return missed;
}

/** A subscription whose renewal a card has paid. */
async function renewed(stage: CollectingShop, card = MASTERCARD): Promise<ShownCollected> {
  const made = await stage.subscribe();
  await stage.pay(made, card);
  await stage.move(at("04-06"));
  return stage.now(made.id);
}

/** The payer's bank takes the newest payment back, at nine in the evening: its message waits for eight the next morning. */
async function takeBackAtNight(stage: CollectingShop, { id }: ShownCollected): Promise<Message> {
  await stage.move(at("04-06", "21:00"));
  const { body } = await stage.shop.get<{ data: { reference: string }[] }>(`/customer-subscriptions/${id}/payments`);
  const reference = body.data[0]?.reference ?? "";
  const [row] = await api.query<{ provider_ref: string }>(
    "select provider_ref from transactions where reference = $1",
    reference,
  );
  const reversal = reportedReversal(reference, {
    paymentId: row?.provider_ref ?? "",
    reason: "Disputed.",
    code: "4837",
  });
  const answers = await Promise.all([1, 2, 3].map(() => notify(api, stage.account, { reversal })));
  for (const { status } of answers) assert.equal(status, 200);
  const [message, ...others] = await messagesOf(stage);
  assert.ok(message);
  assert.deepEqual(others, [], "reported three times, and one message");
  assert.deepEqual([message.status, message.leavesAt], ["queued", "2027-04-07T06:00:00.000Z"]);
  return message;
}

/** The next morning, when messages leave. */
async function nextMorning(stage: CollectingShop): Promise<Message> {
  await stage.move(at("04-07", "08:01"));
  const [message] = await messagesOf(stage);
  assert.ok(message);
  return message;
}

describe("a card that is declined", () => {
  test("is told by SMS once for each failed attempt, with the page that takes the payment", async () => {
    const stage = await prepare(await openCollectingShop(api));
    const already = clickatell.taken.length;
    const made = await stage.subscribe();
    await stage.pay(made, DECLINED);
    await stage.move(at("04-30"));
    const messages = await messagesOf(stage);
    const invoice = (await stage.now(made.id)).lastInvoice;
    assert.equal(messages.length, 5);
    assert.equal((await missedMails(stage)).length, 5);
    for (const message of messages)
      assert.partialDeepStrictEqual(message, {
        about: invoice?.id,
        customerId: stage.customer,
        recipient: PHONE,
        segments: 1,
      });
    const taken = clickatell.taken.slice(already);
    assert.deepEqual(
      taken.map(({ ours }) => ours),
      messages.filter(({ status }) => status === "sent").map(({ id }) => id),
    );
    const text =
      /^TEST: .+: Payment of R\s100\.00 for invoice INV-\d+ failed\. Pay here: (http\S+\/p\/\S{15}) Reply STOP to opt out\.$/;
    const [said = ""] = messages.map((message) => message.text);
    assert.match(said, text);
    const [, url = ""] = text.exec(said) ?? [];
    const page = await fetch(new URL(new URL(url).pathname, api.baseUrl));
    assert.match(await page.text(), /INV-\d+/);
    for (const subject of [stage.customer, invoice?.id]) {
      const { body } = await stage.staff<{ data: { kind: string }[] }>("GET", `/timeline?subject=${subject}&limit=100`);
      assert.equal(body.data.filter(({ kind }) => kind === "message").length, 5);
    }
  });

  test("is told by WhatsApp where the setting says so", async () => {
    const stage = await prepare(await openCollectingShop(api));
    await connect(stage, WHATSAPP);
    await setMessageBy(stage, "whatsapp");
    await missOne(stage);
    const [message, ...others] = await messagesOf(stage);
    assert.deepEqual([message?.status, message?.segments, others], ["sent", null, []]);
    assert.match(
      whatsapp.taken.at(-1)?.text ?? "",
      /^payment_failed \| invoice INV-\d+ \| R\s100\.00 \| http\S+\/p\/\S{15}$/,
    );
  });
});

/** What keeps a message from being sent; the mail and the dunning go on. */
const NOT_SENT: readonly (readonly [string, (stage: CollectingShop) => Promise<unknown>])[] = [
  ["unless the setting asks for one", (stage) => setMessageBy(stage, null)],
  ["without a provider", ({ staff }) => staff("DELETE", "/messaging/sms")],
  ["by a provider that is switched off", (stage) => connect(stage, CLICKATELL, false)],
  [
    "by a provider that this version does not have",
    ({ shop }) =>
      api.query(
        "update message_accounts set provider = 'carrier_pigeon' where organisation_id = $1",
        shop.organisation.id,
      ),
  ],
  ["by a channel without a provider, although another has one", (stage) => setMessageBy(stage, "whatsapp")],
  ["to a customer without a number", (stage) => setPhone(stage, null)],
  ["to a number that takes no messages", (stage) => setPhone(stage, "011 123 4567")],
  [
    "to who has opted out",
    async (stage) => {
      const { headers, body } = CLICKATELL.reply(PHONE, "STOP");
      const path = await connect(stage);
      assert.equal((await fetch(new URL(path, api.baseUrl), { method: "POST", headers, body })).status, 200);
    },
  ],
];
for (const [name, change] of NOT_SENT)
  test(`no message goes ${name}, and the payer is mailed all the same`, async () => {
    const stage = await prepare(await openCollectingShop(api));
    await change(stage);
    await missOne(stage);
    assert.deepEqual(await messagesOf(stage), []);
    assert.equal((await missedMails(stage)).length, 1);
  });

describe("a payment that the bank takes back", () => {
  test("is told once, in sending hours", async () => {
    const stage = await prepare(await openCollectingShop(api));
    const message = await takeBackAtNight(stage, await renewed(stage));
    await stage.move(at("04-07", "07:59"));
    assert.equal((await messagesOf(stage))[0]?.status, "queued");
    assert.partialDeepStrictEqual(await nextMorning(stage), { id: message.id, status: "sent", error: null });
  });

  test("is not told once the invoice is paid", async () => {
    const stage = await prepare(await openCollectingShop(api));
    const already = clickatell.taken.length;
    const made = await renewed(stage);
    await takeBackAtNight(stage, made);
    await stage.pay(await stage.now(made.id), MASTERCARD);
    const message = await nextMorning(stage);
    assert.equal(message.status, "not_sent");
    assert.match(message.error ?? "", /^Invoice INV-\d+ is paid, so there is nothing to pay\.$/);
    assert.equal(clickatell.taken.length, already);
  });

  test("is not told once the invoice is cancelled", async () => {
    const stage = await prepare(await openCollectingShop(api));
    const made = await renewed(stage);
    const { about } = await takeBackAtNight(stage, made);
    assert.equal((await stage.shop.post(`/invoices/${about}/cancel`, {})).status, 200);
    assert.match((await nextMorning(stage)).error ?? "", /is cancelled/);
  });

  test("is not told while the card is charged again, since its page takes no payment then", async () => {
    const stage = await prepare(await openCollectingShop(api));
    const made = await renewed(stage);
    await takeBackAtNight(stage, made);
    const retried = await stage.shop.post(`/customer-subscriptions/${made.id}/retry`, {});
    assert.equal(retried.status, 200, retried.text);
    const message = await nextMorning(stage);
    assert.equal(message.status, "not_sent");
    assert.match(message.error ?? "", /is being collected/);
  });
});

describe("a debit that comes back unpaid", () => {
  test("of a subscription is told with the page of its invoice", async () => {
    const shop = await prepare(await openDebitedShop(api, { bank: { accountNumber: UNPAID_ACCOUNT } }));
    await shop.move(at("03-12"));
    const [message, ...others] = await messagesOf(shop);
    assert.deepEqual(others, []);
    assert.partialDeepStrictEqual(message, { about: shop.sub.lastInvoice?.id, recipient: PHONE, status: "sent" });
    assert.match(message?.text ?? "", /Payment of R\s100\.00 for invoice INV-\d+ failed\. Pay here: http\S+\/p\//);
    assert.equal((await missedMails(shop)).length, 1);
  });

  test("of a mandate's own amount is told with the link that stands for the debt, once for each debit", async () => {
    const shop = await prepare(await openMandateShop(api));
    const bad = await addActiveMandate(shop, { debitDay: 6, description: "Gym" }, { accountNumber: UNPAID_ACCOUNT });
    const back = await addActiveMandate(shop, { debitDay: 6, description: "Pool" });
    await shop.move(at("03-12"));
    const unpaid = async () => (await shop.staff<{ data: Shown[] }>("GET", "/unpaid-debits")).body.data;
    const [debit] = await unpaid();
    assert.deepEqual(
      (await messagesOf(shop)).map(({ about, recipient, status }) => [about, recipient, status]),
      [[debit?.["paymentLinkId"], PHONE, "sent"]],
    );
    assert.equal(debit?.["mandateId"], bad["id"]);
    assert.match((await messagesOf(shop))[0]?.text ?? "", /Payment of R\s350\.50 for Gym failed\. Pay here: http/);
    await shop.move(at("03-12", "21:00"));
    const reference = debitReference(back, "20270306");
    const told = { reference, status: "failed", times: 3 };
    assert.equal((await shop.staff("POST", "/sandbox/notify", told)).status, 200);
    const [, second, ...others] = await messagesOf(shop);
    assert.deepEqual([second?.status, others], ["queued", []]);
    assert.equal((await shop.staff("POST", `/payment-links/${second?.about}/deactivate`)).status, 200);
    await shop.move(at("03-13", "09:01"));
    const [, after] = await messagesOf(shop);
    assert.deepEqual(
      [after?.status, after?.error],
      ["not_sent", "The payment link is deactivated, so there is nothing to pay."],
    );
  });

  test("is not told where it may not be, and the payer is mailed all the same", async () => {
    const shop = await prepare(await openMandateShop(api));
    await setPhone(shop, null);
    await addActiveMandate(shop, { debitDay: 6 }, { accountNumber: UNPAID_ACCOUNT });
    await shop.move(at("03-12"));
    assert.deepEqual(await messagesOf(shop), []);
    const mails = await mailsOf(api.services, shop.shop.organisation, { kind: "debit_unpaid" });
    assert.equal(mails.length, 1);
  });
});

test("a reminder that waits does not leave once its invoice is paid", async () => {
  const stage = await prepare(await openCollectingShop(api));
  const { lastInvoice } = await missOne(stage);
  await stage.move(at("04-10", "21:00"));
  const asked = await stage.staff<Message>("POST", `/invoices/${lastInvoice?.id}/messages`, { channel: "sms" });
  assert.deepEqual([asked.status, asked.body.kind], [201, "reminder"], asked.text);
  const slip = { amount: lastInvoice?.amountDue, method: "cash" };
  assert.equal((await stage.shop.post(`/invoices/${lastInvoice?.id}/payments`, slip)).status, 201);
  await stage.move(at("04-12", "08:01"));
  const { body } = await stage.staff<Message>("GET", `/messages/${asked.body.id}`);
  assert.equal(body.status, "not_sent");
  assert.match(body.error ?? "", /is paid, so there is nothing to pay/);
});

test("reminders of the settings go by message too, the last of several that wait", async () => {
  const stage = await prepare(await openCollectingShop(api));
  const settings = {
    invoiceReminders: { daysBefore: [3], daysAfter: [2, 3] },
    messages: { invoiceReminders: "sms", failedPayments: null },
  };
  assert.equal((await stage.staff("PATCH", "/settings", settings)).status, 200);
  const lines = [{ description: "Course", quantity: 1, unitPrice: 100, taxRate: 0 }];
  // Good Friday.
  const dueDate = "2027-03-26";
  const { body: invoice } = await stage.shop.post<{ id: string; number: string }>("/invoices", {
    ...{ customerId: stage.customer, dueDate, send: true, lines },
  });
  const about = async () => {
    const { body } = await stage.staff<{ data: Message[] }>("GET", `/messages?customerId=${stage.customer}&limit=100`);
    return body.data
      .filter((message) => message.about === invoice.id)
      .toReversed()
      .map(({ kind, status, error }) => [kind, status, error]);
  };
  await stage.move(at("03-23", "12:00"));
  assert.deepEqual(await about(), [["reminder", "sent", null]]);
  // Those of Sunday and of Family Day leave on Tuesday morning.
  await stage.move(at("03-30", "07:00"));
  const waiting = [
    ["reminder", "sent", null],
    ["reminder", "queued", null],
    ["reminder", "queued", null],
  ];
  assert.deepEqual(await about(), waiting);
  await stage.move(at("03-30", "08:01"));
  assert.deepEqual(await about(), [
    ["reminder", "sent", null],
    ["reminder", "not_sent", "A newer message about the same debt is sent in its place."],
    ["reminder", "sent", null],
  ]);
  const mails = await mailsOf(api.services, stage.shop.organisation, { kind: "invoice_reminder" });
  assert.equal(mails.length, 3);
});

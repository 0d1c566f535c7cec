import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ApiMerchant, openApi, type Refusal, refusal, type StaffCall, type TestApi } from "../support/api.ts";
import {
  CLICKATELL,
  type MessagingStandIn,
  openMessagingStandIn,
  type Protocol,
  type Told,
  WHATSAPP,
} from "../support/messaging-stand-ins.ts";
import { closeVerified } from "../support/verified.ts";

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
  readonly recipient: string;
  readonly text: string;
  readonly segments: number | null;
  readonly status: string;
  readonly error: string | null;
  readonly leavesAt: string;
  readonly customerId: string | null;
}
interface Shop extends ApiMerchant {
  readonly staff: StaffCall;
  readonly link: string;
  readonly customer: string;
  /** Moves the clock, and runs what is due. */
  readonly move: (now: string) => Promise<void>;
  readonly read: (id: string) => Promise<Message>;
}

/** A Wednesday at noon. */
const NOON = "2031-11-26T12:00:00+02:00";

async function openShop(protocol: Protocol | null = CLICKATELL, now = NOON): Promise<Shop> {
  const merchant = await api.addMerchant();
  await merchant.addGateway();
  const staff = await merchant.signIn();
  const move = async (to: string) => {
    const moved = await staff("POST", "/test-clock", { now: to });
    assert.equal(moved.status, 200, moved.text);
  };
  await move(now);
  if (protocol) await connect(staff, protocol);
  const customer = await merchant.post("/customers", { firstName: "Thandi", phone: "082 123 4567" });
  const link = await merchant.post("/payment-links", { title: "Shoes", amount: 450, customerId: customer.body["id"] });
  return {
    ...merchant,
    staff,
    link: String(link.body["id"]),
    customer: String(customer.body["id"]),
    move,
    read: async (id) => (await staff<Message>("GET", `/messages/${id}`)).body,
  };
}

async function connect(staff: StaffCall, { channel, type, credentials }: Protocol, body: object = {}) {
  const answer = await staff<{ reportsUrl: string; verifyToken: string | null }>("PUT", `/messaging/${channel}`, {
    ...{ provider: type, credentials },
    ...body,
  });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

async function send({ staff, link }: Shop, body: object = { channel: "sms" }): Promise<Message> {
  const answer = await staff<Message>("POST", `/payment-links/${link}/messages`, body);
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

const tell = async (url: string, { headers, body }: Told): Promise<number> =>
  (await fetch(new URL(new URL(url).pathname, api.baseUrl), { method: "POST", headers, body })).status;

/** A minute later. */
const SOON = "2031-11-26T12:01:00+02:00";

describe("a payment link by SMS", () => {
  test("goes to the customer's number, once, and is listed and told on the customer's timeline", async () => {
    const shop = await openShop();
    const already = clickatell.taken.length;
    const message = await send(shop);
    assert.deepEqual(
      [message.recipient, message.status, message.segments, message.customerId],
      ["+27821234567", "queued", 1, shop.customer],
    );
    assert.match(
      message.text,
      /^TEST: .+: Please pay R\s?450\.00 for Shoes: http\S+\/p\/\S{15} Reply STOP to opt out\.$/,
    );
    await shop.move(SOON);
    assert.equal((await shop.read(message.id)).status, "sent");
    const taken = clickatell.taken.slice(already);
    assert.deepEqual(
      taken.map(({ ours, to, text }) => [ours, to, text]),
      [[message.id, "+27821234567", message.text]],
    );
    const list = await shop.staff<{ data: Message[] }>("GET", `/messages?customerId=${shop.customer}`);
    assert.deepEqual(
      list.body.data.map(({ id }) => id),
      [message.id],
    );
    for (const subject of [shop.customer, shop.link]) {
      const { body } = await shop.staff<{ data: { kind: string; id: string }[] }>(
        "GET",
        `/timeline?subject=${subject}`,
      );
      assert.equal(body.data.filter(({ kind, id }) => kind === "message" && id === message.id).length, 1, subject);
    }
  });

  test("is shown before it is sent, and nothing is sent by that", async () => {
    const shop = await openShop();
    const path = `/payment-links/${shop.link}/message-preview?channel=sms`;
    const shown = await shop.staff<Message & { fault: string | null }>("GET", path);
    const message = await send(shop);
    assert.deepEqual([shown.body.text, shown.body.segments, shown.body.fault], [message.text, 1, null]);
    const other = await shop.staff<{ fault: string }>("GET", `${path}&phone=011+123+4567`);
    assert.match(other.body.fault, /no number that messages can be sent to/);
    const { body } = await shop.staff<{ data: unknown[] }>("GET", "/messages");
    assert.equal(body.data.length, 1);
  });

  test("is refused without a provider, without a number, for a closed link, and to who may not send it", async () => {
    const unconnected = await openShop(null);
    const path = `/payment-links/${unconnected.link}/messages`;
    assert.deepEqual(refusal(await unconnected.staff<Refusal>("POST", path, { channel: "sms" })), [
      409,
      "invalid_state",
    ]);
    const shop = await openShop();
    const own = `/payment-links/${shop.link}/messages`;
    const landline = await shop.staff<Refusal>("POST", own, { channel: "sms", phone: "011 123 4567" });
    assert.deepEqual([...refusal(landline), landline.body.issues?.[0]?.path], [400, "invalid_request", ["phone"]]);
    const viewer = await shop.signIn("viewer");
    assert.equal((await viewer("POST", own, { channel: "sms" })).status, 403);
    assert.equal((await unconnected.staff("POST", own, { channel: "sms" })).status, 404, "another organisation's");
    await shop.staff("POST", `/payment-links/${shop.link}/deactivate`);
    assert.deepEqual(refusal(await shop.staff<Refusal>("POST", own, { channel: "sms" })), [409, "invalid_state"]);
  });

  test("waits at night for the hours of the next day, by the organisation's clock", async () => {
    const shop = await openShop(CLICKATELL, "2031-11-28T21:00:00+02:00");
    const already = clickatell.taken.length;
    const message = await send(shop);
    assert.equal(message.leavesAt, "2031-11-29T07:00:00.000Z");
    await shop.move("2031-11-29T08:59:00+02:00");
    assert.equal((await shop.read(message.id)).status, "queued");
    assert.equal(clickatell.taken.length, already);
    await shop.move("2031-11-29T09:00:00+02:00");
    assert.equal((await shop.read(message.id)).status, "sent");
  });

  test("fails with the provider's reason, and waits for nothing then", async () => {
    const shop = await openShop();
    clickatell.fail("bad number");
    const message = await send(shop);
    await shop.move(SOON);
    clickatell.fail(null);
    const failed = await shop.read(message.id);
    assert.equal(failed.status, "failed");
    assert.match(failed.error ?? "", /Invalid recipient address/);
    await connect(shop.staff, CLICKATELL, { credentials: CLICKATELL.wrong });
    const refused = await send(shop);
    await shop.move("2031-11-26T12:02:00+02:00");
    assert.match((await shop.read(refused.id)).error ?? "", /refused the credentials/);
  });

  test("that was perhaps taken is not sent again, and its report tells", async () => {
    const shop = await openShop();
    const { reportsUrl } = await connect(shop.staff, CLICKATELL, { credentials: {} });
    const requests = clickatell.requests();
    clickatell.fail("silent");
    const message = await send(shop);
    await shop.move(SOON);
    clickatell.fail(null);
    await shop.move("2031-11-26T14:00:00+02:00");
    const unknown = await shop.read(message.id);
    assert.equal(unknown.status, "unknown");
    assert.match(unknown.error ?? "", /may have been sent/);
    assert.equal(clickatell.requests(), requests + 1);
    const taken = clickatell.taken.at(-1);
    assert.ok(taken);
    assert.equal(await tell(reportsUrl, CLICKATELL.status(taken, "delivered")), 200);
    const { status, error } = await shop.read(message.id);
    assert.deepEqual([status, error], ["delivered", null]);
  });
});

describe("reports of deliveries", () => {
  test("move a message forward only, however often and in whatever order they come", async () => {
    const shop = await openShop();
    const { reportsUrl } = await connect(shop.staff, CLICKATELL, { credentials: {} });
    const message = await send(shop);
    await shop.move(SOON);
    const taken = clickatell.taken.at(-1);
    assert.ok(taken);
    for (const status of ["delivered", "sent", "delivered", "failed"] as const) {
      assert.equal(await tell(reportsUrl, CLICKATELL.status(taken, status)), 200);
      assert.equal((await shop.read(message.id)).status, "delivered", status);
    }
  });

  test("are taken at the account's own address only", async () => {
    const [shop, other] = [await openShop(), await openShop()];
    const { reportsUrl } = await connect(other.staff, CLICKATELL, { credentials: {} });
    const message = await send(shop);
    await shop.move(SOON);
    const taken = clickatell.taken.at(-1);
    assert.ok(taken);
    const report = CLICKATELL.status(taken, "failed");
    assert.equal(await tell(reportsUrl, report), 200, "another organisation's, of which nothing comes");
    const forged = `${reportsUrl.slice(0, -2)}${reportsUrl.endsWith("AA") ? "BB" : "AA"}`;
    assert.equal(await tell(forged, report), 404);
    assert.equal(await tell(reportsUrl, { headers: {}, body: "{}" }), 400);
    assert.equal((await shop.read(message.id)).status, "sent");
    await other.staff("DELETE", "/messaging/sms");
    assert.equal(await tell(reportsUrl, report), 404, "of an account that is gone");
  });
});

describe("STOP", () => {
  test("ends messages to the number, is confirmed once, and START begins them again", async () => {
    const shop = await openShop();
    const { reportsUrl } = await connect(shop.staff, CLICKATELL, { credentials: {} });
    const waiting = await send(shop, { channel: "sms", phone: "+27 83 000 0001" });
    const already = clickatell.taken.length;
    for (const word of ["Stop", "STOP"])
      assert.equal(await tell(reportsUrl, CLICKATELL.reply("+27830000001", word)), 200);
    await shop.move(SOON);
    assert.deepEqual(
      clickatell.taken.slice(already).map(({ to, text }) => [to, /no more messages/.test(text)]),
      [["+27830000001", true]],
    );
    const stopped = await shop.read(waiting.id);
    assert.equal(stopped.status, "failed");
    assert.match(stopped.error ?? "", /no more messages/);
    const again = { channel: "sms", phone: "083 000 0001" };
    const path = `/payment-links/${shop.link}/messages`;
    assert.deepEqual(refusal(await shop.staff<Refusal>("POST", path, again)), [409, "invalid_state"]);
    assert.equal(await tell(reportsUrl, CLICKATELL.reply("+27830000001", "start")), 200);
    assert.equal((await send(shop, again)).status, "queued");
  });

  test("is listed by number, and staff allow messages again, once", async () => {
    const shop = await openShop();
    const { reportsUrl } = await connect(shop.staff, CLICKATELL, { credentials: {} });
    const numbers = ["+27830000003", "+27820000002", "+27830000001"];
    for (const number of numbers) assert.equal(await tell(reportsUrl, CLICKATELL.reply(number, "stop")), 200);
    const listed = async (query: string) =>
      (await shop.staff<{ data: { phone: string }[]; nextCursor: string | null }>("GET", `/message-opt-outs${query}`))
        .body;
    const phones = ({ data }: { readonly data: readonly { phone: string }[] }) => data.map(({ phone }) => phone);
    assert.deepEqual(phones(await listed("")), numbers.toSorted());
    assert.deepEqual(phones(await listed(`?q=${encodeURIComponent("+2783")}`)), ["+27830000001", "+27830000003"]);
    const page = await listed("?limit=1");
    const next = await listed(`?limit=2&startingAfter=${encodeURIComponent(page.nextCursor ?? "")}`);
    assert.deepEqual([...phones(page), ...phones(next)], numbers.toSorted());
    const allow = () => shop.staff("DELETE", `/message-opt-outs/${encodeURIComponent("+27830000001")}`);
    assert.deepEqual([(await allow()).status, (await allow()).status], [200, 404]);
    assert.equal((await send(shop, { channel: "sms", phone: "083 000 0001" })).status, "queued");
  });
});

describe("WhatsApp", () => {
  test("sends a template, checks the address and the signature, and takes STOP", async () => {
    const shop = await openShop(WHATSAPP);
    const { reportsUrl, verifyToken } = await connect(shop.staff, WHATSAPP, { credentials: {} });
    const message = await send(shop, { channel: "whatsapp" });
    assert.equal(message.segments, null);
    await shop.move(SOON);
    const taken = whatsapp.taken.at(-1);
    assert.match(taken?.text ?? "", /^payment_link \| Shoes \| R\s450\.00 \| http\S+\/p\/\S{15}$/);
    const address = new URL(new URL(reportsUrl).pathname, api.baseUrl);
    const challenge = (token: string | null) =>
      fetch(`${address}?hub.mode=subscribe&hub.verify_token=${token}&hub.challenge=4711`);
    assert.equal(await (await challenge(verifyToken)).text(), "4711");
    assert.equal((await challenge("another")).status, 400);
    assert.ok(taken);
    const delivered = WHATSAPP.status(taken, "delivered");
    assert.equal(await tell(reportsUrl, { ...delivered, body: `${delivered.body} ` }), 400);
    assert.equal((await shop.read(message.id)).status, "sent");
    assert.equal(await tell(reportsUrl, delivered), 200);
    assert.equal((await shop.read(message.id)).status, "delivered");
    assert.equal(await tell(reportsUrl, WHATSAPP.reply("+27821234567", "stop")), 200);
    await shop.move("2031-11-26T12:02:00+02:00");
    assert.match(whatsapp.taken.at(-1)?.text ?? "", /no more messages/);
  });
});

describe("the account at a provider", () => {
  test("keeps its credentials to itself, and those that are not given", async () => {
    const shop = await openShop();
    const { body, text } = await shop.staff<{ accounts: { credentialsSet: string[] }[] }>("GET", "/messaging");
    assert.deepEqual(
      body.accounts.map(({ credentialsSet }) => credentialsSet),
      [["apiKey", "from"]],
    );
    assert.ok(!text.includes("clickatell-key"));
    await connect(shop.staff, CLICKATELL, { credentials: { from: "" } });
    const after = await shop.staff<{ accounts: { credentialsSet: string[] }[] }>("GET", "/messaging");
    assert.deepEqual(
      after.body.accounts.map(({ credentialsSet }) => credentialsSet),
      [["apiKey"]],
    );
    const message = await send(shop);
    assert.ok(!message.text.includes("STOP"), "without a number of its own nobody can reply");
    const rows = await api.query<{ sealed: string }>(
      "select credentials_sealed as sealed from message_accounts where organisation_id = $1",
      shop.organisation.id,
    );
    assert.ok(!rows[0]?.sealed.includes("clickatell-key"));
    const audit = await shop.staff("GET", "/audit-log");
    assert.ok(!audit.text.includes("clickatell-key") && !audit.text.includes("message-reports"));
  });

  test("refuses unknown providers and missing credentials", async () => {
    const shop = await openShop(null);
    const put = (body: object) => shop.staff<Refusal>("PUT", "/messaging/sms", body);
    assert.deepEqual(refusal(await put({ provider: "whatsapp_cloud" })), [400, "invalid_request"]);
    const missing = await put({ provider: "clickatell" });
    assert.deepEqual(
      missing.body.issues?.map(({ path }) => path),
      [["credentials", "apiKey"]],
    );
    assert.equal((await shop.staff("DELETE", "/messaging/sms")).status, 404);
  });

  test("a test message goes at any hour", async () => {
    const shop = await openShop(CLICKATELL, "2031-11-30T23:00:00+02:00");
    const answer = await shop.staff<Message>("POST", "/messaging/sms/test", { phone: "083 000 0002" });
    assert.equal(answer.status, 201, answer.text);
    await shop.move("2031-11-30T23:01:00+02:00");
    assert.equal((await shop.read(answer.body.id)).status, "sent");
  });

  test("a message that waits fails when its provider is disconnected", async () => {
    const shop = await openShop(CLICKATELL, "2031-11-28T21:00:00+02:00");
    const message = await send(shop);
    assert.equal((await shop.staff("DELETE", "/messaging/sms")).status, 200);
    await shop.move("2031-11-29T09:00:00+02:00");
    assert.match((await shop.read(message.id)).error ?? "", /not connected any more/);
  });
});

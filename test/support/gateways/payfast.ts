import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { beforeEach } from "node:test";
import type { GatewayCall, RawNotification, StartPaymentRequest } from "../../../src/gateways/contract.ts";
import { gatewayHttp } from "../../../src/gateways/http.ts";
import { payfastWith } from "../../../src/gateways/payfast/adapter.ts";
import { cents } from "../../../src/kernel/money.ts";
import { instant } from "../../../src/kernel/time.ts";
import { standIn as protocol } from "../../gateways/payfast/stand-in.ts";
import { openStandIn, type StandIn } from "../../gateways/stand-in.ts";

// Shared by the tests of src/gateways/payfast.

const CREDENTIALS = { merchantId: "10000100", merchantKey: "46f0cd694581a", passphrase: "jt7NOE43FZPn" };
/** The organisation's clock and the machine's may lie far apart. */
const NOW = instant("2031-01-31T08:00:00Z");
const MACHINE_NOW = instant("2026-11-20T10:00:00Z");

/** The gateway, one of whose hosts has the address 198.51.100.7. */
export const payfast = payfastWith(async (address) => address === "198.51.100.7");

export const REQUEST: StartPaymentRequest = {
  reference: "TEFO-20310131-9F3C01AB",
  amount: cents(1999),
  currency: "ZAR",
  description: "Membership",
  payer: { email: "p@example.com", firstName: "Thabo", lastName: null, phone: null },
  returnUrl: "https://pay.example/pay/abc/result/TEFO-20310131-9F3C01AB",
  cancelUrl: "https://pay.example/pay/abc/cancel/TEFO-20310131-9F3C01AB",
  notifyUrl: "http://127.0.0.1:1/api/webhooks/payfast?account=gw_1",
  recurring: null,
  saveCard: false,
  startsSubscription: false,
  forCard: false,
};

export const RECURRING = { frequency: "monthly", amount: cents(2500), nextChargeOn: null } as const;

/** A stand-in for each test of the file. */
export function setUpStandIn() {
  let standIn: StandIn;
  beforeEach(async (context) => {
    standIn = await openStandIn(protocol);
    const opened = standIn;
    if ("after" in context) context.after(() => opened.close());
  });
  const call = (changes: Partial<GatewayCall> = {}): GatewayCall => ({
    credentials: CREDENTIALS,
    accountId: "gw_1",
    mode: "sandbox",
    baseUrl: standIn.url,
    sources: null,
    http: gatewayHttp,
    now: NOW,
    machineNow: MACHINE_NOW,
    ...changes,
  });
  return {
    get standIn() {
      return standIn;
    },
    call,
    /** Starts a payment, whose payer chooses an outcome at the gateway; answers where their browser goes. */
    async pay(request: Partial<StartPaymentRequest> = {}, outcome = "paid"): Promise<string> {
      const started = await payfast.checkout?.start({ ...REQUEST, ...request }, call());
      assert.ok(started?.kind === "form", JSON.stringify(started));
      const body = new URLSearchParams(started.fields.map(([name, value]) => [name, value]));
      const page = await fetch(started.action, { method: "POST", body });
      const html = await page.text();
      assert.equal(page.status, 200, html);
      const [, action = ""] = /action="([^"]+)"/.exec(html) ?? [];
      const decided = await fetch(action, {
        method: "POST",
        body: new URLSearchParams({ outcome }),
        redirect: "manual",
      });
      return decided.headers.get("location") ?? "";
    },
    /** A notice of the stand-in, as it arrives; the last one without an index. */
    notice(index = -1, amount?: number): RawNotification {
      const notice = standIn.notices.at(index);
      assert.ok(notice);
      return received(notice.compose(amount === undefined ? {} : { amount }).body);
    },
  };
}

/** A notification as it arrives. */
export const received = (body: string | Uint8Array, remoteAddress = "197.97.145.150"): RawNotification => ({
  method: "POST",
  url: REQUEST.notifyUrl,
  headers: { "content-type": "application/x-www-form-urlencoded" },
  rawBody: Buffer.from(body),
  remoteAddress,
});

/** The body of a notification, signed. */
export function signedBody(text: string): string {
  const signature = createHash("md5").update(`${text}&passphrase=${CREDENTIALS.passphrase}`).digest("hex");
  return `${text}&signature=${signature}`;
}

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openApi, type TestApi } from "../../support/api.ts";
import { addCardCustomer } from "../../support/cards.ts";
import { closeVerified } from "../../support/verified.ts";
import { addLink, type Stage, start } from "../journeys.ts";
import { decideAt } from "../payer.ts";
import { openStandIn, type StandIn } from "../stand-in.ts";
import { standIn as protocol } from "./stand-in.ts";

/* Netcash has one return address for all payments of an account: a reference alone leads nobody to a payment's page. */

let api: TestApi;
let standIn: StandIn;
before(async () => {
  standIn = await openStandIn(protocol);
  api = await openApi({ GATEWAY_URL_NETCASH: standIn.url });
});
after(() => closeVerified(api).finally(() => standIn.close()));

async function openStage(): Promise<Stage> {
  const shop = await api.addMerchant({ clockAt: new Date("2027-03-01T10:00:00Z") as never });
  const staff = await shop.signIn();
  const added = await staff<{ id: string; notifyUrl: string }>("POST", "/gateways", {
    type: "netcash",
    credentials: standIn.credentials,
  });
  standIn.acts.notifyAt?.(added.body.notifyUrl);
  standIn.setNow(new Date("2027-03-01T10:00:00Z"));
  return {
    ...{ api, shop, staff, standIn },
    account: { id: added.body.id } as Stage["account"],
    can: new Set<string>(),
    customer: await addCardCustomer(shop),
    move: () => assert.fail("its clock stands"),
  };
}

/** A payment on whose page the payer chose an outcome; answers its link's page and the address to which the payer's browser returned. */
async function paid(stage: Stage, outcome: string) {
  const { url } = await addLink(stage);
  const { reference, location } = await start(stage, String(url));
  return {
    reference,
    page: new URL(String(url)).pathname,
    back: new URL((await decideAt(api, location, outcome)).location),
  };
}

/** Where a browser with these parameters is led; the status when it is led nowhere. */
async function led(back: URL, changes: Record<string, string | null> = {}): Promise<string | number> {
  const url = new URL(back);
  for (const [name, value] of Object.entries(changes))
    if (value === null) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  const answer = await fetch(url, { redirect: "manual" });
  const location = answer.headers.get("location");
  return location === null ? answer.status : new URL(location, url).pathname;
}

test("payers are led to their payment's page by what Netcash confirms, and by nothing else", async () => {
  const stage = await openStage();
  const mine = await paid(stage, "paid");
  const other = await paid(stage, "cancelled");
  const page = ({ page: path, reference }: typeof mine) => `${path}/result/${reference}`;
  assert.equal(await led(mine.back), page(mine));
  assert.equal(await led(other.back), page(other), "who has cancelled, too");
  const traceOf = ({ back }: typeof mine) => back.searchParams.get("RequestTrace");
  assert.ok(traceOf(mine) && traceOf(other));
  for (const [what, changes] of Object.entries<Record<string, string | null>>({
    "a reference alone": { RequestTrace: null, Amount: null, TransactionAccepted: null },
    "no trace": { RequestTrace: null },
    "a made-up trace": { RequestTrace: "0".repeat(8) },
    "the trace of another payment": { RequestTrace: traceOf(other) },
    "another amount": { Amount: "1.00" },
    "another reference": { Reference: other.reference },
    "an account that is none": { account: "gw_00000000000000000000000000" },
  }))
    assert.equal(await led(mine.back, changes), 404, what);
  standIn.failAnswers({ on: "GET /PayNow/TransactionStatus", kind: "error", times: 9 });
  assert.equal(await led(mine.back), 503, "while Netcash does not answer");
  standIn.mend();
  assert.equal(await led(mine.back), page(mine));
});

test("a payment of another amount under our reference leads nobody to the page", async () => {
  const stage = await openStage();
  const { url } = await addLink(stage);
  const { location } = await start(stage, String(url));
  const other = await openStage();
  const cheap = await addLink(other, { amount: 50 });
  const theirs = await start(other, String(cheap["url"]));
  const back = new URL((await decideAt(api, theirs.location, "paid")).location);
  // The same return at the account of the other merchant, whose payment it is not.
  assert.equal(await led(back, { account: stage.account.id }), 404);
  assert.ok(location);
});

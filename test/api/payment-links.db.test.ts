import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { RECORDS } from "../../src/catalogue.ts";
import { auditLogEndpoints } from "../../src/http/resources/audit-log.ts";
import { gatewayEndpoints } from "../../src/http/resources/gateways.ts";
import { paymentLinkEndpoints } from "../../src/http/resources/payment-links.ts";
import { addMerchant, dataOf, type Merchant, openMerchant } from "../support/merchant.ts";

describe("deactivating a payment link", () => {
  let merchant: Merchant;
  before(async () => {
    const endpoints = [...paymentLinkEndpoints, ...gatewayEndpoints, ...auditLogEndpoints(RECORDS)];
    merchant = await openMerchant(endpoints, { sandbox: true });
    await merchant.call("POST", "/gateways", { type: "sandbox" });
  });
  after(() => merchant.close());

  const create = async () => (await merchant.call("POST", "/payment-links", { title: "Deposit", amount: 250 })).body;

  test("answers the link, which stays inactive", async () => {
    const link = await create();
    const answer = await merchant.call("POST", `/payment-links/${link["id"]}/deactivate`);
    assert.equal(answer.status, 200);
    const shown = { payments: [], subscription: null, invoiceId: null, collectsBalance: false };
    assert.deepEqual(answer.body, { ...link, active: false, ...shown });
    assert.equal((await merchant.call("GET", `/payment-links/${link["id"]}`)).body["active"], false);
    assert.equal((await merchant.call("POST", `/payment-links/${link["id"]}/deactivate`)).status, 200, "again");
    const [entry] = dataOf(await merchant.call("GET", `/audit-log?subject=${link["id"]}&q=deactivate`)).slice(-1);
    assert.deepEqual([entry?.["before"], entry?.["after"]], [{ active: true }, { active: false }]);
  });

  test("is for support and above, in one's own organisation", async () => {
    const link = await create();
    const path = `/payment-links/${link["id"]}/deactivate`;
    assert.equal((await merchant.call("POST", path, undefined, "viewer")).status, 403);
    assert.equal((await (await addMerchant(merchant.dashboard)).call("POST", path)).status, 404);
    assert.equal((await merchant.call("POST", path, undefined, "support")).status, 200);
  });
});

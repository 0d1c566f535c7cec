import assert from "node:assert/strict";
import { test } from "node:test";
import { serveDemo } from "../support/demo.ts";
import { tefo } from "../support/processes.ts";

const CARDS = ["4242424242424242", "4000000000009979"];

test("no log line holds a card's token or number, or the address of a set-up page, at the finest level", async (t) => {
  const demo = await serveDemo(t);
  const created = await tefo(
    demo.environment,
    ...["key", "create", "--org", "demo", "--permission", "charge_saved_cards", "--json"],
  );
  const { key } = created.json<{ key: string }>();
  const pages: string[] = [];
  for (const card of CARDS) {
    const { body: customer } = await demo.call("/customers", { email: `c${card}@example.co.za` });
    const path = `/customers/${customer["id"]}/cards`;
    const { body: setup } = await demo.call(`${path}/setup`, {});
    const page = String(setup["url"]);
    pages.push(new URL(page).pathname);
    const gateway = /name="gateway"[^>]*value="([^"]+)"/.exec(await demo.open(page))?.[1] ?? "";
    const atGateway = await demo.press(page, { gateway });
    await demo.press(atGateway, { outcome: "complete", card, saveCard: "on" });
    const charge = { amount: 10, description: "Membership", externalReference: card };
    assert.equal((await demo.call(`${path}/default/charges`, charge, key)).status, 201);
    assert.equal((await demo.call(`${path}/default/charges`, { ...charge, card }, key)).status, 400);
  }
  const output = await demo.output();
  assert.match(output, /cards\/:cardId\/charges/);
  assert.doesNotMatch(output, /sct_[0-9a-f]/);
  for (const secret of [...CARDS, ...pages, key]) assert.ok(!output.includes(secret), `${secret} is in the log`);
});

// Runs in whatever runtime: `check` uses what a shop uses of the client, and answers what it found. It throws where that is wrong.
import { InvalidRequest, NotFound, rand, Tefo, toCents, WebhookRefused } from "./esm/index.js";
import { eventOf, newWebhookSecret, signedWebhook } from "./esm/testing.js";

const same = (found, expected, what) => {
  if (JSON.stringify(found) !== JSON.stringify(expected))
    throw new Error(`${what}: ${JSON.stringify(found)} is not ${JSON.stringify(expected)}`);
};

const refusal = async (asked, Kind) => {
  const error = await asked.then(
    () => null,
    (reason) => reason,
  );
  if (!(error instanceof Kind)) throw new Error(`${Kind.name} was expected: ${error}`);
  return error;
};

/** Calls, errors, lists, a file, an upload, a webhook and its handler. */
export async function check({ apiKey, baseUrl, name }) {
  const tefo = new Tefo({ apiKey, baseUrl });
  const customer = await tefo.customers.create({ externalReference: name, firstName: "Thandi" });
  same((await tefo.customers.create({ externalReference: name })).id, customer.id, "one customer of a reference");
  for (const order of [1, 2, 3])
    await tefo.paymentLinks.create(
      { title: `Order ${order}`, amount: rand("12.50"), externalReference: name },
      { idempotencyKey: `${name}-${order}` },
    );
  const titles = [];
  for await (const link of tefo.paymentLinks.list({ externalReference: name, limit: 2 })) titles.push(link.title);
  same(titles, ["Order 3", "Order 2", "Order 1"], "a list to its end");

  const invoice = await tefo.invoices.create({
    customerId: customer.id,
    lines: [{ description: "Hosting", quantity: 1, unitPrice: rand("100.10") }],
  });
  same(toCents(invoice.total), 11_512, "cents");
  const pdf = new Uint8Array(await (await tefo.invoices.getPdf(invoice.id)).arrayBuffer());
  same(String.fromCharCode(...pdf.slice(0, 5)), "%PDF-", "a file");
  const run = await tefo.reconciliation.importBankStatement({
    file: { name: "bank.csv", data: `Date,Description,Amount\n2026-11-03,${name} 8123,-57.00\n` },
    account: name,
  });
  same(run.status, "completed", "an upload");

  same((await refusal(tefo.invoices.get("inv_none"), NotFound)).status, 404, "an error");
  const wrong = await refusal(tefo.paymentLinks.create({ title: "", amount: rand("1.00") }), InvalidRequest);
  same([wrong.issues[0].path, typeof wrong.requestId], [["title"], "string"], "its issues");

  const secret = newWebhookSecret();
  const seen = [];
  const handler = tefo.webhooks.handler({ secret, on: { "*": (event) => void seen.push(event.sequence) } });
  const [created] = (await tefo.events.list({ subject: customer.id })).data;
  const receive = async (event) => {
    const { body, headers } = await signedWebhook(event, secret);
    return (await handler.fetch(new Request("http://shop.example/tefo", { method: "POST", headers, body }))).status;
  };
  // The second event comes first, and twice: what is missing before it is read from the service.
  const second = eventOf({ ...created, type: "customer.updated", sequence: created.sequence + 1 });
  same([await receive(second), await receive(second), await receive(created)], [204, 204, 204], "deliveries");
  same(seen, [1, 2], "each event once and in order");
  const { body, headers } = await signedWebhook(created, newWebhookSecret());
  await refusal(tefo.webhooks.verify(body, headers, secret), WebhookRefused);
  return "everything works";
}

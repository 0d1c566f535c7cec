import assert from "node:assert/strict";
import { once } from "node:events";
import { statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { type ApiMerchant, openApi, type TestApi } from "../../../test/support/api.ts";
import { eventually, type Test } from "../../../test/support/processes.ts";
import { verify } from "../../typescript/src/webhooks/verify.ts";
import { openUser, type User } from "./cli.ts";

let api: TestApi;
let shop: ApiMerchant;
before(async () => {
  api = await openApi({ PROCESS: "all" });
  shop = await api.addMerchant({ name: "Karoo Books", sandbox: true });
  await shop.addGateway();
});
after(() => api.close());

/** A user who is signed in to a merchant. */
async function signedIn(t: Test, merchant = shop): Promise<User> {
  const user = await openUser(t, `${merchant.key}\n`);
  const { code, err } = await user.run("login", "--base-url", api.baseUrl);
  assert.equal(code, 0, err);
  return user;
}

/** A receiver that keeps what arrives and answers with `status`. */
async function openReceiver(t: Test, port = 0) {
  const received: { id: string; type: string; headers: Record<string, string>; body: string }[] = [];
  const state = { status: 204 };
  const server = createServer(async (request, response) => {
    const body = await text(request);
    received.push({ ...(JSON.parse(body) as { id: string; type: string }), headers: request.headers as never, body });
    response.writeHead(state.status).end("said no");
  }).listen(port, "127.0.0.1");
  await once(server, "listening");
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  t.after(close);
  return { received, state, close, port: (server.address() as AddressInfo).port };
}

describe("the command line", () => {
  test("keeps a key for its user alone, by profiles", async (t) => {
    const user = await signedIn(t);
    assert.equal(statSync(join(user.folder, "tefo/profiles.json")).mode & 0o777, 0o600);
    assert.match((await user.run("profiles")).out, /^\* default {2}Karoo Books \(sandbox\) {2}http/);
    await user.run("login", "--base-url", api.baseUrl, "--profile", "second");
    assert.match((await user.run("profiles", "use", "default")).out, /^\* default .*\n {2}second /);
    assert.equal((await user.run("logout", "--profile", "second")).code, 0);
    const stranger = await openUser(t, "tefo_wrong");
    const refused = await stranger.run("login", "--base-url", api.baseUrl);
    assert.deepEqual([refused.code, refused.out], [1, ""]);
    assert.match(refused.err, /401 unauthorized/);
    assert.match((await stranger.run("clock", "now")).err, /there is no profile "default"/);
  });

  test("reads, creates, changes and removes", async (t) => {
    const user = await signedIn(t);
    const made = await user.run("post", "/customers", "-d", "externalReference=cli-1", "-d", "metadata.order=1042");
    const { id, metadata } = JSON.parse(made.out) as { id: string; metadata: object };
    assert.deepEqual(metadata, { order: "1042" });
    const changed = await user.run("patch", `/api/v1/customers/${id}`, "-d", "firstName=Thandi");
    assert.equal((JSON.parse(changed.out) as { firstName: string }).firstName, "Thandi");
    const listed = await user.run("get", "customers", "-d", "externalReference=cli-1", "-d", "limit=1");
    assert.equal((JSON.parse(listed.out) as { data: { id: string }[] }).data[0]?.id, id);
    const odd = await user.run("post", "/customers", "-d", "external_reference=x");
    assert.match(odd.err, /Warning: unknown field "external_reference"/);
    const wrong = await user.run("get", "/customers/cus_none");
    assert.deepEqual([wrong.code, wrong.out], [1, ""]);
    assert.match(wrong.err, /404 not_found.*\n {2}http.*\n {2}request /);
    for (const line of [["get"], ["events"], ["nonsense"], ["post", "/customers", "-d"]])
      assert.equal((await user.run(...line)).code, 2, line.join(" "));
  });

  test("lists events, and sends one again", async (t) => {
    const user = await signedIn(t, await api.addMerchant());
    await user.run("trigger", "customer.updated");
    const { out } = await user.run("events", "list", "--limit", "1");
    assert.match(out, /^\S+ {2}customer\.updated {2}cus_\w+ 2 {2}evt_\w+\n$/);
    const id = out.trim().split("  ").at(-1) ?? "";
    const { port, received } = await openReceiver(t);
    await user.run("post", "/webhook-endpoints", "-d", `url=http://127.0.0.1:${port}/`);
    assert.match((await user.run("events", "resend", id)).out, new RegExp(`→ http://127.0.0.1:${port}/`));
    await eventually("it arrives", async () => received.some((one) => one.id === id));
  });

  test("prints events and requests as they come", async (t) => {
    const merchant = await api.addMerchant();
    const user = await signedIn(t, merchant);
    const events = user.start("events", "tail");
    const logs = user.start("logs", "tail", "--json");
    await eventually("both are ready", async () => /Ready/.test(events.err()) && /Ready/.test(logs.err()));
    await merchant.post("/customers", { externalReference: "tail-1" });
    await eventually("the event is printed", async () => /customer\.created/.test(events.out()));
    await eventually("the request is printed", async () => /"path":"\/api\/v1\/customers"/.test(logs.out()));
    assert.equal((await events.end()).code, 0);
    const { code, out } = await logs.end();
    assert.deepEqual([code, /request-log/.test(out)], [0, false], "its own requests are left out");
  });

  test("moves the clock, and rewinds it", async (t) => {
    const user = await signedIn(t, await api.addMerchant({ sandbox: true }));
    assert.equal((await user.run("clock", "to", "2099-01-31T08:00:00.000Z")).out, "2099-01-31T08:00:00.000Z\n");
    const [id = ""] = (await user.run("clock", "snapshot", "January")).out.split("  ");
    assert.equal((await user.run("clock", "forward", "1mo")).out, "2099-02-28T08:00:00.000Z\n");
    assert.match((await user.run("clock", "snapshots")).out, new RegExp(`^${id} .* January\n$`));
    assert.equal((await user.run("clock", "rewind", id)).out, "2099-01-31T08:00:00.000Z\n");
    assert.equal((await user.run("clock", "now")).out, "2099-01-31T08:00:00.000Z\n");
    assert.equal((await user.run("clock", "forward", "soon")).code, 2);
  });

  test("takes the steps of a file", async (t) => {
    const user = await signedIn(t);
    const file = join(user.folder, "shop.json");
    const steps = [
      { id: "customer", path: "/customers", body: { externalReference: "fixture-1" } },
      { id: "link", path: "/payment-links", body: { title: "For ${customer.externalReference}", amount: 20 } },
      { id: "payment", pay: "${link.id}" },
    ];
    writeFileSync(file, JSON.stringify({ steps }));
    const { code, out, err } = await user.run("fixtures", "run", file);
    assert.equal(code, 0, err);
    const answers = JSON.parse(out) as { link: { title: string }; payment: { status: string } };
    assert.deepEqual([answers.link.title, answers.payment.status], ["For fixture-1", "complete"]);
  });

  test("takes steps of payers and of time, with days by the organisation's clock", async (t) => {
    const merchant = await api.addMerchant({ sandbox: true, clockAt: new Date("2099-01-31T22:30:00Z") as never });
    await merchant.addGateway();
    const user = await signedIn(t, merchant);
    const file = join(user.folder, "quote.json");
    const customer = { id: "customer", path: "/customers", body: { email: "thandi@example.co.za" } };
    const lineItems = [{ description: "Desk", quantity: 1, unitPrice: 20 }];
    const steps = [
      customer,
      {
        id: "quote",
        path: "/quotes",
        body: { customerId: "${customer.id}", lineItems, expiryDate: "${today+1mo}", notes: "${today}, ${expiry+2mo}" },
      },
      { id: "setup", path: "/customers/${customer.id}/cards/setup", body: {} },
      { visit: "${setup.url}", forms: [{}, { outcome: "failed" }] },
      { id: "after", method: "GET", path: "/customers/${customer.id}/cards/setup/${setup.id}" },
      { id: "moved", forward: "2d" },
      { id: "no", path: "/quotes/quo_none/send", refused: true },
    ];
    writeFileSync(file, JSON.stringify(steps));
    const { code, out, err } = await user.run("fixtures", "run", file);
    assert.equal(code, 0, err);
    const { quote, after, moved, no } = JSON.parse(out) as Record<string, Record<string, string>>;
    assert.deepEqual([quote?.["expiryDate"], quote?.["notes"]], ["2099-03-01T21:59:59.999Z", "2099-02-01, 04/99"]);
    assert.deepEqual([after?.["failureReason"], moved?.["now"]], ["declined", "2099-02-02T22:30:00.000Z"]);
    assert.match(no?.["message"] ?? "", /quote/i);
    for (const [step, problem] of [
      [{ visit: `${api.baseUrl}/pay/none` }, /the page has no form/],
      [{ path: "/customers", body: {}, refused: true }, /did not refuse it/],
      [{ forward: "soon" }, /no duration/],
      [{}, /a step has a path/],
    ] as const) {
      writeFileSync(file, JSON.stringify([step]));
      assert.match((await user.run("fixtures", "run", file)).err, problem);
    }
  });

  test("names what is wrong in a file of steps", async (t) => {
    const user = await signedIn(t);
    const file = join(user.folder, "shop.json");
    writeFileSync(file, JSON.stringify([{ id: "a", path: "/customers/${b.id}" }]));
    assert.match((await user.run("fixtures", "run", file)).err, /\$\{b\.id\}: no step before has it/);
  });
});

describe("listen", () => {
  test("forwards each event, signed, and goes on after a restart of either end", async (t) => {
    const merchant = await api.addMerchant();
    const user = await signedIn(t, merchant);
    const { port, received, close } = await openReceiver(t);
    const url = `http://127.0.0.1:${port}/tefo`;
    const made: string[] = [];
    const happen = async () => {
      const { body } = await merchant.post<{ id: string }>("/customers", { externalReference: `c-${made.length}` });
      made.push(body.id);
    };
    const seen = (list: { body: string }[]) =>
      list.map(({ body }) => (JSON.parse(body) as { subject: string }).subject);
    const first = user.start("listen", "--forward-to", url);
    await eventually("it is ready", async () => /Ready/.test(first.err()));
    const secret = /whsec_\S+/.exec(first.err())?.[0] ?? "";
    await happen();
    await eventually("the event arrives", async () => received.length === 1);
    const [delivery] = received;
    assert.equal((await verify(delivery!.body, delivery!.headers, secret)).type, "customer.created");
    await eventually("it is shown", async () => /customer\.created .* → 204/.test(first.out()));

    close();
    await happen();
    await eventually("nobody listens", async () => /nobody listens there/.test(first.out()));
    await happen();
    await first.end();
    await happen();
    const again = await openReceiver(t, port);
    const second = user.start("listen", "--forward-to", url);
    await eventually("all arrive", async () => new Set(seen(again.received)).size === 3);
    await second.end();
    assert.deepEqual([...new Set(seen(again.received))], made.slice(1));
    assert.match(second.err(), /Goes on where it ended/);
    assert.ok(second.err().includes(secret));
  });

  test("sends again what was refused, and only the types that are asked for", async (t) => {
    const merchant = await api.addMerchant();
    const user = await signedIn(t, merchant);
    const { port, received, state } = await openReceiver(t);
    state.status = 500;
    const listening = user.start("listen", "--forward-to", `http://127.0.0.1:${port}/`, "--events", "customer.created");
    await eventually("it is ready", async () => /Ready/.test(listening.err()));
    const { body } = await merchant.post<{ id: string }>("/customers", { externalReference: "again" });
    await merchant.call("PATCH", `/customers/${body.id}`, { body: { firstName: "Thandi" } });
    await eventually("it is refused", async () => /→ 500 said no/.test(listening.out()));
    state.status = 204;
    await eventually("it comes again", async () => /→ 204/.test(listening.out()));
    await listening.end();
    assert.deepEqual(new Set(received.map(({ type }) => type)), new Set(["customer.created"]));
  });
});

import assert from "node:assert/strict";
import { cp, glob, mkdir, readFile, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { decideAt, pressPay } from "../../../test/gateways/payer.ts";
import { STAND_INS } from "../../../test/gateways/stand-ins.ts";
import { openApi } from "../../../test/support/api.ts";
import type { Shown } from "../../../test/support/cards.ts";
import { running, type Test, tefo, temporaryFolder } from "../../../test/support/processes.ts";
import { closeVerified } from "../../../test/support/verified.ts";

const ROOT = join(import.meta.dirname, "../../..");

/** What `gateway stand-in --json` says first. */
interface Said {
  readonly type: string;
  readonly url: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly credentials: Readonly<Record<string, string>>;
}

/** Starts the command, and waits until it serves. */
async function start(t: Test, name: string, ...more: string[]) {
  const process = running(t, {}, "src/bin/tefo.ts", "gateway", "stand-in", name, "--json", ...more);
  const [line] = await process.says(/^\{.*\}$/m);
  return { process, said: JSON.parse(line) as Said };
}

const control = async (url: string, path: string, body?: unknown): Promise<unknown> => {
  const answer = await fetch(`${url}/_stand-in${path}`, body ? { method: "POST", body: JSON.stringify(body) } : {});
  assert.equal(answer.status, 200, path);
  return answer.json();
};

// PayFast's notifications are checked by address, Yoco registers one, Ozow's are confirmed.
for (const type of ["payfast", "yoco", "ozow"])
  test(`a payment through the stand-in of ${type} that the command serves, and one whose notices are lost and sent again`, async (t) => {
    const { process, said } = await start(t, type);
    assert.equal(said.type, type);
    const api = await openApi(said.environment);
    t.after(() => closeVerified(api));
    const shop = await api.addMerchant();
    const staff = await shop.signIn();
    const added = await staff<{ id: string; notifyUrl: string }>("POST", "/gateways", {
      type,
      credentials: said.credentials,
    });
    assert.equal(added.status, 201, added.text);
    const { id, notifyUrl } = added.body;
    assert.match(notifyUrl, /\/api\/webhooks\//);
    /** Pays a link of its own; answers its payment. */
    const paid = async (): Promise<Shown> => {
      const link = await shop.post<Shown>("/payment-links", { title: "Deposit", amount: 100 });
      const url = String(link.body["url"]);
      await decideAt(api, await pressPay(api, url, { gateway: id, email: "thandi@example.co.za" }), "paid");
      const { data } = (await staff<{ data: [Shown] }>("GET", "/transactions?limit=1")).body;
      return data[0];
    };
    assert.partialDeepStrictEqual(await paid(), { status: "complete", amount: 100 });
    await control(said.url, "/notices", { kind: "lost", times: 9 });
    const second = await paid();
    assert.equal(second["status"], "pending");
    const notices = (await control(said.url, "/notices")) as unknown[];
    assert.deepEqual(await control(said.url, "/resend", { index: notices.length - 1 }), { status: 200 });
    const { body: now } = await shop.get(`/transactions/${second["reference"]}`);
    assert.partialDeepStrictEqual(now, { status: "complete", amount: 100 });
    process.child.kill("SIGINT");
    assert.equal(await process.ended(), 0);
  });

test("every gateway has one, which says what to set and what to paste", async (t) => {
  for (const { type, credentials } of STAND_INS) {
    const { said } = await start(t, type);
    assert.equal(said.environment[`GATEWAY_URL_${type.toUpperCase()}`], said.url);
    assert.deepEqual(said.credentials, credentials);
    assert.deepEqual(((await control(said.url, "")) as Said).type, type);
  }
});

test("the address to listen on and the port can be chosen; what cannot be one is refused", async (t) => {
  const { said } = await start(t, "yoco", "--host", "0.0.0.0", "--port", "0");
  assert.match(said.url, /^http:\/\/127\.0\.0\.1:\d+$/);
  for (const [args, message] of [
    [["nobody"], /There is no stand-in nobody\. There are: netcash, ozow,/],
    [["yoco", "--port", "70000"], /--port is a number from 0 to 65535\./],
    [["yoco", "--port", "x"], /--port is a number from 0 to 65535\./],
    [["../yoco"], /There is no stand-in/],
    [[], /<name> is missing/],
  ] as const) {
    const refused = await tefo({}, "gateway", "stand-in", ...args);
    assert.equal(refused.code, 2, args.join(" "));
    assert.match(refused.err, message);
  }
});

test("what the image keeps of the tests is all that the command needs", async (t) => {
  const dockerfile = await readFile(join(ROOT, "Dockerfile"), "utf8");
  const kept = /cp --parents (.*) kept/.exec(dockerfile)?.[1]?.split(" ") ?? [];
  assert.ok(kept.length > 0, "the Dockerfile says which");
  const image = await temporaryFolder(t);
  for await (const file of glob(kept, { cwd: ROOT })) {
    if (file.endsWith(".test.ts")) continue;
    await mkdir(dirname(join(image, file)), { recursive: true });
    await cp(join(ROOT, file), join(image, file));
  }
  await cp(join(ROOT, "package.json"), join(image, "package.json"));
  await symlink(join(ROOT, "node_modules"), join(image, "node_modules"));
  const { dependencies } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  for (const { type } of STAND_INS) {
    const frame = (await import(
      join(image, "test/gateways/stand-in.ts")
    )) as typeof import("../../../test/gateways/stand-in.ts");
    const { standIn } = (await import(join(image, `test/gateways/${type}/stand-in.ts`))) as {
      standIn: (typeof STAND_INS)[number];
    };
    const opened = await frame.openStandIn(standIn);
    t.after(() => opened.close());
  }
  for await (const file of glob(kept, { cwd: ROOT })) {
    const packages = (await readFile(join(ROOT, file), "utf8")).matchAll(/from "([^"]+)"/g);
    for (const [, from = ""] of packages)
      if (!file.endsWith(".test.ts") && !from.startsWith(".") && !from.startsWith("node:"))
        assert.ok(from in dependencies, `${file}: ${from}`);
  }
});

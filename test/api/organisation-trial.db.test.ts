import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SYSTEM } from "../../src/flows/context.ts";
import { changeOrganisation } from "../../src/flows/organisations/update-organisation.ts";
import { instant } from "../../src/kernel/time.ts";
import { type ApiMerchant, openApi, type StaffCall, type TestApi } from "../support/api.ts";
import { mailsOf } from "../support/mails.ts";
import { closeVerified } from "../support/verified.ts";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

/** An organisation whose clock stands at 1 March 2027, with an owner, an admin and a viewer. */
async function openShop(): Promise<{ shop: ApiMerchant; owner: StaffCall }> {
  const shop = await api.addMerchant({ clockAt: instant("2027-03-01T10:00:00Z") as never });
  const owner = await shop.signIn("owner");
  await shop.addStaff("admin");
  await shop.addStaff("viewer");
  return { shop, owner };
}

const change = ({ organisation }: ApiMerchant, changes: Parameters<typeof changeOrganisation>[2]) =>
  api.services.db.transaction(organisation.id, (tx) => changeOrganisation(tx, SYSTEM, changes));
const move = async (owner: StaffCall, now: string) => {
  const answer = await owner("POST", "/test-clock", { now });
  assert.equal(answer.status, 200, answer.text);
};
const subjects = async ({ organisation }: ApiMerchant) =>
  (await mailsOf(api.services, organisation, { kind: "organisation-trial-ending" })).map(({ subject }) =>
    String(subject),
  );

test("owners and admins are mailed seven days and one day before a trial ends, once each", async () => {
  const { shop, owner } = await openShop();
  await change(shop, { trialEndsAt: instant("2027-03-20T10:00:00Z") });
  await move(owner, "2027-03-13T09:00:00Z");
  assert.deepEqual(await subjects(shop), []);
  await move(owner, "2027-03-13T11:00:00Z");
  const [week] = await subjects(shop);
  assert.match(week ?? "", /The trial of .* ends in 7 days$/);
  await move(owner, "2027-03-19T11:00:00Z");
  assert.match((await subjects(shop))[1] ?? "", /ends tomorrow$/);
  assert.equal((await subjects(shop)).length, 2);
  const [mail] = await mailsOf(api.services, shop.organisation, { kind: "organisation-trial-ending" });
  assert.ok(mail);
  const { text, recipients } = mail;
  assert.match(text, new RegExp(`tefo org update ${shop.organisation.slug} --status active`));
  assert.match(text, /Whoever runs this server/);
  assert.equal(recipients.length, 2, "the viewer is not mailed");
});

test("nobody is mailed about a trial that was ended, and an extended one is announced by its new end", async () => {
  const { shop, owner } = await openShop();
  await change(shop, { trialEndsAt: instant("2027-03-20T10:00:00Z") });
  await change(shop, { status: "active" });
  await move(owner, "2027-03-25T11:00:00Z");
  assert.deepEqual(await subjects(shop), []);
  await change(shop, { trialEndsAt: instant("2027-03-28T10:00:00Z") });
  await change(shop, { trialEndsAt: instant("2027-04-28T10:00:00Z") });
  await move(owner, "2027-04-20T11:00:00Z");
  assert.deepEqual(await subjects(shop), []);
  await move(owner, "2027-04-27T11:00:00Z");
  assert.equal((await subjects(shop)).length, 2);
});

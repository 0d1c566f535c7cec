import assert from "node:assert/strict";
import { test } from "node:test";
import { looksRightAnywhere, setUpDashboardPages } from "../support/dashboard-pages.ts";

/* Messages by SMS and WhatsApp, by hand in a browser. */

const ids = { link: "" };
const move = async (now: string) => {
  const staff = await dashboard.shop.signIn();
  assert.equal((await staff("POST", "/test-clock", { now })).status, 200);
};
const dashboard = setUpDashboardPages(async (shop) => {
  await shop.addGateway();
  const customer = await shop.post("/customers", { firstName: "Thandi", phone: "082 123 4567" });
  const link = await shop.post("/payment-links", { title: "Shoes", amount: 450, customerId: customer.body["id"] });
  ids.link = String(link.body["id"]);
  const staff = await shop.signIn();
  // A Wednesday at noon.
  await staff("POST", "/test-clock", { now: "2031-11-26T12:00:00+02:00" });
});

test("somebody connects a provider and sends a payment link, which the sandbox does not give to a phone", async (t) => {
  const page = await dashboard.open(t, `/payment-links/${ids.link}`);
  const { baseUrl } = dashboard.api;
  const dialog = page.getByRole("dialog");
  const openDialog = () => page.getByRole("button", { name: "Send by SMS or WhatsApp" }).click();
  await openDialog();
  await dialog.getByText("No provider of SMS is set up").waitFor();

  await page.goto(`${baseUrl}/dashboard/messaging`);
  const sms = page.getByRole("region", { name: "SMS" });
  await page.getByText("no phone gets them").waitFor();
  await looksRightAnywhere(page, "messaging before");
  await sms.getByRole("textbox", { name: "API key" }).fill("key==");
  await sms.getByRole("textbox", { name: "Your number" }).fill("27600000000");
  await sms.getByRole("button", { name: "Save" }).click();
  await page.getByText("Clickatell saved").waitFor();
  await sms.getByText("Delivery reports and replies").waitFor();
  assert.equal(await page.getByText("key==").count(), 0);
  await looksRightAnywhere(page, "messaging connected");

  await page.goto(`${baseUrl}/dashboard/payment-links/${ids.link}`);
  await openDialog();
  await dialog.getByText("To +27821234567, in one part.").waitFor();
  await looksRightAnywhere(page, "send by SMS");
  await dialog.getByRole("textbox", { name: "Cellphone number" }).fill("011 123 4567");
  await dialog.getByText("That is no number that messages can be sent to").waitFor();
  await dialog.getByRole("textbox", { name: "Cellphone number" }).fill("083 000 0001");
  await dialog.getByText("To +27830000001, in one part.").waitFor();
  await dialog.getByRole("button", { name: "Send by SMS or WhatsApp" }).dblclick();
  await page.getByText("SMS to +27830000001 requested").waitFor();

  await move("2031-11-26T12:01:00+02:00");
  await page.goto(`${baseUrl}/dashboard/messages`);
  const sent = page.getByRole("row", { name: /\+27830000001/ });
  await sent.getByText("Not sent").waitFor();
  assert.equal(await page.getByRole("row", { name: /Please pay/ }).count(), 1);
  await looksRightAnywhere(page, "messages");
  await page.setViewportSize({ width: 1280, height: 800 });
  await sent.getByRole("link", { name: /Please pay/ }).click();
  await page.getByText("This organisation is a sandbox, so its messages are not sent.", { exact: true }).waitFor();
  await looksRightAnywhere(page, "message");
});

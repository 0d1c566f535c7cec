import assert from "node:assert/strict";
import { after, before, type TestContext, test } from "node:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import type { Role } from "../../src/modules/members/types.ts";
import { type ApiMerchant, type Credentials, openApi, type TestApi } from "./api.ts";
import { axeFindings, openPage } from "./browser.ts";

/** The dashboard's pages, over a service and an organisation of their own. They exist during tests only. */
export interface DashboardPages {
  readonly api: TestApi;
  readonly shop: ApiMerchant;
  /** Opens an address below `/dashboard`, and signs in there: as `staff`, else as somebody new with this role, owner unless given. */
  open(t: TestContext, path: string, options?: BrowserContextOptions & Visitor): Promise<Page>;
}

interface Visitor {
  readonly role?: Role;
  readonly staff?: Credentials;
}

/**
 * Opens the service before the tests of the file and closes it after them. `prepare` makes what the organisation has; `environment` is asked for
 * settings of the service first.
 */
export function setUpDashboardPages(
  prepare?: (shop: ApiMerchant) => Promise<void>,
  environment?: () => Promise<Readonly<Record<string, string>>>,
): DashboardPages {
  let api: TestApi;
  let shop: ApiMerchant;
  before(async () => {
    api = await openApi(await environment?.());
    shop = await api.addMerchant({ name: "Karoo Books" });
    await prepare?.(shop);
  });
  after(() => api.close());
  return {
    get api() {
      return api;
    },
    get shop() {
      return shop;
    },
    async open(t, path, { role = "owner", staff, ...options } = {}) {
      const page = await openPage(t, options);
      page.on("pageerror", (error) => assert.fail(error));
      await page.goto(`${api.baseUrl}/dashboard${path}`);
      await enter(page, staff ?? (await shop.addStaff(role)));
      await page.getByRole("button", { name: /^Account of/ }).waitFor();
      return page;
    },
  };
}

/** Fills in the sign-in that is shown. */
export async function enter(page: Page, { email, password }: Credentials): Promise<void> {
  const form = page.locator("form:has(input[type=password])");
  const address = form.getByRole("textbox", { name: "E-mail address" });
  await address.waitFor();
  if (await address.isEditable()) await address.fill(email);
  await form.locator("input[type=password]").fill(password);
  await form.getByRole("button", { name: "Sign in", exact: true }).click();
}

/** A folder that gets a picture of each page, for who wants to look at them. */
const SHOTS = process.env["TEST_SCREENSHOTS"];

const WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth";

/** Fails when axe finds something, or when the page is wider than the window. */
export async function looksRight(page: Page, what: string): Promise<void> {
  const busy = page.locator("[aria-busy=true]");
  while ((await busy.count()) > 0) await busy.first().waitFor({ state: "detached" });
  assert.deepEqual(await axeFindings(page), [], what);
  assert.equal(await page.evaluate<number>(WIDER), 0, `${what}: wider than the window`);
}

/** Fails when the page is wider than the window once its text is twice as large. */
async function fitsLargeText(page: Page, what: string): Promise<void> {
  await page.evaluate(`document.documentElement.style.fontSize = "200%"`);
  assert.equal(await page.evaluate<number>(WIDER), 0, `${what}: wider than the window with text at 200 %`);
}

/** Parts of fields that the keyboard uses from within the field: Delete clears it and takes the last choice away, arrow keys count. */
const FIELD_PARTS =
  ".mantine-InputClearButton-root, .mantine-NumberInput-controls, .mantine-MultiSelect-input, .mantine-Checkbox-root, .mantine-Radio-root";
/** What takes clicks in the page's content, and is within nothing that takes the focus. */
const FOR_THE_MOUSE_ALONE = `
  [...document.querySelectorAll("#content *")]
    .filter((element) => element.checkVisibility({ visibilityProperty: true }) && getComputedStyle(element).cursor === "pointer")
    .filter((element) => !element.closest("label, ${FIELD_PARTS}, :disabled, [aria-disabled=true]"))
    .filter((element) => {
      const control = element.closest("a[href], button, input, select, textarea, summary, [tabindex]");
      return control === null || (control.tabIndex < 0 && !control.closest("[role=tablist], [role=radiogroup]"));
    })
    .map((element) => element.outerHTML.slice(0, 200))`;
/** The controls of the page's content that Tab has to reach, which are marked. */
const MARK_CONTROLS = `
  [...document.querySelectorAll("#content :is(a[href], button, input, select, textarea, summary)")]
    .filter((control) => control.tabIndex >= 0 && !control.disabled && control.checkVisibility({ visibilityProperty: true }))
    .filter((control) => control.type !== "radio" || control.checked)
    .map((control) => (control.dataset.unreached = "", control)).length`;
/** Whether the focus is within the content, after the mark of what has it was taken away. */
const REACH = `(() => {
  const at = document.activeElement;
  delete at.dataset.unreached;
  return at.closest("#content") !== null;
})()`;
const UNREACHED = `[...document.querySelectorAll("[data-unreached]")].map((control) => control.outerHTML.slice(0, 200))`;

/** Fails when a control of the content cannot be reached by Tab alone, or is one for the mouse alone. */
async function worksByKeyboard(page: Page, what: string): Promise<void> {
  assert.deepEqual(await page.evaluate(FOR_THE_MOUSE_ALONE), [], `${what}: for the mouse alone`);
  const controls = await page.evaluate<number>(MARK_CONTROLS);
  // What is loaded meanwhile may take the focused control away, and with it the place from which Tab goes on.
  for (let walk = 1; walk <= 3 && (await page.evaluate<string[]>(UNREACHED)).length > 0; walk++) {
    await page.locator("#content").focus();
    // A date has a stop for each of its parts.
    for (let pressed = 0; pressed <= 5 * controls; pressed++) {
      await page.keyboard.press("Tab");
      if (!(await page.evaluate<boolean>(REACH))) break;
    }
  }
  assert.deepEqual(await page.evaluate(UNREACHED), [], `${what}: not reached by Tab`);
}

const WINDOWS = {
  "light on a desk": { viewport: { width: 1280, height: 800 }, colorScheme: "light" },
  "dark on a phone": { viewport: { width: 320, height: 640 }, colorScheme: "dark" },
} as const;

/** Declares tests that open each address below `/dashboard`, in light and dark, on a desk, there by keyboard alone and with text at 200 % too, and a phone; no page asks anything of another host. `last` looks at more on the last page. */
export function everyPageLooksRight(
  dashboard: DashboardPages,
  addresses: () => readonly string[],
  last?: (page: Page) => Promise<void>,
): void {
  for (const [name, options] of Object.entries(WINDOWS))
    test(`every page looks right, ${name}`, async (t) => {
      const page = await dashboard.open(t, "/", options);
      const outside: string[] = [];
      page.on("request", (request) => {
        if (new URL(request.url()).origin !== new URL(dashboard.api.baseUrl).origin) outside.push(request.url());
      });
      page.on("console", (message) => {
        if (/Content Security Policy|violat/i.test(message.text())) outside.push(message.text());
      });
      for (const address of addresses()) {
        await page.goto(`${dashboard.api.baseUrl}/dashboard${address}`);
        await page.locator("#content :is(h1, h2, [role=alert])").first().waitFor();
        await looksRight(page, address);
        if (SHOTS)
          await page.screenshot({ path: `${SHOTS}/${name} ${address.replaceAll(/[^\w]+/g, "-")}.png`, fullPage: true });
        if (name !== "light on a desk") continue;
        await worksByKeyboard(page, address);
        await fitsLargeText(page, address);
      }
      await last?.(page);
      assert.deepEqual(outside, []);
    });
}

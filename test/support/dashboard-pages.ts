import assert from "node:assert/strict";
import { after, before, type TestContext, test } from "node:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import type { RoleId } from "../../src/modules/members/types.ts";
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
  readonly role?: RoleId;
  readonly staff?: Credentials;
}

/**
 * Opens the service before the tests of the file and closes it after them. `prepare` makes what the organisation has;
 * `environment` is asked for settings of the service first.
 */
export function setUpDashboardPages(
  prepare?: (shop: ApiMerchant, api: TestApi) => Promise<void>,
  environment?: () => Promise<Readonly<Record<string, string>>>,
): DashboardPages {
  let api: TestApi;
  let shop: ApiMerchant;
  before(async () => {
    api = await openApi(await environment?.());
    shop = await api.addMerchant({ name: "Karoo Books" });
    await prepare?.(shop, api);
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
  const address = form.getByRole("textbox", { name: "Email address" });
  await address.waitFor();
  if (await address.isEditable()) await address.fill(email);
  await form.locator("input[type=password]").fill(password);
  await form.getByRole("button", { name: "Sign in", exact: true }).click();
}

/** A folder that gets a picture of each page, for who wants to look at them. */
const SHOTS = process.env["TEST_SCREENSHOTS"];

/** Pixels by which the page is wider than the window. */
const WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
const NEXT_WIDER = `new Promise((resolve) => requestAnimationFrame(() => resolve(${WIDER})))`;
/** How long the page may take to follow a change of the window or the text. */
const FOLLOW_MS = 3_000;

/** Fails when the page is wider than the window. */
export async function isNoWider(page: Page, what: string): Promise<void> {
  const end = Date.now() + FOLLOW_MS;
  let wider = await page.evaluate<number>(WIDER);
  while (wider !== 0 && Date.now() < end) wider = await page.evaluate<number>(NEXT_WIDER);
  assert.equal(wider, 0, `${what}: wider than the window`);
}

/** Waits until nothing of the page is still being loaded. */
export async function loaded(page: Page): Promise<void> {
  const busy = page.locator("[aria-busy=true]");
  while ((await busy.count()) > 0) await busy.first().waitFor({ state: "detached" });
}

/** Fails when axe finds something, or when the page is wider than the window. */
export async function looksRight(page: Page, what: string): Promise<void> {
  await loaded(page);
  assert.deepEqual(await axeFindings(page), [], what);
  await isNoWider(page, what);
}

/** Fails when the page is wider than the window once its text is twice as large. */
async function fitsLargeText(page: Page, what: string): Promise<void> {
  await page.evaluate(`document.documentElement.style.fontSize = "200%"`);
  await isNoWider(page, `${what}, with text at 200 %`);
  await page.evaluate(`document.documentElement.style.fontSize = ""`);
}

/** Parts of fields that the keyboard uses from within the field: Delete clears it and takes the last choice away, arrow keys count. */
const FIELD_PARTS =
  ".mantine-InputClearButton-root, .mantine-NumberInput-controls, .mantine-MultiSelect-input, .mantine-Checkbox-root, .mantine-Radio-root";
/** What takes clicks in the page's content, and is within nothing that takes the focus. */
const FOR_THE_MOUSE_ALONE = `
  [...document.querySelectorAll("main *")]
    .filter((element) => element.checkVisibility({ visibilityProperty: true }) && getComputedStyle(element).cursor === "pointer")
    .filter((element) => !element.closest("label, ${FIELD_PARTS}, :disabled, [aria-disabled=true]"))
    .filter((element) => {
      const control = element.closest("a[href], button, input, select, textarea, summary, [tabindex]");
      return control === null || (control.tabIndex < 0 && !control.closest("[role=tablist], [role=radiogroup]"));
    })
    .map((element) => element.outerHTML.slice(0, 200))`;
/** The controls of the page's content that Tab has to reach, which are marked. */
const MARK_CONTROLS = `
  [...document.querySelectorAll("main :is(a[href], button, input, select, textarea, summary, time[tabindex])")]
    .filter((control) => control.tabIndex >= 0 && !control.disabled && control.checkVisibility({ visibilityProperty: true }))
    .filter((control) => control.type !== "radio" || control.checked)
    .map((control) => (control.dataset.unreached = "", control)).length`;
/** Whether the focus is within the content, after the mark of what has it was taken away. */
const REACH = `(() => {
  const at = document.activeElement;
  delete at.dataset.unreached;
  return at.closest("main") !== null;
})()`;
const UNREACHED = `[...document.querySelectorAll("[data-unreached]")].map((control) => control.outerHTML.slice(0, 200))`;
/** Puts the focus before the first control of the content, as the link that skips the navigation does. */
const BEGIN = `(() => {
  const main = document.querySelector("main");
  main.tabIndex = -1;
  main.focus();
})()`;

/** Fails when a control of the content cannot be reached by Tab alone, or is one for the mouse alone. */
async function worksByKeyboard(page: Page, what: string): Promise<void> {
  assert.deepEqual(await page.evaluate(FOR_THE_MOUSE_ALONE), [], `${what}: for the mouse alone`);
  const controls = await page.evaluate<number>(MARK_CONTROLS);
  // What is loaded meanwhile may take the focused control away, and with it the place from which Tab goes on.
  for (let walk = 1; walk <= 3 && (await page.evaluate<string[]>(UNREACHED)).length > 0; walk++) {
    await page.evaluate(BEGIN);
    // A date has a stop for each of its parts.
    for (let pressed = 0; pressed <= 5 * controls; pressed++) {
      await page.keyboard.press("Tab");
      if (!(await page.evaluate<boolean>(REACH))) break;
    }
  }
  assert.deepEqual(await page.evaluate(UNREACHED), [], `${what}: not reached by Tab`);
}

const DESK = { width: 1280, height: 800 };
const PHONE = { width: 320, height: 640 };

/** The page is laid out anew in the frame after a change, and what it animates ends later. */
const SETTLED = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  .then(() => Promise.allSettled(document.getAnimations().map((one) => one.finished)))`;

async function inWindow(page: Page, window: { readonly width: number; readonly height: number }): Promise<void> {
  await page.setViewportSize(window);
  await page.evaluate(SETTLED);
}

async function inColours(page: Page, colorScheme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
  await page.evaluate(SETTLED);
}

/**
 * Fails when axe finds something in the page as it is shown, on a desk and on a phone, in light and dark, or when it is
 * wider than the window; on a desk also with text at 200 %. Colours change nothing but what axe says of them. Leaves a
 * light page on a phone.
 */
export async function looksRightAnywhere(page: Page, what: string): Promise<void> {
  const other = async (scheme: "light" | "dark", window: string) => {
    await inColours(page, scheme);
    assert.deepEqual(await axeFindings(page, ["color-contrast"]), [], `${what}, ${scheme} ${window}`);
    await picture(page, `${scheme} ${window} ${what}`);
  };
  await inWindow(page, DESK);
  await inColours(page, "light");
  await looksRight(page, `${what}, light on a desk`);
  await picture(page, `light on a desk ${what}`);
  await fitsLargeText(page, what);
  await other("dark", "on a desk");
  await inWindow(page, PHONE);
  await looksRight(page, `${what}, dark on a phone`);
  await picture(page, `dark on a phone ${what}`);
  await other("light", "on a phone");
}

async function picture(page: Page, name: string): Promise<void> {
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name.replaceAll(/[^\w ]+/g, "-")}.png`, fullPage: true });
}

/** Paths of all pages, from the router itself, as it writes them: `/customers/$id`. */
export const routesOf = async (page: Page): Promise<string[]> =>
  (await page.evaluate<string[]>("Object.keys(__TSR_ROUTER__.routesByPath)")).filter((path) => !path.endsWith("$"));

/** Whether a page is a form for something new. */
export const isForm = (path: string): boolean => /\/(new|import)$/.test(path);

/**
 * Declares a test that opens each address below `/dashboard`, which looks right anywhere and works by keyboard alone,
 * and asks nothing of another host. `addresses` gets the paths of all pages; `last` looks at more on the last page.
 */
export function everyPageLooksRight(
  dashboard: DashboardPages,
  addresses: (routes: readonly string[]) => readonly string[],
  last?: (page: Page) => Promise<void>,
): void {
  test("every page looks right, light and dark, on a desk and a phone", async (t) => {
    const page = await dashboard.open(t, "/", { viewport: DESK, colorScheme: "light" });
    const outside: string[] = [];
    page.on("request", (request) => {
      if (new URL(request.url()).origin !== new URL(dashboard.api.baseUrl).origin) outside.push(request.url());
    });
    page.on("console", (message) => {
      if (/Content Security Policy|violat/i.test(message.text())) outside.push(message.text());
    });
    const faults: string[] = [];
    const collect = (fault: unknown) => void faults.push(fault instanceof Error ? fault.message : String(fault));
    for (const address of addresses(await routesOf(page))) {
      await inWindow(page, DESK);
      await page.goto(`${dashboard.api.baseUrl}/dashboard${address}`);
      await page.locator("main :is(h1, h2, [role=alert])").first().waitFor();
      await loaded(page);
      await worksByKeyboard(page, address).catch(collect);
      await looksRightAnywhere(page, address).catch(collect);
    }
    await last?.(page).catch(collect);
    assert.deepEqual([...faults, ...outside], []);
  });
}

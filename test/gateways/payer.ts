import assert from "node:assert/strict";
import type { TestApi } from "../support/api.ts";
import { openPage, postForm } from "../support/cards.ts";

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"' };
const decoded = (text: string): string =>
  text.replace(/&(?:#(\d+)|(\w+));/g, (whole, code, name) =>
    code ? String.fromCodePoint(Number(code)) : (ENTITIES[name] ?? whole),
  );

const attribute = (tag: string, name: string): string =>
  decoded(new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? "");

/** The one form of a page that leads on by itself, or by one choice. */
function formOf(html: string): { readonly action: string; readonly fields: [string, string][] } {
  const form = /<form[\s\S]*?<\/form>/.exec(html)?.[0] ?? "";
  assert.notEqual(form, "", `no form in ${html.slice(0, 2000)}`);
  const inputs = form.match(/<input[^>]*>/g) ?? [];
  return {
    action: attribute(form, "action"),
    fields: inputs.map((input) => [attribute(input, "name"), attribute(input, "value")]),
  };
}

/** How a payer's visit at the gateway ended. */
export interface Decided {
  /** Where the gateway sent the browser. */
  readonly location: string;
}

/** A page of the gateway on which a payer decides. */
interface ReachedPage {
  /** The outcomes that it offers. */
  readonly outcomes: readonly string[];
  /** Chooses an outcome, with values for the other fields of the form. A page may take another choice after the first. */
  decide(outcome: string, values?: Readonly<Record<string, string>>): Promise<Decided>;
}

/**
 * Follows a payer from the hosted page's answer to the gateway's page, by redirects and by forms that post themselves, as a browser does.
 */
export async function reach(api: TestApi, location: string): Promise<ReachedPage> {
  const base = new URL(api.baseUrl).origin;
  let url = new URL(location, base);
  let html = "";
  for (let step = 0; html === ""; step++) {
    assert.ok(step < 6, `no end of redirects at ${url}`);
    if (url.origin === base) {
      const { action, fields } = formOf((await openPage(api, url.href)).text);
      const answer = await fetch(action, { method: "POST", body: new URLSearchParams(fields), redirect: "manual" });
      html = await pageOf(answer, action);
      url = new URL(answer.headers.get("location") ?? "", action);
      continue;
    }
    const answer = await fetch(url, { redirect: "manual" });
    html = await pageOf(answer, url.href);
    if (html === "") url = new URL(answer.headers.get("location") ?? "", url);
  }
  const { action, fields } = formOf(html);
  return {
    outcomes: (html.match(/<button[^>]*>/g) ?? []).map((button) => attribute(button, "value")),
    async decide(outcome, values = {}) {
      const body = new URLSearchParams({ ...Object.fromEntries(fields), ...values, outcome });
      const answer = await fetch(new URL(action, url), { method: "POST", body, redirect: "manual" });
      const text = await answer.text();
      assert.equal(answer.status, 303, text);
      return { location: answer.headers.get("location") ?? "" };
    },
  };
}

/** Reaches the gateway's page and chooses an outcome there. */
export const decideAt = async (
  api: TestApi,
  location: string,
  outcome: string,
  values: Readonly<Record<string, string>> = {},
): Promise<Decided> => (await reach(api, location)).decide(outcome, values);

/** The page that was answered; empty for a redirect. */
async function pageOf(answer: Response, url: string): Promise<string> {
  const text = await answer.text();
  if (answer.status >= 300 && answer.status < 400) return "";
  assert.equal(answer.status, 200, `${url}: ${answer.status} ${text.slice(0, 2000)}`);
  return text;
}

/** Presses the main button of a hosted page; answers where the browser is led. */
export async function pressPay(api: TestApi, url: string, fields: Readonly<Record<string, string>>): Promise<string> {
  const answer = await postForm(api, url, fields);
  assert.equal(answer.status, 303, answer.text.slice(0, 3000));
  return String(answer.headers.location);
}

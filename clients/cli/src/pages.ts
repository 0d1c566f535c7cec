import type { Tefo } from "../../typescript/src/index.ts";

/** Fields of one form, in place of what its page has in them. */
export type Filled = Readonly<Record<string, string>>;

/**
 * Does on hosted pages what their visitor does: opens a page, fills in its form, and goes where it leads, form by form.
 * What a page has filled in, or chosen, stays; a way to pay is the sandbox gateway. Answers where the last form led.
 * Throws when a page has no form, or shows it again.
 */
export async function visit(tefo: Tefo, url: string, forms: readonly Filled[]): Promise<string> {
  const sandbox = await sandboxGateway(tefo);
  let at = url;
  for (const fields of forms) {
    const page = await (await fetch(at)).text();
    const form = formOf(page);
    if (form === null) throw new Error(`the page has no form: ${at}`);
    const gateway = form.has("gateway") ? { gateway: sandbox } : {};
    const sent = { ...Object.fromEntries(form), ...gateway, ...fields };
    const body = new URLSearchParams(sent);
    const answer = await fetch(at, { method: "POST", redirect: "manual", body });
    const next = answer.headers.get("location");
    if (answer.status !== 303 || next === null) throw new Error(problemOf(await answer.text(), at));
    at = new URL(next, at).href;
  }
  // The pages that show an outcome ask for it first.
  if (new URL(at).origin === new URL(url).origin) await (await fetch(at)).text();
  return at;
}

async function sandboxGateway(tefo: Tefo): Promise<string> {
  for await (const account of tefo.gateways.list({ limit: 100 })) if (account.type === "sandbox") return account.id;
  throw new Error("the organisation has no sandbox gateway: add one in the dashboard, under Gateways");
}

/** What a browser would send of the first form that is posted, without its buttons; null for a page without such a form. */
function formOf(page: string): Map<string, string> | null {
  const form = /<form[^>]*method="post"[\s\S]*?<\/form>/.exec(page)?.[0];
  if (form === undefined) return null;
  const fields = new Map<string, string>();
  for (const [tag] of form.matchAll(/<input\b[^>]*>/g)) {
    const of = (name: string) => new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1];
    const name = of("name");
    const isChosen = !["radio", "checkbox"].includes(of("type") ?? "") || /\schecked\b/.test(tag);
    if (name !== undefined && of("type") !== "file" && isChosen) fields.set(name, plain(of("value") ?? ""));
  }
  return fields;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
const plain = (text: string): string =>
  text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_all, name) => ENTITIES[name] ?? "");

/** What a page says is wrong with its form. */
function problemOf(page: string, url: string): string {
  const problem = /<div class="problem"[\s\S]*?<ul>([\s\S]*?)<\/ul>/.exec(page)?.[1];
  const said = plain((problem ?? "").replaceAll(/<[^>]*>/g, " ")).trim();
  return `the form was not taken: ${said === "" ? "the page does not say why" : said} (${url})`;
}

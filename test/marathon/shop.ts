import { openMerchant } from "../support/crashes.ts";
import { tefo } from "../support/processes.ts";
import { type Answer, type Client, openClient } from "./client.ts";
import type { Random } from "./random.ts";
import type { Receiver } from "./receiver.ts";
import type { Service } from "./service.ts";

type Json = Readonly<Record<string, unknown>>;

/** A request with its answer, as a merchant's system stores them. */
export interface Acknowledged {
  readonly path: string;
  readonly key: string;
  readonly body: string | null;
  readonly status: number;
  readonly answer: string;
}

/** One sandbox organisation, and what its system knows. */
export interface Shop {
  readonly id: string;
  readonly slug: string;
  /** Whether its clock is set and moved; otherwise it is real time. */
  readonly clocked: boolean;
  /** Every POST with an Idempotency-Key that was answered since the last examination. */
  readonly acknowledged: Acknowledged[];
  /** How many records of each path were created, in all. */
  readonly created: Map<string, number>;
  /** Ids that later work names, by kind. */
  readonly ids: Readonly<Record<Kind, string[]>>;
  /** How often each path was answered how. */
  readonly answers: Map<string, number>;
  /** Answers that no fault explains. */
  readonly refused: string[];
  /** Calls the API until it is answered. A POST has an Idempotency-Key, which is repeated. */
  call(method: "GET" | "POST", path: string, body?: Json | FormData): Promise<Called>;
  /** As `call`, for what takes no key: a refusal is the caller's to judge. */
  callPlain(path: string, body: Json): Promise<Called>;
  /** Sends a stored request again, once. */
  repeat(request: Acknowledged): Promise<Answer>;
  /** As a payer's client does, with this shop's gateway. */
  readonly pay: Client["pay"];
}

export interface Called {
  readonly status: number;
  readonly body: Json;
}

type Kind =
  | "customers"
  | "carded"
  | "links"
  | "invoices"
  | "quotes"
  | "paid"
  | "subscriptions"
  | "plans"
  | "products"
  | "mandates"
  | "transfers"
  | "batches";

/** Refusals that follow from the state of a record, which faults and other work have changed. */
const OF_STATE = new Set([400, 402, 404, 409, 422, 502]);
export interface Opening {
  readonly slug: string;
  readonly clocked: boolean;
  readonly random: Random;
  /** Ends all retries. */
  stopped(): boolean;
}

/** Opens an organisation with a gateway account, bank transfers, a webhook endpoint and a plan. */
export async function openShop(service: Service, receiver: Receiver, opening: Opening): Promise<Shop> {
  const { slug, clocked, random, stopped } = opening;
  const merchant = await openMerchant(service.environment, service.front.port, slug);
  await tefo(service.environment, "org", "update", slug, "--status", "active");
  const keyed = await merchant.staff("/api-keys", { name: "Marathon", permissions: ["charge_saved_cards"] });
  const base = `http://127.0.0.1:${service.front.port}`;
  const client = openClient(base, (keyed as { key: string }).key, stopped);
  const lacks = (status: number, text: string) =>
    service.runsRelease() && (status === 405 || (status === 404 && text.includes("No such path")));
  const shop = shopOf({ id: merchant.id, slug, clocked, gatewayId: merchant.gatewayId, lacks }, client, random);
  await merchant.staff("/webhook-endpoints", { url: receiver.urlOf(slug) });
  await prepare(shop, merchant.staff);
  return shop;
}

/** The organisation of a shop, with its gateway account. */
type Facts = Pick<Shop, "id" | "slug" | "clocked"> & {
  readonly gatewayId: string;
  /** Whether an answer says that the version that runs has no such operation yet, as a release may. */
  lacks?(status: number, text: string): boolean;
};

/** A shop that has an organisation, and knows of nothing yet. */
export function shopOf(facts: Facts, { api, pay }: Client, random: Random): Shop {
  const { id, slug, clocked, gatewayId, lacks = () => false } = facts;
  const acknowledged: Acknowledged[] = [];
  const created = new Map<string, number>();
  const refused: string[] = [];
  const answers = new Map<string, number>();
  const count = (path: string, status: number) => {
    const kind = `${path.replaceAll(/\/[^/]*(?:_|-[\dA-Z])[^/]*/g, "/…")} ${status}`;
    answers.set(kind, (answers.get(kind) ?? 0) + 1);
  };
  return {
    id,
    slug,
    clocked,
    acknowledged,
    created,
    answers,
    refused,
    ids: noIds(),
    async call(method, path, given) {
      const key = method === "POST" ? random.name() : null;
      const body = given === undefined ? null : given instanceof FormData ? given : JSON.stringify(given);
      const { status, text } = await api(method, path, body, key);
      if (method === "POST") count(path, status);
      if (lacks(status, text)) return { status, body: {} };
      // What a gateway has caused is not stored, and a form is not the same bytes again.
      if (key !== null && !(body instanceof FormData) && status < 500)
        acknowledged.push({ path, key, body, status, answer: text });
      if (status === 201) created.set(path, (created.get(path) ?? 0) + 1);
      if (status >= 400 && !OF_STATE.has(status)) refused.push(`${method} ${path}: ${status} ${text}`);
      return { status, body: parsed(text) };
    },
    async callPlain(path, body) {
      const { status, text } = await api("POST", path, JSON.stringify(body), null);
      count(path, status);
      return { status, body: parsed(text) };
    },
    repeat: ({ path, key, body }) => api("POST", path, body, key),
    pay: (url, fields, outcome) => pay(url, { ...fields, gateway: gatewayId }, outcome),
  };
}

const noIds = (): Shop["ids"] => ({
  customers: [],
  carded: [],
  links: [],
  invoices: [],
  quotes: [],
  paid: [],
  subscriptions: [],
  plans: [],
  products: [],
  mandates: [],
  transfers: [],
  batches: [],
});

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return {};
  }
}

const BANK = {
  bankName: "Karoo Bank",
  accountName: "Thandi's Shop (Pty) Ltd",
  accountNumber: "62 123 456 789",
  branchCode: "250655",
  accountType: "current",
};

/** What every kind of work needs. */
export async function prepare(shop: Shop, staff: (path: string, body: unknown) => Promise<unknown>): Promise<void> {
  if (shop.clocked) await staff("/test-clock", { now: "2027-01-04T06:00:00.000Z" });
  await staff("/gateways", { type: "manual_eft", name: "Transfers", credentials: BANK });
  const made = async (path: string, body: Json) => String((await shop.call("POST", path, body)).body["id"]);
  const parent = await made("/packages", { name: "Gym" });
  shop.ids.plans.push(await made(`/packages/${parent}/plans`, { name: "Gold", amount: 100, frequency: "monthly" }));
  shop.ids.products.push(await made("/products", { name: "Book", amount: 99.99 }));
}

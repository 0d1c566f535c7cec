import { setTimeout as sleep } from "node:timers/promises";
import { openMerchant } from "../support/crashes.ts";
import { tefo } from "../support/processes.ts";
import type { Random } from "./random.ts";
import type { Receiver } from "./receiver.ts";
import type { Service } from "./service.ts";

type Json = Readonly<Record<string, unknown>>;

/** A request with its answer, as a merchant's system stores them. */
export interface Acknowledged {
  readonly path: string;
  readonly key: string;
  readonly body: string;
  readonly status: number;
  readonly answer: string;
}

/** One sandbox organisation, and what its system knows. */
export interface Shop {
  readonly id: string;
  readonly slug: string;
  readonly gatewayId: string;
  /** Whether its clock is set and moved; otherwise it is real time. */
  readonly clocked: boolean;
  /** Every POST with an Idempotency-Key that was answered since the last examination. */
  readonly acknowledged: Acknowledged[];
  /** How many records of each path were created, in all. */
  readonly created: Map<string, number>;
  /** Ids that later work names, by kind. */
  readonly ids: Readonly<Record<Kind, string[]>>;
  /** Answers that no fault explains. */
  readonly refused: string[];
  /** Calls the API until it is answered. A POST has an Idempotency-Key, which is repeated. */
  call(method: "GET" | "POST", path: string, body?: Json | FormData): Promise<Called>;
  /** As `call`, for what takes no key: a refusal is the caller's to judge. */
  callPlain(path: string, body: Json): Promise<Called>;
  /** Sends a stored request again, once. */
  repeat(request: Acknowledged): Promise<{ status: number; answer: string; replayed: boolean }>;
  /** Opens a page of the payer and submits its form; answers the status of the last page, or null when one was not reached. */
  pay(url: string, fields: Readonly<Record<string, string>>, outcome: Readonly<Record<string, string>>): Promise<void>;
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

/** A merchant's system gives a request half a minute, as the documentation advises. */
const TIMEOUT_MS = 30_000;
const RETRY_MS = 100;
/** Refusals that follow from the state of a record, which faults and other work have changed. */
const OF_STATE = new Set([400, 402, 404, 409, 422, 502]);
/** Of a request that the service refuses while another with its key or its name is under way. */
const isBusy = (status: number, headers: Headers): boolean =>
  status === 429 || (status === 409 && headers.has("retry-after"));

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
  const { key: apiKey } = (await merchant.staff("/api-keys", {
    name: "Marathon",
    permissions: ["charge_saved_cards"],
  })) as { key: string };
  const base = `http://127.0.0.1:${service.front.port}`;
  const acknowledged: Acknowledged[] = [];
  const created = new Map<string, number>();
  const refused: string[] = [];

  const send = (path: string, init: RequestInit) =>
    fetch(`${base}${path}`, { ...init, redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS) });
  const api = (method: string, path: string, body: string | FormData | null, headers: Record<string, string>) =>
    send(`/api/v1${path}`, { method, headers: { authorization: `Bearer ${apiKey}`, ...headers }, body });
  /** Until it is answered by the service, not by what is between. */
  const answered = async (ask: () => Promise<Response>): Promise<{ response: Response; text: string }> => {
    for (;;) {
      if (stopped()) throw new Stopped();
      try {
        const response = await ask();
        const text = await response.text();
        const unsettled = response.status >= 500 && response.status !== 502;
        if (!unsettled && !isBusy(response.status, response.headers)) return { response, text };
      } catch {
        // A process or what is before it is down.
      }
      await sleep(RETRY_MS);
    }
  };
  const shop: Shop = {
    id: merchant.id,
    slug,
    gatewayId: merchant.gatewayId,
    clocked,
    acknowledged,
    created,
    ids: {
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
    },
    refused,
    async call(method, path, body) {
      const key = random.name();
      const isForm = body instanceof FormData;
      const text = body === undefined || isForm ? "" : JSON.stringify(body);
      const headers = {
        ...(isForm ? {} : { "content-type": "application/json" }),
        ...(method === "POST" ? { "idempotency-key": key } : {}),
      };
      const { response, text: answer } = await answered(() =>
        api(
          method,
          path,
          isForm ? body : text === "" ? null : text,
          text === "" && !isForm ? omitType(headers) : headers,
        ),
      );
      const { status } = response;
      if (method === "POST" && !isForm) {
        acknowledged.push({ path, key, body: text, status, answer });
        if (status === 201) created.set(path, (created.get(path) ?? 0) + 1);
      }
      if (status >= 400 && !OF_STATE.has(status)) refused.push(`${method} ${path}: ${status} ${answer}`);
      return { status, body: parsed(answer) };
    },
    async callPlain(path, body) {
      const { response, text } = await answered(() =>
        api("POST", path, JSON.stringify(body), { "content-type": "application/json" }),
      );
      return { status: response.status, body: parsed(text) };
    },
    async repeat({ path, key, body }) {
      const headers = { "content-type": "application/json", "idempotency-key": key };
      const { response, text } = await answered(() =>
        api("POST", path, body === "" ? null : body, body === "" ? omitType(headers) : headers),
      );
      return {
        status: response.status,
        answer: text,
        replayed: response.headers.get("idempotent-replayed") === "true",
      };
    },
    async pay(url, fields, outcome) {
      const here = (address: string) => new URL(address, base).pathname + new URL(address, base).search;
      const post = (address: string, form: Readonly<Record<string, string>>) =>
        send(here(address), { method: "POST", body: new URLSearchParams(form), headers: { origin: base } });
      try {
        const page = await (await send(here(url), {})).text();
        const formToken = /name="formToken" value="([^"]+)"/.exec(page)?.[1] ?? "";
        const target = (await post(url, { ...fields, gateway: merchant.gatewayId, formToken })).headers.get("location");
        if (target?.includes("/sandbox-gateway/")) await (await post(target, outcome)).text();
      } catch {
        // A payer does not try again; what has begun is for the service to end.
      }
    },
  };
  await prepare(shop, merchant.staff, receiver);
  return shop;
}

/** Thrown by a call when the marathon ends. */
export class Stopped extends Error {}

const omitType = ({ "content-type": _, ...headers }: Record<string, string>): Record<string, string> => headers;

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
async function prepare(
  shop: Shop,
  staff: (path: string, body: unknown) => Promise<unknown>,
  receiver: Receiver,
): Promise<void> {
  if (shop.clocked) await staff("/test-clock", { now: "2027-01-04T06:00:00.000Z" });
  await staff("/gateways", { type: "manual_eft", name: "Transfers", credentials: BANK });
  await staff("/webhook-endpoints", { url: receiver.urlOf(shop.slug) });
  const made = async (path: string, body: Json) => String((await shop.call("POST", path, body)).body["id"]);
  const parent = await made("/packages", { name: "Gym" });
  shop.ids.plans.push(await made(`/packages/${parent}/plans`, { name: "Gold", amount: 100, frequency: "monthly" }));
  shop.ids.products.push(await made("/products", { name: "Book", amount: 99.99 }));
}

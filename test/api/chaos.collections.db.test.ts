import assert from "node:assert/strict";
import { test } from "node:test";
import { type CardShop, openCardShop, postForm, VISA } from "../support/cards.ts";
import {
  type Chaos,
  type Done,
  dayIn,
  fewOf,
  inDays,
  kept,
  type Operations,
  openChaos,
  play,
} from "../support/chaos.ts";
import { postSale } from "../support/checkout.ts";
import { addTransfers } from "../support/eft.ts";
import { exempt } from "../support/invoices.ts";
import { mandateBody } from "../support/mandates.ts";
import { CREDENTIALS } from "../support/payments.ts";
import { importFile, statementOf } from "../support/reconciliation.ts";
import { formOf, pdfOf } from "../support/uploads.ts";
import { faultsOf } from "../support/verified.ts";

/*
 * As chaos.invoices.db.test.ts, for collections and reports of payments: debit orders with their batches and returns,
 * bank transfers with proofs, checkouts, refunds, bank statements that are matched and undone, and months that are
 * closed, while the clock moves. The gateway is the sandbox's own.
 */

const TURNS = 1_000;
/** How far the clock is moved, each time beside an equal part of the turns. */
const DAYS = [1, 2, 3, 1, 5, 2, 1, 9, 3, 4];
/** Months end on the way. */
const START = Date.parse("2027-03-23T10:00:00.000Z");

interface Stage extends CardShop {
  readonly chaos: Chaos;
  readonly customers: string[];
  readonly mandates: string[];
  readonly batches: string[];
  readonly orders: string[];
  readonly invoices: string[];
  readonly products: string[];
  readonly packageId: string;
  /** Pages of the gateway, and of agreements. */
  readonly gatewayPages: string[];
  readonly agreements: string[];
  /** Of the clock, after `START`. */
  day: number;
  /** The newest of what a query finds of the organisation, by its column `id`; `t` is the table. */
  newest(query: string): Promise<string[]>;
}

type Acts = Operations<Stage>;
const PAYMENTS = "select t.reference as id from transactions t where t.organisation_id = $1 and t.status";
const LINES = "select t.id from reconciliation_items t where t.organisation_id = $1 and t.status";

const DEBITS: Acts = {
  mandate({ customers, mandates }, { which, other }, call) {
    const authority = ["offline", "offline", "agreement", "emandate"][which % 4];
    const given = { authority, confirmOfflineMandate: true, debitDay: 1 + (other % 28), amount: 20 + (other % 3) * 10 };
    const bank = other % 4 ? {} : { accountNumber: "62900417702" };
    const body = mandateBody({ customer: fewOf(customers, which) }, given, bank);
    return kept(mandates, call("POST", "/mandates", body));
  },
  changeMandate({ mandates }, { which, other }, call) {
    const bodies = [
      { status: "paused" },
      { status: "active" },
      { amount: 30 },
      { debitDay: 9 },
      { status: "cancelled" },
    ];
    return call("PATCH", `/mandates/${fewOf(mandates, which)}`, bodies[other % bodies.length]);
  },
  judgeMandate: ({ mandates }, { which, other }, call) =>
    other % 3
      ? call("POST", `/mandates/${fewOf(mandates, which)}/approve`)
      : call("POST", `/mandates/${fewOf(mandates, which)}/reject`, { reason: "No." }),
  agreement: ({ mandates, agreements }, { which }, call) =>
    kept(
      agreements,
      call("POST", `/mandates/${fewOf(mandates, which)}/agreement`, {}),
      ({ signUrl }: { signUrl: string }) => signUrl,
    ),
  sign: ({ chaos, agreements }, { which }) =>
    postForm(chaos.other, fewOf(agreements, which), { fullName: "Thandi Nkosi", accept: "yes", action: "sign" }),
  gather: ({ batches, day }, { other }, call) =>
    kept(batches, call("POST", "/debit-batches", { actionDate: dayIn(day + 2 + (other % 6), START) })),
  async submit({ newest }, { which, other }, call) {
    const batches = await newest("select t.id from debit_batches t where t.organisation_id = $1");
    const path = `/debit-batches/${fewOf(batches, which)}`;
    return other % 5 ? call("POST", `${path}/submit`) : call("POST", `${path}/send-again`, { notAtGateway: true });
  },
};

const TRANSFERS: Acts = {
  order({ orders, customers }, { which, other }, call) {
    const customer = { id: fewOf(customers, other) };
    const body = { amount: 30, externalReference: `order ${which % 6}`, customer };
    return kept(orders, call("POST", "/eft-orders", body));
  },
  async proof({ orders }, { which, other }, call) {
    const { body, headers } = await formOf({ field: "file", name: "slip.pdf", bytes: pdfOf(String(other % 4)) });
    return call("POST", `/eft-orders/${fewOf(orders, which)}/proof`, body, headers);
  },
  judgeOrder({ orders }, { which, other }, call) {
    const action = ["approve", "approve", "reject", "cancel"][other % 4];
    const body = action === "reject" ? { reason: "No." } : undefined;
    return call("POST", `/eft-orders/${fewOf(orders, which)}/${action}`, body);
  },
  invoice({ invoices, customers, day }, { which, other }, call) {
    const dates = { issueDate: dayIn(day - (other % 40), START), dueDate: dayIn(day + 9, START) };
    const body = { customerId: fewOf(customers, which), lines: [exempt(10 + (other % 3) * 10)], send: true, ...dates };
    return kept(invoices, call("POST", "/invoices", body));
  },
  payOffline: ({ invoices }, { which, other }, call) =>
    call("POST", `/invoices/${fewOf(invoices, which)}/payments`, { amount: 1 + (other % 30), method: "eft" }),
  cancelInvoice: ({ invoices }, { which }, call) => call("POST", `/invoices/${fewOf(invoices, which)}/cancel`),
  async payPage({ chaos, account, invoices, gatewayPages }, { which, other }, call) {
    const { body } = await call<{ payUrl: string | null }>("GET", `/invoices/${fewOf(invoices, which)}`);
    if (!body.payUrl) return { status: 404 };
    const api = other % 2 ? chaos.api : chaos.other;
    return begun(gatewayPages, await postForm(api, body.payUrl, { gateway: account.id }));
  },
};

/** Keeps the gateway's page to which a payer is sent. */
function begun(pages: string[], answer: Awaited<ReturnType<typeof postForm>>): Done {
  const to = answer.headers.location;
  if (answer.status === 303 && to?.includes("/sandbox-gateway/")) pages.push(to);
  return answer;
}

const SALES: Acts = {
  session({ products, packageId }, { which, other }, call) {
    const sold = other % 2 ? { productId: fewOf(products, which) } : { packageId };
    return call("POST", "/checkout-sessions", { ...sold, customer: { email: `p${which % 4}@example.org` } });
  },
  async buy(stage, { which, other }, call) {
    const sold = other % 2 ? { productId: fewOf(stage.products, which) } : { packageId: stage.packageId };
    const made = await call<{ checkoutUrl: string }>("POST", "/checkout-sessions", sold);
    if (made.status !== 201) return made;
    const payer = { email: `p${which % 20}@example.org`, firstName: "Thandi", gateway: stage.account.id };
    return begun(stage.gatewayPages, await postSale(stage, made.body.checkoutUrl, payer));
  },
  choose({ chaos, gatewayPages }, { which, other }) {
    const outcome = ["complete", "complete", "failed", "cancelled"][other % 4] ?? "";
    return postForm(chaos.api, fewOf(gatewayPages, which), { outcome, card: VISA, saveCard: "on" });
  },
  async notify({ newest }, { which, other }, call) {
    const reference = fewOf(await newest(`${PAYMENTS} <> 'cancelled' and t.gateway_type = 'sandbox'`), which);
    const status = ["complete", "complete", "failed", "disputed", "pending"][other % 5];
    return call("POST", "/sandbox/notify", { reference, status, times: 1 + (other % 3) });
  },
  refund: async ({ newest }, { which, other }, call) =>
    call("POST", `/transactions/${fewOf(await newest(`${PAYMENTS} = 'complete'`), which)}/refunds`, {
      amount: 1 + (other % 9),
      method: other % 3 ? "gateway" : "manual",
    }),
  payOut: ({ customers }, { which, other }, call) =>
    call("POST", `/customers/${fewOf(customers, which)}/credit-refunds`, { amount: 1 + (other % 3) }),
};

const BANK: Acts = {
  async importStatement({ newest, day }, { which, other }, call) {
    const references = await newest(`${PAYMENTS} in ('complete', 'refunded', 'partially_refunded')`);
    const row = (n: number, amount: number) =>
      [dayIn(day, START), `EFT THANDI ${n % 9}`, amount, n % 2 ? fewOf(references, n) : ""] as const;
    const rows = [row(which, 30), row(other, 20), row(which + 1, 10 + (other % 3) * 10), row(other + 1, -5)];
    return importFile(call, statementOf(...rows), { account: other % 4 ? "Cheque" : "Savings" });
  },
  async match({ newest, invoices, customers }, { which, other }, call) {
    const path = `/reconciliation/items/${fewOf(await newest(`${LINES} = 'unmatched'`), which)}`;
    const found = await call<{ data?: { allocations: object[] }[] }>("GET", `${path}/candidates?q=thandi`);
    const offered = found.body.data?.[other % 3]?.allocations;
    const others = [
      { kind: "invoice", invoiceId: fewOf(invoices, other) },
      { kind: "customer_credit", customerId: fewOf(customers, other) },
      { kind: "bank_fee" },
    ];
    return call("POST", `${path}/match`, { allocations: offered ?? [others[other % others.length]] });
  },
  unmatch: async ({ newest }, { which }, call) =>
    call("POST", `/reconciliation/items/${fewOf(await newest(`${LINES} in ('matched', 'ignored')`), which)}/unmatch`),
  ignore: async ({ newest }, { which }, call) =>
    call("POST", `/reconciliation/items/${fewOf(await newest(`${LINES} = 'unmatched'`), which)}/ignore`, {
      reason: "No.",
    }),
  async rule(_stage, { which, other }, call) {
    const { body } = await call<{ data: { id: string }[] }>("GET", "/reconciliation/rules");
    const id = fewOf(
      body.data.map((rule) => rule.id),
      which,
    );
    return call("POST", `/reconciliation/rules/${id}/${other % 3 ? "accept" : "decline"}`);
  },
};

const OTHERS: Acts = {
  month: (_stage, { which, other }, call) =>
    call("POST", `/accounting/months/2027-0${2 + (which % 3)}/${other % 2 ? "close" : "reopen"}`),
  customer: ({ customers }, { which }, call) =>
    kept(
      customers,
      call("POST", "/customers", { externalReference: `ref ${which % 4}`, email: `p${which % 3}@example.org` }),
    ),
  patchCustomer({ customers }, { which, other }, call) {
    const body = { externalReference: `ref ${other % 4}`, ...(other % 3 ? {} : { active: which % 4 > 0 }) };
    return call("PATCH", `/customers/${fewOf(customers, which)}`, body);
  },
  erase: ({ customers }, { which, other }, call) =>
    other % 8 ? Promise.resolve({ status: 200 }) : call("POST", `/customers/${fewOf(customers, which)}/erase`),
  settings: (_stage, { which, other }, call) =>
    call("PATCH", "/settings", {
      debitOrders: { requireApproval: which % 3 === 0, requireSignedAgreement: other % 5 === 0, cutOffDays: which % 3 },
    }),
};

const STAFF_ONLY = new Set([
  ...[
    "judgeMandate",
    "gather",
    "submit",
    "judgeOrder",
    "notify",
    "refund",
    "payOut",
    "importStatement",
    "match",
    "unmatch",
  ],
  ...["ignore", "rule", "month", "erase", "settings"],
]);
const OFTEN = [
  "mandate",
  "notify",
  "notify",
  "buy",
  "choose",
  "choose",
  "importStatement",
  "match",
  "match",
  "judgeOrder",
  "payPage",
];

async function openStage(chaos: Chaos): Promise<Stage> {
  const shop = await openCardShop(chaos.api, { clockAt: new Date(START) as never }, { credentials: CREDENTIALS });
  await addTransfers(shop.shop);
  const made = async (path: string, body: object) => {
    const answer = await shop.staff<{ id: string }>("POST", path, body);
    assert.equal(answer.status, 201, answer.text);
    return answer.body.id;
  };
  const packageId = await made("/packages", { name: "Circle" });
  await made(`/packages/${packageId}/plans`, { name: "Gold", amount: 30, frequency: "monthly" });
  const products = [
    await made("/products", { name: "Book", amount: 30 }),
    await made("/products", { name: "Pen", amount: 20 }),
  ];
  return {
    ...shop,
    chaos,
    customers: [shop.customer],
    mandates: [],
    batches: [],
    orders: [],
    invoices: [],
    products,
    packageId,
    gatewayPages: [],
    agreements: [],
    day: 0,
    newest: async (query) => {
      const rows = await chaos.api.query<{ id: string }>(
        `${query} order by t.id desc limit 8`,
        shop.shop.organisation.id,
      );
      return rows.map(({ id }) => id);
    },
  };
}

test("collections, many at once over few records", { timeout: 250_000 }, async (t) => {
  const chaos = await openChaos(t, { standIn: false });
  const stage = await openStage(chaos);
  const move = (days: number) => {
    stage.day += days;
    return stage.staff("POST", "/test-clock", { now: inDays(stage.day, START) });
  };
  await play(chaos, {
    merchant: stage.shop,
    stage,
    operations: { ...DEBITS, ...TRANSFERS, ...SALES, ...BANK, ...OTHERS },
    often: OFTEN,
    staffOnly: STAFF_ONLY,
    turns: TURNS,
    atOnce: 8,
    beside: DAYS.map((days) => () => move(days)),
  });

  const moved = await move(9);
  assert.equal(moved.status, 200, moved.text);
  assert.deepEqual(chaos.complaints, []);
  assert.deepEqual(await faultsOf(chaos.api), []);
});

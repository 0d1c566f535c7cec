import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { DASHBOARD_ENDPOINTS } from "../../src/catalogue.ts";
import { permissionsOf } from "../../src/http/endpoint.ts";
import { ALL_PERMISSIONS, EVERYBODYS, type Permission } from "../../src/modules/members/rules.ts";
import { listByPermission } from "../../src/modules/members/store.ts";
import type { RoleId } from "../../src/modules/members/types.ts";
import { newId } from "../../src/platform/new-id.ts";
import { type Answer, type ApiMerchant, openApi, type StaffCall, type TestApi } from "../support/api.ts";
import { mailsOf } from "../support/mails.ts";
import { addOneOfEach, filled, type RecordIds } from "../support/one-of-each.ts";
import { PASSWORD } from "../support/passwords.ts";

/* Roles that organisations make: who may make and give them, and that they limit what is read. */

let api: TestApi;
let shop: ApiMerchant;
let owner: StaffCall;
before(async () => {
  api = await openApi();
  shop = await api.addMerchant();
  owner = await shop.signIn();
});
after(() => api.close());

interface Role {
  readonly id: RoleId;
  readonly name: string;
  readonly permissions: readonly Permission[];
}
let made = 0;
const text = ({ status, body }: Answer) => `${status} ${String((body as { message?: string }).message)}`;

/** A role of permissions, made by the owner. */
async function makeRole(permissions: readonly Permission[], by = owner): Promise<Role> {
  const answer = await by<Role>("POST", "/roles", { name: `Role ${++made}`, permissions });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

/** A member with a role of these permissions, signed in, and the role. */
async function join(...permissions: readonly Permission[]) {
  const role = await makeRole(permissions);
  return { role, clerk: await shop.signIn(role.id) };
}

const READS = DASHBOARD_ENDPOINTS.filter(({ method }) => method === "GET");
const neededBy = (endpoint: (typeof READS)[number]) =>
  permissionsOf(endpoint).filter((permission) => !EVERYBODYS.includes(permission));

describe("reading", () => {
  let ids: RecordIds;
  before(async () => {
    ids = await addOneOfEach(api, shop, (length) => "x".repeat(length));
  });

  const ask = (staff: StaffCall, { path }: { readonly path: string }) => staff("GET", filled(path, ids));
  const allow = async ({ id }: Role, permissions: readonly Permission[]) => {
    const { status, text: answer } = await owner("PATCH", `/roles/${id}`, { permissions });
    assert.equal(status, 200, answer);
  };

  test("each read is refused without one of its permissions, which the refusal names", async () => {
    const { role, clerk } = await join("invoices:read");
    const answered: string[] = [];
    let refused = 0;
    for (const permission of new Set(READS.flatMap(neededBy))) {
      const [area = ""] = permission.split(":");
      await allow(
        role,
        ALL_PERMISSIONS.filter((one) => !one.startsWith(`${area}:`)),
      );
      for (const endpoint of READS.filter((one) => neededBy(one).includes(permission))) {
        const { status, body } = await ask(clerk, endpoint);
        const { error, message } = body as { error?: string; message?: string };
        refused++;
        if (status !== 403 || error !== "permission_required" || !message?.includes(permission))
          answered.push(`${endpoint.path} without ${permission}: ${status} ${message}`);
      }
    }
    assert.deepEqual(answered, []);
    assert.ok(refused > 100, `${refused} reads`);
  });

  test("each read is allowed with its permissions alone", async () => {
    const { role, clerk } = await join("invoices:read");
    const answered: string[] = [];
    for (const [names, endpoints] of Map.groupBy(READS, (one) => neededBy(one).join())) {
      await allow(role, names === "" ? ["invoices:read"] : (names.split(",") as Permission[]));
      for (const endpoint of endpoints) {
        const { status, text: answer } = await ask(clerk, endpoint);
        if (status === 403) answered.push(`${endpoint.path}: ${answer}`);
      }
    }
    assert.deepEqual(answered, []);
  });
});

describe("what collects from all areas", () => {
  let invoice: { readonly id: string; readonly number: string };
  let customer: { readonly id: string };
  let product: { readonly id: string };
  before(async () => {
    customer = (await shop.post<{ id: string }>("/customers", { company: "Nkosi Timber", email: "t@nkosi.example" }))
      .body;
    const lines = [{ description: "Poles", quantity: 1, unitPrice: 10 }];
    const body = { customer: { id: customer.id }, lines, send: true };
    invoice = (await shop.post<typeof invoice>("/invoices", body)).body;
    assert.ok(invoice.number, JSON.stringify(invoice));
    product = (await owner<{ id: string }>("POST", "/products", { name: "Nkosi pole", amount: 2 })).body;
  });

  const found = async (staff: StaffCall) => {
    const { body } = await staff<{ groups: { kind: string }[] }>("GET", "/search?q=nkosi");
    return body.groups.map(({ kind }) => kind);
  };
  const subjects = async (staff: StaffCall, path: string, field: string) => {
    const answer = await staff<{ data: Record<string, string | null>[] }>("GET", `${path}?limit=100`);
    assert.equal(answer.status, 200, answer.text);
    return new Set(answer.body.data.map((row) => String(row[field]).split("_", 1)[0] ?? ""));
  };

  test("search and names leave out what the role may not read", async () => {
    const { clerk } = await join("customers:read");
    assert.deepEqual(await found(clerk), ["customer"]);
    assert.ok((await found(owner)).includes("invoice"));
    const names = await clerk<{ data: { id: string }[] }>(
      "GET",
      `/record-names?ids=${[invoice.id, customer.id, product.id].join(",")}`,
    );
    assert.deepEqual(
      names.body.data.map(({ id }) => id),
      [customer.id],
    );
  });

  test("related records, timelines and notes are those of records that the role may read", async () => {
    const { clerk } = await join("invoices:read", "audit_log:read", "events:read", "emails:read", "notes:write");
    const related = async (staff: StaffCall) =>
      (await staff<{ data: { id: string }[] }>("GET", `/related-records?subject=${invoice.id}`)).body.data;
    assert.ok((await related(owner)).some(({ id }) => id === customer.id));
    assert.ok(!(await related(clerk)).some(({ id }) => id === customer.id));
    const timeline = async (staff: StaffCall, subject: string) =>
      (await staff<{ data: { kind: string }[] }>("GET", `/timeline?subject=${subject}`)).body.data;
    assert.ok((await timeline(clerk, invoice.id)).length > 0);
    assert.ok((await timeline(owner, customer.id)).length > 0);
    assert.deepEqual(await timeline(clerk, customer.id), []);
    const note = (subject: string) => clerk("POST", "/notes", { subject, text: "Call them." });
    assert.deepEqual([(await note(customer.id)).status, (await note(invoice.id)).status], [404, 201]);
  });

  test("events, mails and the audit log, and their exports, leave out what is about other records", async () => {
    const { clerk } = await join("invoices:read", "audit_log:read", "events:read", "emails:read", "exports:read");
    for (const [path, field] of [
      ["/events", "subject"],
      ["/audit-log", "subject"],
    ] as const) {
      const all = await subjects(owner, path, field);
      assert.ok(all.has("inv") && all.size > 1, `${path}: ${[...all]}`);
      for (const kind of await subjects(clerk, path, field)) assert.ok(["inv", "ipm"].includes(kind), kind);
      assert.ok((await subjects(clerk, path, field)).has("inv"), path);
      const csv = await clerk("GET", `/exports${path}.csv`);
      assert.equal(csv.status, 200);
      assert.ok(csv.text.includes(`,${invoice.id},`) && !csv.text.includes(`,${customer.id},`), path);
    }
    const [mail] = await mailsOf(api.services, shop.organisation, { recipient: "t@nkosi.example" });
    assert.ok(mail);
    const { clerk: without } = await join("customers:read", "emails:read", "events:read", "exports:read");
    assert.equal((await clerk("GET", `/emails/${mail.id}`)).status, 200);
    assert.equal((await without("GET", `/emails/${mail.id}`)).status, 404);
    const { body } = await owner<{ data: { id: string }[] }>("GET", `/events?subject=${invoice.id}`);
    const event = body.data[0]?.id;
    assert.ok(event);
    assert.equal((await clerk("GET", `/events/${event}`)).status, 200);
    assert.equal((await without("GET", `/events/${event}`)).status, 404);
    assert.ok(!(await without("GET", "/exports/emails.csv")).text.includes(mail.id));
  });

  test("the home page has the figures that the role may read", async () => {
    const figures = async (...permissions: Permission[]) => {
      const { clerk } = await join(...permissions);
      const answer = await clerk<Record<string, unknown>>("GET", "/overview");
      assert.equal(answer.status, 200, answer.text);
      const { asOf: _asOf, money, toDo: _toDo, ...rest } = answer.body;
      const [{ currency: _currency, ...own } = { currency: "" }] = money as { currency: string }[];
      return [...Object.keys(rest), ...Object.keys(own)].toSorted();
    };
    assert.deepEqual(await figures("customers:read"), []);
    assert.deepEqual(await figures("invoices:read"), ["outstanding", "overdue"]);
    assert.deepEqual(await figures("transactions:read"), ["received", "receivedOther"]);
    const whole = await owner<Record<string, unknown>>("GET", "/overview");
    const own = await shop.get<Record<string, unknown>>("/overview");
    assert.deepEqual(Object.keys(whole.body).toSorted(), Object.keys(own.body).toSorted());
  });

  test("what the role may not read cannot be expanded", async () => {
    const { clerk } = await join("invoices:read");
    const expanded = await clerk("GET", `/invoices/${invoice.id}?expand=customer`);
    assert.match(text(expanded), /^403 .*customers:read/);
    assert.equal((await clerk("GET", `/invoices/${invoice.id}`)).status, 200);
  });
});

describe("making and giving roles", () => {
  const holding = async (role: Role) => {
    const { body } = await owner<{ holders: number }>("GET", `/roles/${role.id}`);
    return body.holders;
  };

  test("the list has the built-in roles and one's own, with what they may do and how many have them", async () => {
    const { role } = await join("invoices:write");
    const { body } = await owner<{ data: (Role & { builtIn: boolean; holders: number })[] }>("GET", "/roles");
    assert.deepEqual(
      body.data.slice(0, 5).map(({ id, builtIn }) => [id, builtIn]),
      ["owner", "admin", "finance", "support", "viewer"].map((id) => [id, true]),
    );
    const mine = body.data.find(({ id }) => id === role.id);
    assert.deepEqual([mine?.builtIn, mine?.holders, mine?.permissions.includes("invoices:read")], [false, 1, true]);
    const session = await (await shop.signIn(role.id))<{ organisations: Record<string, unknown>[] }>("GET", "/session");
    const [only] = session.body.organisations;
    assert.deepEqual(
      [only?.["role"], only?.["roleName"], only?.["permissions"]],
      [role.id, role.name, role.permissions],
    );
  });

  test("a name is taken once, whatever its case and however many ask at once; a built-in role's is not free", async () => {
    const create = (name: string) => owner("POST", "/roles", { name, permissions: ["invoices:read"] });
    const answers = await Promise.all(["Debtors", "DEBTORS", "debtors"].map(create));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 400, 400]);
    assert.equal((await create("finance")).status, 400);
    const { role } = await join("invoices:read");
    assert.equal((await owner("PATCH", `/roles/${role.id}`, { name: "Debtors" })).status, 400);
    assert.equal((await owner("PATCH", `/roles/${role.id}`, { name: role.name.toUpperCase() })).status, 200);
  });

  test("a role allows something, of permissions that exist", async () => {
    for (const permissions of [[], ["overview:read"], ["invoices:fly"], "invoices:read", null])
      assert.equal((await owner("POST", "/roles", { name: "Nobody", permissions })).status, 400);
  });

  test("a change of a role holds at once for who is signed in", async () => {
    const { role, clerk } = await join("invoices:read");
    assert.equal((await clerk("GET", "/customers")).status, 403);
    await owner("PATCH", `/roles/${role.id}`, { permissions: ["customers:read"] });
    assert.equal((await clerk("GET", "/customers")).status, 200);
    assert.match(
      text(await clerk("GET", "/invoices")),
      /^403 Your role Role \d+ may not see invoices and aged debtors \(invoices:read\)\./,
    );
  });

  test("nobody makes, changes, gives or takes a permission that they lack", async () => {
    const { clerk } = await join("members:write", "invoices:read");
    const mighty = await makeRole(["invoices:write"]);
    const weak = await makeRole(["invoices:read"]);
    const email = () => `invited.${++made}@example.co.za`;
    const someone = await owner<{ id: string }>("POST", "/members", { email: email(), role: weak.id });
    const viewer = await owner<{ id: string }>("POST", "/members", { email: email(), role: "viewer" });
    const refused = [
      await clerk("POST", "/roles", { name: "Mine", permissions: ["invoices:write"] }),
      await clerk("PATCH", `/roles/${weak.id}`, { permissions: ["invoices:write"] }),
      await clerk("PATCH", `/roles/${mighty.id}`, { permissions: ["invoices:read"] }),
      await clerk("PATCH", `/roles/${mighty.id}`, { name: "Mine" }),
      await clerk("DELETE", `/roles/${mighty.id}`),
      await clerk("POST", "/members", { email: email(), role: mighty.id }),
      await clerk("POST", "/members", { email: email(), role: "viewer" }),
      await clerk("POST", "/members", { email: email(), role: "owner" }),
      await clerk("PATCH", `/members/${someone.body.id}`, { role: mighty.id }),
      await clerk("PATCH", `/members/${viewer.body.id}`, { role: weak.id }),
      await clerk("DELETE", `/members/${viewer.body.id}`),
    ];
    assert.deepEqual(
      refused.map(({ status, body }) => [status, (body as { error?: string }).error]),
      refused.map(() => [403, "permission_required"]),
    );
    const allowed = [
      await clerk("POST", "/roles", { name: "Ours", permissions: ["invoices:read"] }),
      await clerk("PATCH", `/roles/${weak.id}`, { name: "Weak" }),
      await clerk("POST", "/members", { email: email(), role: weak.id }),
      await clerk("DELETE", `/members/${someone.body.id}`),
    ];
    assert.deepEqual(
      allowed.map(({ status }) => status),
      [201, 200, 201, 200],
    );
  });

  test("a role of every permission is no owner: it neither makes nor removes one, and the last owner stays", async () => {
    const lone = await api.addMerchant();
    const first = await lone.signIn();
    const role = await makeRole(ALL_PERMISSIONS, first);
    const all = await lone.signIn(role.id);
    const people = await all<{ data: { id: string; role: string }[] }>("GET", "/members");
    const idOf = (wanted: string) => people.body.data.find((one) => one.role === wanted)?.id;
    assert.equal((await all("PATCH", `/members/${idOf("owner")}`, { role: "viewer" })).status, 403);
    assert.equal((await all("PATCH", `/members/${idOf(role.id)}`, { role: "owner" })).status, 403);
    assert.equal((await first("PATCH", `/members/${idOf("owner")}`, { role: role.id })).status, 409);
  });

  test("every file needs the permission to export, aged debtors too", async () => {
    const { clerk } = await join("invoices:read", "customers:read");
    assert.equal((await clerk("GET", "/accounting/aged-debtors/customers")).status, 200);
    assert.match(text(await clerk("GET", "/accounting/aged-debtors/csv")), /^403 .*\(exports:read\)/);
  });

  test("a role that somebody has cannot be deleted, and who has it is said", async () => {
    const role = await makeRole(["invoices:read"]);
    const invited = await owner<{ id: string }>("POST", "/members", { email: "kept@example.co.za", role: role.id });
    assert.equal(await holding(role), 1);
    const refused = await owner("DELETE", `/roles/${role.id}`);
    assert.match(text(refused), /^409 kept@example\.co\.za has the role Role \d+\./);
    await owner("DELETE", `/members/${invited.body.id}`);
    assert.equal((await owner("DELETE", `/roles/${role.id}`)).status, 200);
    assert.equal((await owner("GET", `/roles/${role.id}`)).status, 404);
    assert.equal((await owner("POST", "/members", { email: "late@example.co.za", role: role.id })).status, 400);
  });

  test("built-in roles stay as they are", async () => {
    assert.equal((await owner("PATCH", "/roles/viewer", { permissions: ["invoices:write"] })).status, 409);
    assert.equal((await owner("DELETE", "/roles/viewer")).status, 409);
  });

  test("a role is deleted or given, never both, when both are asked at once", async () => {
    const invited = await owner<{ id: string }>("POST", "/members", { email: "raced@example.co.za", role: "viewer" });
    const path = `/members/${invited.body.id}`;
    const outcomes = new Set<string>();
    for (let round = 0; round < 12; round++) {
      const role = await makeRole(["invoices:read"]);
      const remove = () => owner("DELETE", `/roles/${role.id}`);
      const give = () => owner("PATCH", path, { role: role.id });
      const [one, other] = await Promise.all(round % 2 === 0 ? [remove(), give()] : [give(), remove()]);
      const [removed, given] = round % 2 === 0 ? [one, other] : [other, one];
      outcomes.add(`${removed.status} ${given.status}`);
      const [row] = await api.query<{ lost: number }>(
        `select count(*)::int as lost from invitations i
          where i.role like 'role%' and not exists (select from roles r where r.organisation_id = i.organisation_id and r.id = i.role)`,
      );
      assert.equal(row?.lost, 0);
      await owner("PATCH", path, { role: "viewer" });
    }
    assert.deepEqual(
      [...outcomes].filter((outcome) => !["200 400", "409 200"].includes(outcome)),
      [],
    );
  });

  test("who accepts an invitation has the role, and its mail names it", async () => {
    const role = await makeRole(["customers:read"]);
    const email = "thandi@example.co.za";
    const invited = await owner("POST", "/members", { email, role: role.id });
    assert.deepEqual([invited.body["role"], invited.body["roleName"]], [role.id, role.name]);
    const [mail] = await mailsOf(api.services, shop.organisation, { kind: "invitation", recipient: email });
    assert.ok(mail?.text.includes(role.name));
    const token = /invitations\/([\w-]+)/.exec(mail?.text ?? "")?.[1];
    const preview = await api.call<Record<string, unknown>>("POST", "/dashboard/api/invitations/preview", {
      body: { token },
    });
    assert.deepEqual([preview.body["role"], preview.body["roleName"]], [role.id, role.name]);
    const accepted = await api.call<{ member: Record<string, unknown> }>("POST", "/dashboard/api/invitations/accept", {
      body: { token, password: PASSWORD },
    });
    assert.deepEqual([accepted.body.member["role"], accepted.body.member["roleName"]], [role.id, role.name]);
  });

  test("another organisation's role is neither shown nor given", async () => {
    const elsewhere = await api.addMerchant();
    const other = await elsewhere.signIn();
    const role = await makeRole(["invoices:read"], other);
    assert.equal((await owner("GET", `/roles/${role.id}`)).status, 404);
    assert.equal((await owner("POST", "/members", { email: "stray@example.co.za", role: role.id })).status, 400);
  });

  test("alerts about money go to whom a role lets change payments", async () => {
    const { role } = await join("transactions:write");
    const { role: reader } = await join("transactions:read");
    const members = await api.services.db.read(shop.organisation.id, (tx) =>
      listByPermission(tx, "transactions:write"),
    );
    const roles = new Set(members.map((member) => member.role));
    assert.ok(roles.has(role.id) && roles.has("owner") && !roles.has(reader.id) && !roles.has("viewer"));
  });
});

describe("what reaches all records", () => {
  test("API keys and webhook endpoints are made and changed by who holds every permission", async () => {
    const { clerk } = await join("api_keys:write", "webhooks:write");
    const limited = await clerk("POST", "/api-keys", { name: "Full" });
    assert.equal(limited.status, 403, limited.text);
    assert.match(text(limited), /reaches all records/);
    const key = await owner<{ id: string }>("POST", "/api-keys", { name: "Own" });
    assert.equal((await clerk("PATCH", `/api-keys/${key.body.id}`, { name: "Mine" })).status, 403);
    assert.equal((await clerk("DELETE", `/api-keys/${key.body.id}`)).status, 200, "revoking reaches nothing");
    const hook = { url: "https://hooks.example.org/all", events: ["*"] };
    assert.equal((await clerk("POST", "/webhook-endpoints", hook)).status, 403);
    const made = await owner<{ id: string }>("POST", "/webhook-endpoints", hook);
    assert.equal(made.status, 201, made.text);
    const elsewhere = { url: "https://hooks.example.org/clerk" };
    assert.equal((await clerk("PATCH", `/webhook-endpoints/${made.body.id}`, elsewhere)).status, 403);
  });

  test("the timeline of a record that may be read tells what happened to it", async () => {
    const { clerk } = await join("customers:read");
    const { body } = await owner<{ id: string }>("POST", "/customers", {
      firstName: "Thandi",
      email: "t@shop.example",
    });
    await api.query(
      `insert into webhook_deliveries (organisation_id, id, event_id, event_type, subject, endpoint_id, body, status, created_at)
       select organisation_id, $2, id, type, subject, 'we_1', '{}', 'pending', created_at from events
        where organisation_id = $1 and subject = $3 and type = 'customer.created'`,
      ...[shop.organisation.id, newId("whd"), body.id],
    );
    type Timeline = { data: { type?: string; deliveries?: unknown[] }[] };
    const made = async (staff: StaffCall) =>
      (await staff<Timeline>("GET", `/timeline?subject=${body.id}`)).body.data.find(
        ({ type }) => type === "customer.created",
      );
    assert.equal((await made(owner))?.deliveries?.length, 1, "who may read events sees it");
    assert.deepEqual((await made(clerk))?.deliveries, [], "deliveries need events:read");
  });
});

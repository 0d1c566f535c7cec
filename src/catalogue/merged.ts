import type { PersonalTables } from "../domain/erasure.ts";
import type { Held, RecordDeclaration } from "../domain/records.ts";
import type { EventDeclaration } from "../events/event.ts";
import type { MailKind, MailTable } from "../flows/mail/mail.ts";
import type { PayerPage, RecordKind, RecordKinds } from "../flows/search/record-kind.ts";
import type { Endpoint } from "../http/endpoint.ts";
import type { RegisterPages } from "../http/pages/site.ts";
import { assert } from "../kernel/assert.ts";
import type { MailFacts } from "../modules/emails/types.ts";
import type { Permission } from "../modules/members/rules.ts";
import type { DueWork } from "../platform/due-work.ts";
import type { Examination } from "../platform/examined.ts";
import { type Extension, Extensions } from "../platform/extension-point.ts";
import type { SealedColumn } from "../platform/sealed.ts";
import type { HostedPage } from "../platform/tokens.ts";
import type { HandledWork, Reaction } from "../worker/job.ts";

/** The declarations of a resource, made in its own files; each is optional. */
export interface Resource {
  /** Events, kinds of due work, which `work` handles, and paths of hosted pages: `declarations.ts` of its module, or their names. */
  readonly declared?: Readonly<Record<string, EventDeclaration | DueWork | HostedPage>>;
  /** What reacts to events, of any resource, beside their deliveries. */
  readonly reactions?: readonly (readonly [EventDeclaration, Reaction])[];
  readonly mails?: readonly MailKind<MailFacts>[];
  /** Due work, each kind with what does it. */
  readonly work?: readonly HandledWork[];
  /** What it adds to use cases of other resources, such as what payments can be for. */
  readonly extensions?: readonly Extension[];
  /** Each names its audience: clients and staff, or staff alone. */
  readonly endpoints?: readonly Endpoint[];
  /** `record({…})` of its module: what the product does with its records. */
  readonly record?: RecordDeclaration<Permission>;
  /** The page on which the payer sees a record of the first kind. */
  readonly payerPage?: PayerPage;
  /** Endpoints that need the declarations of all resources. */
  readonly endpointsOver?: (all: Pick<Catalogue, "events" | "mails" | "records" | "held">) => readonly Endpoint[];
  /** Hosted pages. */
  readonly pages?: RegisterPages;
  /** What `tefo verify` recomputes of its tables. */
  readonly examinations?: readonly Examination[];
  /** What `tefo secrets rotate` seals again. */
  readonly sealed?: readonly SealedColumn[];
}

/** The declarations of all resources together. */
export interface Catalogue {
  /** Every event that the service sends. */
  readonly events: readonly EventDeclaration[];
  /** What follows from each event beside its deliveries, by the event's name. */
  readonly reactions: ReadonlyMap<string, readonly Reaction[]>;
  /** Every mail that the service sends. */
  readonly mails: MailTable;
  /** Every kind of due work, with what does it. */
  readonly work: readonly HandledWork[];
  /** What resources have added to extension points. */
  readonly extensions: Extensions;
  /** Every kind of record, by the prefix of its ids. */
  readonly records: RecordKinds;
  /** All stored records of customers, by the names of the files in the archive of personal data. */
  readonly held: Readonly<Record<string, Held>>;
  /** Every table with what erasure makes of its columns, in the order of the catalogue. */
  readonly tables: PersonalTables;
  /** The client API, below `/api/v1`. */
  readonly clientEndpoints: readonly Endpoint[];
  /** The dashboard's API, below `/dashboard/api`: the client API's endpoints, and what only staff may do. */
  readonly dashboardEndpoints: readonly Endpoint[];
  /** Everything that `tefo verify` recomputes. */
  readonly examinations: readonly Examination[];
  /** Every column of the tenants' tables that holds a secret. A test compares it with the columns that are named `_sealed`. */
  readonly sealed: readonly SealedColumn[];
  /** Mounts the hosted pages of every resource. */
  readonly registerPages: RegisterPages;
}

/** Merges the declarations of the resources. Throws for a name that is declared twice, and for due work without a handler. */
export function merged(resources: readonly Resource[]): Catalogue {
  const declared = resources.flatMap(({ declared = {} }) => Object.values(declared));
  const events = declared.filter((one) => "data" in one);
  const mails = resources.flatMap(({ mails = [] }) => mails);
  const work = resources.flatMap(({ work = [] }) => work);
  const reactions = resources.flatMap(({ reactions = [] }) => reactions);
  const mailTable: MailTable = new Map(mails.map((mail) => [mail.kind, mail] as const));
  const records = resources.flatMap(kindsOf);
  const held = resources.flatMap(({ record: { held = {} } = {} }) => Object.entries(held));
  const tables = resources.flatMap(({ record: { tables = {} } = {} }) => Object.entries(tables));
  const all = {
    events,
    mails: mailTable,
    records: new Map(records.map((kind) => [kind.prefix, kind] as const)),
    held: Object.fromEntries(held),
  };
  const endpoints = resources.flatMap(({ endpoints = [], endpointsOver }) => [
    ...endpoints,
    ...(endpointsOver?.(all) ?? []),
  ]);
  const clientEndpoints = endpoints.filter(({ audience }) => audience === "clients");
  const kinds = work.map(({ work: { kind } }) => kind);
  for (const names of [events.map(({ name }) => name), mails.map(({ kind }) => kind), kinds]) requireUnique(names);
  for (const names of [records.map(({ prefix }) => prefix), held.map(([name]) => name), tables.map(([name]) => name)])
    requireUnique(names);
  for (const { name, reacts } of reactions.map(([cause]) => cause))
    assert(reacts, `the event ${name} says that it reacts`);
  for (const one of declared)
    if ("perProcess" in one)
      assert(kinds.includes(one.kind), `the due work ${one.kind} has a handler in the catalogue`);
  return {
    ...all,
    tables: Object.fromEntries(tables),
    reactions: new Map(
      events.map((event) => [
        event.name,
        reactions.filter(([cause]) => cause === event).map(([, reaction]) => reaction),
      ]),
    ),
    work,
    extensions: new Extensions(resources.flatMap(({ extensions = [] }) => extensions)),
    clientEndpoints,
    dashboardEndpoints: [
      ...clientEndpoints.filter(({ base }) => !base),
      ...endpoints.filter(({ audience }) => audience === "staff"),
    ],
    examinations: resources.flatMap(({ examinations = [] }) => examinations),
    sealed: resources.flatMap(({ sealed = [] }) => sealed),
    registerPages: (app, services, options) => {
      for (const { pages } of resources) pages?.(app, services, options);
    },
  };
}

/** The kinds of a resource's records; the first has its payer's page. */
const kindsOf = ({ record: { kinds = [] } = {}, payerPage }: Resource): readonly RecordKind[] =>
  kinds.map((kind, place) => (payerPage && place === 0 ? { ...kind, payerPage } : kind));

function requireUnique(names: readonly string[]): void {
  const twice = names.find((name, place) => names.indexOf(name) !== place);
  assert(twice === undefined, `${twice} is declared once in the catalogue`);
}

import { Readable } from "node:stream";
import type { Held } from "../../domain/records.ts";
import { notFound } from "../../kernel/errors.ts";
import type { CustomerId, ProofId } from "../../kernel/ids.ts";
import { toTimestamp } from "../../kernel/time.ts";
import { recordAudit } from "../../modules/audit-log/store.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import { MANDATE_RECORD } from "../../modules/mandates/record.ts";
import { ACCOUNT_NUMBER_COLUMN, ID_NUMBER_COLUMN } from "../../modules/mandates/store.ts";
import { archivedRecords, type CustomerDocument, documentsOf } from "../../modules/personal-data/store.ts";
import { type ZipEntry, zip } from "../../platform/zip.ts";
import type { Ctx } from "../context.ts";
import { agreementFile } from "../documents/agreement-file.ts";
import { creditNoteFile } from "../documents/credit-note-file.ts";
import { invoiceFile } from "../documents/invoice-file.ts";
import { proofPieces } from "../eft-orders/read-proof.ts";
import type { Services } from "../services.ts";

type Row = Readonly<Record<string, unknown>>;
/** The stored records of customers, by the names of the archive's files. */
type AllHeld = Readonly<Record<string, Held>>;

/**
 * All records of a customer as one ZIP archive (interface 18.7): a JSON file for each kind of record, the documents and
 * the proofs of payment. The audit log gets an entry with the reader, since the archive holds bank accounts, before the
 * first byte is sent. Throws 404.
 */
export async function personalDataArchive(
  services: Services,
  ctx: Ctx,
  held: AllHeld,
  id: string,
): Promise<{ readonly content: Readable; readonly accountCode: string }> {
  const { db } = services;
  const customer = await db.transaction(ctx.organisation.id, async (tx) => {
    const found = await findCustomer(tx, id);
    if (!found) throw notFound("customer");
    const mandates = await archivedRecords(tx, found.id, MANDATE_RECORD.held.mandates);
    const after = {
      bankAccounts: mandates.map((mandate) => `mandate ${mandate["id"]} ···${mandate["account_number_last4"]}`),
    };
    recordAudit(tx, { ...ctx, action: "GET /customers/{id}/personal-data", subject: found.id, before: null, after });
    return found;
  });
  return { content: Readable.from(zip(files(services, ctx, held, customer.id))), accountCode: customer.accountCode };
}

async function* files(services: Services, ctx: Ctx, held: AllHeld, customer: CustomerId): AsyncGenerator<ZipEntry> {
  const { db } = services;
  const about = { customerId: customer, organisation: ctx.organisation.name, writtenAt: toTimestamp(ctx.now) };
  yield json("about", about);
  for (const [kind, from] of Object.entries(held)) {
    const rows = await db.read(ctx.organisation.id, (tx) => archivedRecords(tx, customer, from));
    if (rows.length > 0) yield json(kind, kind === "mandates" ? rows.map((row) => opened(ctx, row)) : rows);
  }
  for (const document of await db.read(ctx.organisation.id, (tx) => documentsOf(tx, customer))) {
    const content = await contentOf(services, ctx, document);
    if (content) yield { name: `documents/${fileName(document)}`, content };
  }
}

const json = (name: string, value: unknown): ZipEntry => ({
  name: `${name}.json`,
  content: Buffer.from(JSON.stringify(value, null, 1)),
});

const fileName = ({ kind, name }: CustomerDocument): string => (kind === "proof" ? name : `${name}.pdf`);

/** A mandate with its decrypted numbers. */
function opened({ secrets, organisation }: Ctx, { account_number_sealed, id_number_sealed, ...mandate }: Row): Row {
  const open = (sealed: unknown, column: string) =>
    typeof sealed === "string" ? secrets.open(sealed, { organisation: organisation.id, column }) : null;
  return {
    ...mandate,
    account_number: open(account_number_sealed, ACCOUNT_NUMBER_COLUMN),
    id_number: open(id_number_sealed, ID_NUMBER_COLUMN),
  };
}

async function contentOf(services: Services, ctx: Ctx, { kind, id, of }: CustomerDocument): Promise<Buffer | null> {
  switch (kind) {
    case "invoice":
      return (await invoiceFile(services, ctx, id)).content;
    case "creditNote":
      return (await creditNoteFile(services, ctx, id)).content;
    case "agreement":
      return (await agreementFile(services, ctx, id, of)).content;
    case "proof":
      return wholeProof(services, ctx, id as ProofId);
  }
}

async function wholeProof({ db }: Services, ctx: Ctx, id: ProofId): Promise<Buffer | null> {
  const pieces = await Array.fromAsync(proofPieces(db, ctx, id));
  return pieces.length > 0 ? Buffer.concat(pieces) : null;
}

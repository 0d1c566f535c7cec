// Writes nothing. Reads: mandate_agreements, mandates, due_work.

import { revised } from "../../domain/revisions.ts";
import { part } from "../../platform/database.ts";
import { type Examination, examination } from "../../platform/examined.ts";
import { AGREEMENT_EXPIRE } from "./declarations.ts";

/** Agreements: the document is the one that was hashed, an open one can be signed and expires (interface 4.10). */
const agreements = examination(
  "mandate_agreements",
  (tx, { after, limit }) => part`
    with part as materialized (
      select id, mandate_id, status, document, document_sha256, created_at, expires_at, signed_at from mandate_agreements
       where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    faults as (
      select p.id, r.rule, r.expected, r.found from part p
        join mandates m on m.organisation_id = ${tx.organisation} and m.id = p.mandate_id
       cross join lateral (values
        ('agreement_hash', encode(sha256(convert_to(p.document, 'UTF8')), 'hex'), encode(p.document_sha256, 'hex'), true),
        ('agreement_signed_in_time', 'true', (p.signed_at between p.created_at and p.expires_at)::text, p.status = 'signed'),
        ('agreement_signed', (p.status = 'signed')::text, (p.signed_at is not null)::text, true),
        ('agreement_mandate', 'true', (m.status <> 'cancelled')::text, p.status = 'open'),
        ('agreement_expiry_awaited', 'true', exists (select from due_work w where w.organisation_id = ${tx.organisation}
           and w.kind = ${AGREEMENT_EXPIRE.kind} and w.subject = p.id)::text, p.status = 'open')
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)`,
);

/** Each agreement, with the evidence of its signature, equals its last revision by the service. */
const revisedAgreements = revised(
  "mandate_agreements",
  (tx, { after, limit }) => part`
    select t.id, to_jsonb(t) as record from mandate_agreements t where t.organisation_id = ${tx.organisation}
        and t.id > ${after} order by t.id limit ${limit}`,
);

/** What `verify` recomputes. */
export const agreementExaminations: readonly Examination[] = [agreements, revisedAgreements];

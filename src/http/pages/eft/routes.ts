import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isReadOnlyNow } from "../../../flows/context.ts";
import { addProof, checkProof } from "../../../flows/eft-orders/add-proof.ts";
import { type EftPageFacts, readEftPage } from "../../../flows/eft-orders/read-eft-page.ts";
import type { Services } from "../../../flows/services.ts";
import { ApiError } from "../../../kernel/errors.ts";
import type { EftOrderId } from "../../../kernel/ids.ts";
import { EFT_PAGE } from "../../../modules/eft-orders/declarations.ts";
import { PROOF_BYTES_MAX } from "../../../modules/eft-orders/rules.ts";
import { outcomeUrl } from "../../../modules/payment-links/rules.ts";
import { type EftState, eftPage } from "../../../templates/pages/eft.ts";
import type { UploadedFile } from "../../endpoint.ts";
import { readUpload } from "../../uploads.ts";
import { brandOf } from "../brand.ts";
import { countSubmission, SUBMISSIONS } from "../limits.ts";
import { createSite, mountPages, noSuchPage, type PageOptions } from "../site.ts";
import { type Refused, type Visit, visitOf } from "../visit.ts";

const UPLOAD = { field: "file", maxBytes: PROOF_BYTES_MAX };

/** `/eft/<token>` (interface 2.11, 15.1): bank details, reference and proof upload. */
export function registerEftPages(app: FastifyInstance, services: Services, options: PageOptions): void {
  const site = createSite(services, options);
  mountPages(app, site, "/eft", [
    {
      url: "/:token",
      safe: true,
      takesFile: true,
      get: async (request, reply) => show(await visitOf(site, request, EFT_PAGE), reply),
      post: async (request, reply) => submit(await visitOf(site, request, EFT_PAGE), request, reply),
    },
  ]);
}

async function show(
  visit: Visit<EftOrderId>,
  reply: FastifyReply,
  refused: Refused | null = null,
): Promise<FastifyReply> {
  const { site, ctx, path } = visit;
  const facts = await readEftPage(site.services, ctx, visit.id);
  if (!facts) throw noSuchPage();
  const { order, bank, settings } = facts;
  return site.send(reply, {
    status: refused?.status ?? 200,
    headers: refused?.headers ?? {},
    sandbox: ctx.organisation.sandbox,
    capability: true,
    html: eftPage({
      brand: brandOf(ctx.organisation, settings),
      title: order.description,
      amount: order.amount,
      currency: order.currency,
      reference: order.reference,
      bank,
      proofs: order.proofs,
      state: stateOf(visit, facts),
      formToken: site.formToken(path),
      problem: refused?.problem ?? null,
    }),
  });
}

function stateOf({ ctx }: Visit<EftOrderId>, { order, returnUrl }: EftPageFacts): EftState {
  const onward = (status: "complete" | "cancelled") => returnUrl && outcomeUrl(returnUrl, order.reference, status);
  switch (order.status) {
    case "paid":
      return { kind: "paid", at: order.paidAt, onwardUrl: onward("complete") };
    case "cancelled":
      return { kind: "cancelled", onwardUrl: onward("cancelled") };
    case "expired":
      return { kind: "expired", at: order.expiresAt };
    default: {
      const paused = isReadOnlyNow(ctx);
      const { status, expiresAt, rejectionReason } = order;
      return { kind: "open", status, expiresAt, rejectionReason, paused };
    }
  }
}

/** The file is read only from those who have not sent too many, and told of only to those who came by our own form. */
async function submit(visit: Visit<EftOrderId>, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { site, ctx } = visit;
  const again = (status: number, problem: string, headers = {}) => show(visit, reply, { status, problem, headers });
  const limited = await countSubmission(site.services, { [`page:eft:${visit.id}:${visit.network}`]: SUBMISSIONS });
  if (limited) return again(429, limited.message, limited.headers);
  if (isReadOnlyNow(ctx)) return show(visit, reply);
  let file: UploadedFile | null;
  try {
    const upload = await readUpload(request, UPLOAD);
    request.body = upload.fields;
    file = upload.file;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return again(error.status, error.status === 413 ? error.message : "The file did not arrive whole. Send it again.");
  }
  const { distrust } = site.form(request, visit.path);
  if (distrust) return again(403, distrust);
  // Browsers send an empty file without a name when none was chosen.
  if (!file || (file.name === "" && file.bytes.length === 0)) return again(400, "Choose the file first.");
  try {
    const proof = await checkProof(file);
    await site.services.db.transaction(ctx.organisation.id, (tx) => addProof(tx, ctx, visit.id, proof, "payer"));
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return again(400, error.message);
    throw error;
  }
  return site.goTo(reply, visit.path);
}

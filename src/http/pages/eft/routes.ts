import type { FastifyInstance } from "fastify";
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
import { brandOf } from "../brand.ts";
import { type FormPage, formPage, redisplay, validated } from "../form-page.ts";
import { SUBMISSIONS } from "../limits.ts";
import { unavailableOf } from "../pay/unavailable.ts";
import { createSite, mountPages, noSuchPage, type PageOptions } from "../site.ts";
import { type Visit, visitOf } from "../visit.ts";

/** `/eft/<token>` (interface 2.11, 15.1): bank details, reference and proof upload. */
export function registerEftPages(app: FastifyInstance, services: Services, options: PageOptions): void {
  const site = createSite(services, options);
  mountPages(app, site, "/eft", [formPage(site, PAGE)]);
}

type EftVisit = Visit<EftOrderId>;

const sendProof = validated<EftVisit, EftPageFacts, UploadedFile>(
  // Browsers send an empty file without a name when the payer has chosen none.
  ({ file }) =>
    !file || (file.name === "" && file.bytes.length === 0) ? redisplay(400, "Choose the file first.") : { input: file },
  async ({ site, ctx, id, path }, _facts, file) => {
    try {
      const proof = await checkProof(site.services, ctx, file);
      await site.services.db.transaction(ctx.organisation.id, (tx) => addProof(tx, ctx, id, proof, "payer"));
    } catch (error) {
      if (error instanceof ApiError && error.status === 400) return redisplay(400, error.message);
      throw error;
    }
    return { goTo: path };
  },
);

const PAGE: FormPage<EftVisit, EftPageFacts> = {
  url: "/:token",
  open: (site, request) => visitOf(site, request, EFT_PAGE),
  async read({ site, ctx, id }) {
    const facts = await readEftPage(site.services, ctx, id);
    if (!facts) throw noSuchPage();
    return facts;
  },
  limits: ({ id, network }) => ({ [`page:eft:${id}:${network}`]: SUBMISSIONS }),
  acceptsForm: ({ ctx }) => !isReadOnlyNow(ctx),
  formName: ({ path }) => path,
  file: { field: "file", maxBytes: PROOF_BYTES_MAX, of: ({ ctx }) => ctx.organisation.id },
  actions: { "": sendProof },
  show: (visit, facts, sent) => ({
    sandbox: visit.ctx.organisation.sandbox,
    capability: true,
    html: eftPage({
      brand: brandOf(visit.ctx.organisation, facts.settings),
      title: facts.order.description,
      amount: facts.order.amount,
      currency: facts.order.currency,
      reference: facts.order.reference,
      bank: facts.bank,
      proofs: facts.order.proofs,
      state: stateOf(visit, facts),
      formToken: visit.site.formToken(visit.path),
      problem: sent?.problem ?? null,
    }),
  }),
};

function stateOf({ ctx }: EftVisit, { order, begunOn }: EftPageFacts): EftState {
  const returnUrl = begunOn?.link.returnUrl ?? null;
  const onward = (status: "complete" | "cancelled") => returnUrl && outcomeUrl(returnUrl, order.reference, status);
  switch (order.status) {
    case "paid":
      return { kind: "paid", at: order.paidAt, onwardUrl: onward("complete") };
    case "cancelled":
      return { kind: "cancelled", onwardUrl: onward("cancelled") };
    case "expired":
      return { kind: "expired", at: order.expiresAt };
    default: {
      // A proof that waits for review belongs to a transfer that was made.
      if (begunOn?.closed && order.status !== "awaiting_review")
        return { kind: "closed", why: unavailableOf(ctx, begunOn.closed, begunOn) };
      const paused = isReadOnlyNow(ctx);
      const { status, expiresAt, rejectionReason } = order;
      return { kind: "open", status, expiresAt, rejectionReason, paused };
    }
  }
}

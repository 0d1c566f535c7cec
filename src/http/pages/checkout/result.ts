import type { FastifyReply, FastifyRequest } from "fastify";
import type { CheckoutFacts } from "../../../flows/checkout/read-checkout.ts";
import { type CheckoutResult, type ResultKey, readResult } from "../../../flows/checkout/read-result.ts";
import { checkoutPath } from "../../../flows/checkout/session-object.ts";
import type { Ctx } from "../../../flows/context.ts";
import { withQuery } from "../../../kernel/urls.ts";
import type { CheckoutDesign } from "../../../modules/checkout-pages/schema.ts";
import { isOpen } from "../../../modules/checkout-sessions/states.ts";
import { confirmedBy, waitsForStatement } from "../../../modules/payments/rules.ts";
import { checkoutResultPage } from "../../../templates/pages/checkout-result.ts";
import type { Brand } from "../../../templates/pages/parts.ts";
import { brandOf } from "../brand.ts";
import { askWhilePending } from "../paying-page.ts";
import { noSuchPage, type PageAnswer, type Site } from "../site.ts";
import { type CheckoutVisit, queryText, visitOf } from "./visit.ts";

/** Seconds before a payer is redirected: the minimum, and the default (interface 4.12). */
const SECONDS_LEAST = 3;
const SECONDS_UNSET = 5;

/** The merchant's brand on checkout pages: their own accent colour, else that of all pages. */
export function checkoutBrand(
  { organisation }: Ctx,
  { settings, design }: Pick<CheckoutFacts, "settings" | "design">,
): Brand {
  const brand = brandOf(organisation, settings);
  return { ...brand, accentColour: design.accentColour ?? brand.accentColour };
}

/** The path of a result page. */
export const resultPath = (
  { organisation: { slug } }: Ctx,
  page: "success" | "failure",
  query: Readonly<Record<string, string>>,
): string => `/c/${slug}/${page}?${new URLSearchParams(query)}`;

/**
 * Serves `/c/<slug>/success` and `/failure`: both show the verified status, whatever their name and query say
 * (interface 4.12).
 */
export async function resultAnswer(site: Site, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const visit = await visitOf(site, request);
  const reference = queryText(request, "ref");
  const key: ResultKey | null = reference !== "" ? { reference } : visit.session && { sessionId: visit.session.id };
  const result = key && (await read(visit, key));
  if (!key || !result) throw noSuchPage();
  if (result.payment?.status !== "pending") return site.send(reply, answerOf(visit, result));
  await askWhilePending(site, visit.ctx, result.payment);
  return site.send(reply, answerOf(visit, (await read(visit, key)) ?? result));
}

const read = ({ site, ctx }: CheckoutVisit, key: ResultKey): Promise<CheckoutResult | null> =>
  site.services.db.read(ctx.organisation.id, (tx) => readResult(tx, ctx, key));

type Outcome = "pending" | "complete" | "failed" | "cancelled";

/** The outcome of the checkout; a refunded payment counts as made. */
function outcomeOf({ payment, session }: CheckoutResult): Outcome {
  if (payment) {
    const { status } = payment;
    return status === "pending" || status === "failed" || status === "cancelled" ? status : "complete";
  }
  return session.status === "completed" ? "complete" : "failed";
}

function answerOf(visit: CheckoutVisit, result: CheckoutResult): PageAnswer {
  const { ctx } = visit;
  const { session, payment, design, title } = result;
  const outcome = outcomeOf(result);
  const words = outcome === "complete" ? design.success : design.failure;
  const brand = checkoutBrand(ctx, result);
  return {
    sandbox: ctx.organisation.sandbox,
    capability: true,
    html: checkoutResultPage({
      brand: payment ? { ...brand, sandbox: payment.sandbox } : brand,
      outcome,
      confirmedBy: payment ? confirmedBy(payment) : "gateway",
      title,
      payment: payment && {
        reference: payment.reference,
        amount: payment.amount,
        currency: payment.currency,
        paidAt: payment.paidAt,
      },
      message: words.message,
      buttonText: words.buttonText,
      retry:
        isOpen(session) && !(payment && waitsForStatement(payment))
          ? { url: retryUrl(visit, result), text: design.failure.retryButtonText }
          : null,
      onward: onwardOf(words, targetOf(result, outcome, words)),
      portalUrl: `/portal/${ctx.organisation.slug}`,
    }),
  };
}

/** The URL of the page for another attempt, with the session for a visitor who came with its token. */
function retryUrl({ ctx, session: named }: CheckoutVisit, { session }: CheckoutResult): string {
  const path = checkoutPath(ctx, session);
  const query = {
    ...(session.planId && { plan: session.planId }),
    ...(named?.id === session.id && { session: named.token }),
  };
  const text = new URLSearchParams(query).toString();
  return text === "" ? path : `${path}?${text}`;
}

type ResultWords = CheckoutDesign["success"];

/**
 * The URL to which the payer is redirected: the session's return URL, else the configured one (interface 4.12); null
 * when there is none.
 */
function targetOf({ session, payment }: CheckoutResult, outcome: Outcome, { redirectUrl }: ResultWords): string | null {
  const target = session.returnUrl ?? redirectUrl;
  if (target === null || outcome === "pending") return null;
  return withQuery(target, {
    status: outcome,
    ...(payment ? { reference: payment.reference } : {}),
    session: session.id,
  });
}

/** When a result page redirects the payer, by the design; null when it has no target. */
export const onwardOf = ({ autoRedirectSeconds }: Pick<ResultWords, "autoRedirectSeconds">, url: string | null) =>
  url === null
    ? null
    : { url, afterSeconds: autoRedirectSeconds === 0 ? SECONDS_UNSET : Math.max(SECONDS_LEAST, autoRedirectSeconds) };

import type { CheckoutFacts, CheckoutUnavailable } from "../../../flows/checkout/read-checkout.ts";
import { checkoutUnavailablePage } from "../../../templates/pages/checkout-result.ts";
import type { PageAnswer } from "../site.ts";
import { checkoutBrand, resultPath } from "./result.ts";
import type { SaleVisit } from "./visit.ts";

/** The page of a product or package that cannot be bought now, with the reason (interface 15.4). */
export function unavailableAnswer(visit: SaleVisit, facts: CheckoutFacts, why: CheckoutUnavailable): PageAnswer {
  const { ctx, path, named } = visit;
  return {
    sandbox: ctx.organisation.sandbox,
    capability: true,
    html: checkoutUnavailablePage({
      brand: checkoutBrand(ctx, facts),
      title: facts.title,
      reason: why,
      onwardUrl:
        why === "completed" ? resultPath(ctx, "success", { session: named.token }) : why === "expired" ? path : null,
    }),
  };
}

import { type Cents, formatMoney, toDecimalText } from "../../kernel/money.ts";
import { type Html, html } from "../html.ts";
import { problemSummary } from "./fields.ts";
import { page } from "./layout.ts";
import { type Brand, bigAmount, facts, formToken, messageBody, name, sign } from "./parts.ts";

export interface PayCardPageModel {
  readonly brand: Brand;
  /** The purpose of the payment. */
  readonly title: string;
  readonly amount: Cents;
  readonly currency: string;
  /** `Visa ending in 4242`; null when the card cannot be used here any more. */
  readonly card: string | null;
  /** The terms that the payer of a recurring payment agrees to; null for a one-time payment. */
  readonly terms: Html | null;
  /** Path of the pay page. */
  readonly back: string;
  readonly formToken: string;
  readonly problems: readonly string[];
}

/**
 * The page on which a payer confirms that a saved card is charged, and how much (interface 4.11). Its form posts
 * `amount` in major units.
 */
export function payCardPage(model: PayCardPageModel): Html {
  const { brand, title, amount, currency, card, back } = model;
  const price = formatMoney(amount, currency);
  if (card === null)
    return page({
      title: `This card cannot be used – ${brand.name}`,
      brand,
      width: "narrow",
      main: messageBody({
        sign: sign("pause", "plain"),
        heading: "This card cannot be used here now",
        head: [html`<p class="muted">Nothing has been charged.</p>`],
        below: html`<p><a class="button" href="${back}">Choose how to pay</a></p>`,
      }),
    });
  const problems = model.problems.map((message) => ({ message, inputId: null }));
  return page({
    title: `${problems.length > 0 ? "Not sent yet: " : ""}Confirm ${price} to ${brand.name}`,
    brand,
    width: "narrow",
    main: messageBody({
      sign: sign("lock", "plain"),
      heading: "Confirm the payment",
      head: [bigAmount(amount, currency), html`<p class="muted">${name(brand.name)} charges your ${card}.</p>`],
      below: html`${facts([
        { term: "For", value: name(title) },
        { term: "Card", value: card },
      ])}
${model.terms}<form class="stack" method="post">${problemSummary(problems)}
<input type="hidden" name="amount" value="${toDecimalText(amount)}">
<button type="submit" class="button" name="action" value="confirm" data-busy="One moment…">Pay ${price}</button>
${formToken(model.formToken)}</form>
<p class="center"><a href="${back}">Pay in another way</a></p>`,
    }),
  });
}

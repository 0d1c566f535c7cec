import type { Cents } from "../../kernel/money.ts";
import { type Html, html } from "../html.ts";
import { icon, money } from "./parts.ts";

/** A saved card as a way to pay. */
export interface SavedCardOption {
  readonly id: string;
  /** `Visa ending in 4242`. */
  readonly text: string;
}

/** A pending charge of a saved card for the same purpose, and the page that shows it. */
export interface UnderWay {
  readonly amount: Cents;
  readonly url: string;
}

/** The note about a pending charge; the amount is in cents of `currency`. */
export const underWayNote = ({ amount, url }: UnderWay, currency: string): Html =>
  html`<div class="notice wait">${icon("clock")}<p>${money(amount, currency)} is being paid by saved card already; \
the bank has not confirmed it yet. Look at <a href="${url}">that payment</a> before you pay again.</p></div>`;

/**
 * The radios of the saved cards, with their own button: the next page confirms the amount. Null without cards. `checksForm`: the browser
 * validates the other fields first, since they are sent too.
 */
export function savedCardChoice(
  cards: readonly SavedCardOption[],
  chosenCard: string | null,
  { checksForm }: { readonly checksForm: boolean },
): Html | null {
  if (cards.length === 0) return null;
  const chosen = cards.find(({ id }) => id === chosenCard) ?? cards[0];
  const options = cards.map(
    (card) =>
      html`<label class="option"><input type="radio" name="card" value="${card.id}"${
        card === chosen && html` checked`
      }><span><b>${card.text}</b></span></label>`,
  );
  return html`<fieldset><legend>Or use a saved card</legend><div class="options">${options}</div></fieldset>
<button type="submit" class="button quiet" name="action" value="pay_card"${
    !checksForm && html` formnovalidate`
  }>Pay with a saved card</button>`;
}

import { type Html, html } from "../html.ts";
import { cardInWords, type NamedCard } from "../wording.ts";
import { problemSummary } from "./fields.ts";
import { page } from "./layout.ts";
import { type Brand, formToken, name, ownPath } from "./parts.ts";

/** A saved card of the customer. */
export interface PortalCard extends NamedCard {
  readonly id: string;
  readonly expiryMonth: number | null;
  readonly expiryYear: number | null;
  readonly isDefault: boolean;
  readonly status: "active" | "expired" | "failed";
}

export interface PortalCardsModel {
  readonly brand: Brand;
  /** The default first. */
  readonly cards: readonly PortalCard[];
  /** Whether a card can be added now. */
  readonly canAdd: boolean;
  /** Whether cards can be changed and removed now. */
  readonly canChange: boolean;
  readonly homePath: string;
  readonly formToken: string;
  /** Sentences about the last submission. */
  readonly problems: readonly string[];
}

/** The customer's saved cards. Its forms post `action` (`add`, `make_default`, `remove`) and `card` to the page's URL. */
export function portalCardsPage(model: PortalCardsModel): Html {
  const { brand, cards } = model;
  return page({
    title: `Your cards – ${brand.name}`,
    brand,
    width: "middle",
    main: html`<main class="frame middle stack">
<div class="bar"><h1>Your cards</h1><a href="${ownPath(model.homePath) ?? ""}">Your account</a></div>
${problemSummary(
  model.problems.map((message) => ({ message, inputId: null })),
  "Nothing was changed",
)}
<section class="sheet">${
      cards.length === 0
        ? html`<p class="muted">You have saved no card with ${name(brand.name)}.</p>`
        : html`<ul class="rows">${cards.map((card) => cardRow(card, model))}</ul>`
    }</section>
${model.canAdd ? addForm(model) : html`<p class="muted">No card can be added at the moment.</p>`}</main>`,
  });
}

const addForm = ({ brand, formToken: token }: PortalCardsModel): Html =>
  html`<form method="post" class="stack"><input type="hidden" name="action" value="add"><button type="submit" \
class="button" data-busy="One moment…">Add a card</button>
<p class="muted small">You pay a small amount with the card, which ${name(brand.name)} credits to you.</p>${formToken(token)}</form>`;

function cardRow(card: PortalCard, { canChange, formToken: token }: PortalCardsModel): Html {
  const label = cardInWords(card);
  const state = card.isDefault ? "Default card" : null;
  const problem = { active: null, expired: "Expired", failed: "Refused by the bank: add it again" }[card.status];
  const expiry =
    card.expiryMonth !== null && card.expiryYear !== null
      ? `Expires ${String(card.expiryMonth).padStart(2, "0")}/${card.expiryYear}`
      : null;
  const bits = [state, card.status === "expired" ? null : expiry]
    .filter((bit) => bit !== null)
    .map((bit) => html`<span>${bit}</span>`);
  const makeDefault =
    card.isDefault || card.status !== "active" ? "" : button(card, "make_default", "Make default", token);
  return html`<li><span class="name whole">${label}</span>
<span class="small bits whole">${bits}${problem && html`<span class="bad-text">${problem}</span>`}</span>
${canChange ? html`${makeDefault}${button(card, "remove", "Remove", token)}` : ""}</li>`;
}

/** The button names its card, since screen readers list buttons without their context. */
const button = (card: PortalCard, action: string, label: string, token: string): Html =>
  html`<form method="post"><input type="hidden" name="card" value="${card.id}"><button type="submit" \
class="plain-button" name="action" value="${action}">${label}<span \
class="unseen"> ${cardInWords(card)}</span></button>${formToken(token)}</form>`;

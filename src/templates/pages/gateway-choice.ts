import { type Html, html } from "../html.ts";
import { icon } from "./parts.ts";

/** A way to pay. */
export interface GatewayOption {
  /** The gateway account's id, the radio's value. */
  readonly id: string;
  /** Name shown to the payer: `PayFast`, `Bank transfer`. */
  readonly name: string;
  /** Methods of payment: `Visa`, `Instant EFT`. */
  readonly methods: readonly string[];
  /** The payer makes a bank transfer; no card is needed. */
  readonly byHand: boolean;
  /** It does not answer at present. */
  readonly isDown: boolean;
}

/** The text that card details are entered at the gateway. */
export const CARDS_ELSEWHERE = html`<p class="assurance">${icon("lock")}<span>Card details are never entered on this \
page, only with the payment provider.</span></p>`;

/** The radios of the ways to pay. The first is chosen when `chosenGateway` is null, is not among them, or does not answer. */
export function gatewayChoice(gateways: readonly GatewayOption[], chosenGateway: string | null): Html {
  const chosen = gateways.find(({ id, isDown }) => id === chosenGateway && !isDown) ?? gateways[0];
  const options = gateways.map((gateway) => gatewayOption(gateway, gateway === chosen, gateways.length === 1));
  return gateways.length === 1
    ? html`<fieldset><legend class="muted sole">Pay with</legend>${options}</fieldset>`
    : html`<fieldset><legend>Pay with</legend><div class="options">${options}</div></fieldset>`;
}

function gatewayOption(gateway: GatewayOption, checked: boolean, only: boolean): Html {
  const methods = gateway.methods.join(", ");
  const text = html`<span><b dir="auto">${gateway.name}</b>${
    methods && html`<span class="muted small" dir="auto">${methods}</span>`
  }</span>`;
  return html`<label class="${only ? "only" : "option"}"><input type="radio" name="gateway" value="${gateway.id}" \
required${checked && html` checked`}${only && html` class="unseen"`}>${text}</label>`;
}

import { words } from "./words.ts";

/** How money came or went, and the gateway that it went through, if one did. */
interface Way {
  readonly method: string;
  readonly gateway: string | null;
}

const METHODS: Readonly<Record<string, string>> = {
  eft: "EFT",
  debit_order: "Debit orders",
  cash: "Cash",
  card: "Card machine",
  wallet: "Wallet",
  manual: "Refunded by hand",
  other: "Other",
};

/** What a method is called: a gateway's payments by its name, debit orders with the gateway that collected them. */
export function methodWords({ method, gateway }: Way): string {
  const name = METHODS[method] ?? words(method);
  return gateway === null || gateway === method ? name : `${name}, ${words(gateway)}`;
}

/** A card as `Visa •••• 4242`. */
const cardName = ({ brand, last4 }: { readonly brand: string; readonly last4: string }): string =>
  `${words(brand)} •••• ${last4}`;

/** How a payment was made: its card where that is known, EFT, debit order, or through which gateway. */
export const wayOf = ({
  type,
  gateway,
  card,
}: {
  readonly type: string;
  readonly gateway: string;
  readonly card?: { readonly brand: string; readonly last4: string };
}): string =>
  card ? cardName(card) : type === "eft" ? "EFT" : type === "debit_order" ? "Debit order" : words(gateway);

/** The colour of a method in drawings: what payers pay at gateways, EFT, debit orders, everything else. */
export function seriesOf({ method, gateway }: Way): 1 | 2 | 3 | 5 {
  if (method === "debit_order") return 3;
  if (method === "eft") return 2;
  return gateway === null ? 5 : 1;
}

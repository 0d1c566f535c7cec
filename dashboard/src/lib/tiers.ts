import { formatMoney, formatUnitPrice } from "./money.ts";
import { counted } from "./words.ts";

type Mode = "graduated" | "volume" | "package";
interface Tier {
  readonly upTo: number | null;
  readonly unitAmount: number;
  readonly flatAmount: number;
}

/** What a price with tiers has in the API's replies. */
interface Tiered {
  readonly tiers?: readonly Tier[] | undefined;
  readonly tierMode?: Mode | undefined;
  readonly includedUnits?: number | undefined;
}

/** A tier during input; `upTo` is empty for one without end. */
export interface TypedTier {
  upTo: number | string;
  unitAmount: number | string;
  flatAmount: number | string;
}

/** The tiers of a price during input; without a mode it has none. */
export interface TypedTiers {
  tierMode: "" | Mode;
  tiers: TypedTier[];
  includedUnits: number | string;
}

/** What each kind of tiers is called in forms. */
export const TIER_MODES: Readonly<Record<"" | Mode, string>> = {
  "": "One price for each unit",
  graduated: "Each unit by its own tier",
  volume: "All units by the tier of their total",
  package: "By begun packages",
};

/** A price without tiers. */
export const NO_TIERS: TypedTiers = { tierMode: "", tiers: [], includedUnits: "" };

/** The tiers of a price of the API in a form. */
export const typedTiers = ({ tiers = [], tierMode, includedUnits }: Tiered): TypedTiers => ({
  tierMode: tiers.length > 0 ? (tierMode ?? "graduated") : "",
  tiers: tiers.map(({ upTo, unitAmount, flatAmount }) => ({
    upTo: upTo ?? "",
    unitAmount,
    flatAmount: flatAmount || "",
  })),
  includedUnits: includedUnits ?? "",
});

/** Whether each tier of a form has what the API needs: a price, and an end where it must have one. */
export const areTyped = ({ tierMode, tiers }: Pick<TypedTiers, "tierMode" | "tiers">): boolean =>
  tiers.every(
    ({ upTo, unitAmount }, index) =>
      unitAmount !== "" && (upTo !== "" || (tierMode !== "package" && index === tiers.length - 1)),
  );

/** The tiers of a form in the API's form; null removes what a price had. */
export const tiersOf = ({ tierMode, tiers, includedUnits }: TypedTiers) => ({
  ...(tierMode === ""
    ? { tiers: null }
    : {
        tierMode,
        tiers: (tierMode === "package" ? tiers.slice(0, 1) : tiers).map(({ upTo, unitAmount, flatAmount }) => ({
          upTo: upTo === "" ? null : Number(upTo),
          unitAmount: Number(unitAmount),
          ...(flatAmount === "" ? {} : { flatAmount: Number(flatAmount) }),
        })),
      }),
  includedUnits: Number(includedUnits),
});

/** The tiers and included units of a price, each as a line of text; none of one price for each unit. */
export function tiersInWords({ tiers = [], tierMode, includedUnits }: Tiered, currency: string): readonly string[] {
  const included = includedUnits ? [`${counted(includedUnits, "unit")} included`] : [];
  const of = tiers.map(({ upTo, unitAmount, flatAmount }, index) => {
    const money = formatUnitPrice(unitAmount, currency);
    const flat = flatAmount > 0 ? ` and ${formatMoney(flatAmount, currency)}` : "";
    if (tierMode === "package") return `${money} for each begun ${counted(upTo ?? 1, "unit")}${flat}`;
    const over = tiers[index - 1]?.upTo ?? 0;
    const which = upTo === null ? `over ${over}` : `${over} to ${upTo}`;
    return tierMode === "volume" ? `${which} in all: ${money} each${flat}` : `${which}: ${money} each${flat}`;
  });
  return [...included, ...of];
}

/** How often a plan is billed, as the API names it. */
export type Frequency = "monthly" | "quarterly" | "biannually" | "annually";

/** Every frequency, with its label in a choice. */
export const FREQUENCIES: readonly { readonly value: Frequency; readonly label: string }[] = [
  { value: "monthly", label: "Every month" },
  { value: "quarterly", label: "Every 3 months" },
  { value: "biannually", label: "Every 6 months" },
  { value: "annually", label: "Every year" },
];

/** How often something is charged, as a phrase: `Every month`, or `Once`. */
export const oftenInWords = (recurring: { readonly frequency: Frequency } | null): string =>
  FREQUENCIES.find(({ value }) => value === recurring?.frequency)?.label ?? "Once";

const PER: Readonly<Record<Frequency, string>> = {
  monthly: "a month",
  quarterly: "every 3 months",
  biannually: "every 6 months",
  annually: "a year",
};

/** After an amount: `a month`, `every 3 months`. */
export const per = (frequency: Frequency): string => PER[frequency];

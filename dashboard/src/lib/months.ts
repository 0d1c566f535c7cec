const MONTH = new Intl.DateTimeFormat("en-ZA", { month: "long", year: "numeric", timeZone: "UTC" });

/** A month for people: `November 2026`, of `2026-11`. */
export const formatMonth = (month: string): string => MONTH.format(new Date(`${month}-01T00:00:00Z`));

/** The last day of a month, `YYYY-MM-DD`, of `2026-11`. */
export function lastDayOf(month: string): string {
  const [year = 0, one = 0] = month.split("-").map(Number);
  return new Date(Date.UTC(year, one, 0)).toISOString().slice(0, 10);
}

/** A target of the project, and whether the measured value meets it. */
interface Target {
  /** For people: "at least 0.5 of the floor". */
  readonly text: string;
  readonly met: boolean;
}

/** One line of the output (interface 10.1). */
export interface Line {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** Value divided by that of `floor`. */
  readonly ratio?: number;
  /** The name of the ratio's base, when it is not the line before. */
  readonly floor?: string;
  readonly target?: Target;
  /** The measured value in words, when the name does not say it. */
  readonly note?: string;
}

const LIMITS = {
  "at least": (value: number, limit: number) => value >= limit,
  "at most": (value: number, limit: number) => value <= limit,
  under: (value: number, limit: number) => value < limit,
};

/** A target for `value`, which is a ratio or a measured value. */
export function target(rule: keyof typeof LIMITS, limit: number, value: number, of = ""): Target {
  return { text: `${rule} ${limit}${of && ` ${of}`}`, met: LIMITS[rule](value, limit) };
}

/** `name: value unit (ratio to its floor; target)`. */
export function lineText({ name, value, unit, ratio, floor, target, note }: Line): string {
  const remarks = [
    ratio === undefined ? "" : `${round(ratio)} of ${floor}`,
    target === undefined ? "" : `target ${target.text}: ${target.met ? "met" : "MISSED"}`,
    note ?? "",
  ].filter(Boolean);
  return `${name}: ${round(value)} ${unit}${remarks.length > 0 ? ` (${remarks.join("; ")})` : ""}`;
}

/** Three significant digits, or all digits of a larger whole number. */
function round(value: number): string {
  return Math.abs(value) >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}

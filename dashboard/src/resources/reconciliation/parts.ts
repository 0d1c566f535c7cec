import type { paths, Shape } from "../../api/client.ts";
import { sumOf } from "../../lib/money.ts";

/** A line of a statement. */
export type Line = Shape<"ReconciliationItem">;
export type Candidate = Shape<"ReconciliationCandidate">;
/** A part of a line, as the API takes it. */
export type Body =
  paths["/reconciliation/items/{id}/match"]["post"]["requestBody"]["content"]["application/json"]["allocations"][number];

/** Lines that need no action, as a filter of the list. */
export const REPEATED = { value: "duplicate,ignored", label: "Imported before or ignored" } as const;

/** A part of a line while it is matched. */
export interface Part {
  /** A key of this part, for lists. */
  readonly key: string;
  readonly title: string;
  /** In the API's form, without the amount. */
  readonly body: Body;
  /** With its sign; an empty text while it is empty. */
  readonly amount: number | string;
  /** The open amount of its record, when it is known. */
  readonly open: number | null;
}

/** The rest of the line without these parts. */
export const leftOf = (line: number, parts: readonly Part[]): number =>
  sumOf([line, ...parts.map(({ amount }) => -Number(amount || 0))]);

/** A part that is chosen by its kind; its amount begins with the rest of the line. */
export const partOf = (title: string, body: Body, left: number): Part => ({
  key: crypto.randomUUID(),
  title,
  body,
  amount: left === 0 ? "" : left,
  open: null,
});

/** The parts of a candidate. */
export const partsOf = ({ title, amount, allocations }: Candidate): readonly Part[] =>
  allocations.map((one, index) => {
    const { amount: part, ...body } = one as Body & { readonly amount?: number };
    const only = allocations.length === 1;
    return {
      key: crypto.randomUUID(),
      title: only ? title : `${title} (${index + 1} of ${allocations.length})`,
      body: body as Body,
      amount: part ?? amount,
      open: only ? amount : null,
    };
  });

/** What a candidate is matched with, as the API takes it. */
export const allocationsOf = ({ allocations }: Candidate): readonly Body[] => allocations.map((one) => one as Body);

/** The parts in the API's form. */
export const bodiesOf = (parts: readonly Part[]): Body[] =>
  parts.map(({ body, amount }) => ({ ...body, amount: Number(amount) }));

/** Whether a candidate is among the parts already. */
export const isTaken = ({ allocations }: Candidate, parts: readonly Part[]): boolean => {
  const named = (body: object) => {
    const { amount: _amount, ...rest } = body as { amount?: number };
    return JSON.stringify(rest);
  };
  return allocations.some((one) => parts.some(({ body }) => named(body) === named(one)));
};

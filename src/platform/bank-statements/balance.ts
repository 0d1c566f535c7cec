import { type Cents, toDecimalText } from "../../kernel/money.ts";
import { type FoundAmount, type Proved, type SignRule, signedAmount } from "./direction.ts";
import type { Warning } from "./fault.ts";

interface Gap {
  readonly at: number;
  readonly found: number;
  readonly expected: number;
}

/** One order of the lines, the oldest first or last, and how many balances follow from the line before in it. */
interface Order {
  readonly oldestFirst: boolean;
  /** Moved since the last balance, in cents. */
  moved: number;
  lines: number;
  follow: number;
  gaps: number;
  readonly shown: Gap[];
  turned: number;
  firstTurned: number | null;
}

const SHOWN_GAPS = 20;

/** Which end of a file a balance without an amount states; null when it does not say. */
export type BalanceEnd = "opening" | "closing" | null;

/** Whether a balance without an amount may be the last of an order: the closing one with the oldest line first, the opening one else. */
const endsIn = ({ oldestFirst }: Order, end: BalanceEnd): boolean =>
  oldestFirst ? end !== "opening" : end === "opening";

const newOrder = (oldestFirst: boolean): Order => ({
  oldestFirst,
  moved: 0,
  lines: 0,
  follow: 0,
  gaps: 0,
  shown: [],
  turned: 0,
  firstTurned: null,
});

/** The proof of a file's amounts by its balances, as one rule of their signs reads them. */
class Proof {
  private readonly orders = [newOrder(true), newOrder(false)] as const;
  private before: number | null = null;

  move(amount: number): void {
    for (const order of this.orders) {
      order.moved += amount;
      order.lines++;
    }
  }

  balance(at: number, found: number, own: number, end: BalanceEnd): void {
    const { before } = this;
    // With the oldest line last, a balance stands beside the amount that comes after it in time.
    const [first, last] = this.orders;
    last.moved -= own;
    if (own !== 0) last.lines--;
    if (before !== null)
      for (const order of this.orders) {
        const moved = order.oldestFirst ? order.moved : -order.moved;
        if (before + moved === found) order.follow++;
        else
          this.gap(
            order,
            { at, found, expected: before + moved },
            own !== 0 || endsIn(order, end) ? before - moved : null,
          );
      }
    Object.assign(first, { moved: 0, lines: 0 });
    Object.assign(last, { moved: own, lines: own === 0 ? 0 : 1 });
    this.before = found;
  }

  private gap(order: Order, gap: Gap, turned: number | null): void {
    order.gaps++;
    if (order.shown.length < SHOWN_GAPS) order.shown.push(gap);
    if (turned !== gap.found || order.lines !== 1) return;
    order.turned++;
    order.firstTurned ??= gap.at;
  }

  /** The order in which more balances follow from the line before, whatever their direction; of equal ones, the oldest first. */
  best(): Order {
    const [first, last] = this.orders;
    return last.follow + last.turned > first.follow + first.turned ? last : first;
  }
}

const RULES: readonly SignRule[] = [
  { bare: "in", minus: "out", plus: "in", said: "never" },
  { bare: "out", minus: "out", plus: "in", said: "never" },
  { bare: "out", minus: "in", plus: "in", said: "never" },
  { bare: "in", minus: "out", plus: "in", said: "bare" },
];
const named = ({ bare, minus, said }: SignRule): string => `${bare} ${minus} ${said === "bare" ? said : "never"}`;

/** Proves the amounts of a file by its balances while it is read, before it is known what an amount without a mark is. */
export class Balances {
  private readonly proofs = RULES.map((rule) => ({ rule, proof: new Proof() }));
  private column: string | null = null;

  /** Adds the amounts of a row and its balance, which is null where the row has none. */
  add(
    at: number,
    amounts: readonly FoundAmount[],
    balance: { readonly amount: Cents; readonly column: string } | null,
    end: BalanceEnd = null,
  ): void {
    if (balance) this.column = balance.column;
    for (const { rule, proof } of this.proofs) {
      const own = amounts.reduce((all, amount) => all + signedAmount(amount, rule), 0);
      if (own !== 0) proof.move(own);
      if (balance) proof.balance(at, balance.amount, own, end);
    }
  }

  /** What the balances say of the amounts as a rule reads them; `null` is the rule by which amounts without a mark are money in. */
  proved(rule: SignRule | null): Proved {
    const { follow, gaps, turned, firstTurned: at } = this.proofOf(rule).best();
    const first = at === null || this.column === null ? null : { at, column: this.column };
    return { turned: first, compared: follow + gaps > 0, opposite: follow === 0 && turned > 0 && turned === gaps };
  }

  private proofOf(rule: SignRule | null): Proof {
    const [plain] = this.proofs;
    const found = rule === null ? plain : this.proofs.find((one) => named(one.rule) === named(rule));
    return found?.proof ?? new Proof();
  }

  /** A warning for each balance that does not follow from the line before. */
  warnings(rule: SignRule): readonly Warning[] {
    const { follow, gaps, shown } = this.proofOf(rule).best();
    if (gaps > SHOWN_GAPS && gaps > follow)
      return [
        {
          line: null,
          message: `The balances in column ${this.column} do not follow from the amounts, so they do not prove that the file is complete.`,
        },
      ];
    const more = gaps - shown.length;
    return [
      ...shown.map(
        ({ at, found, expected }): Warning => ({
          line: at,
          message:
            `Line ${at}: the balance is ${text(found)}, but ${text(expected)} follows from the balance ` +
            `before it: a difference of ${text(found - expected)}. A line may be missing, or stand here twice.`,
        }),
      ),
      ...(more > 0 ? [{ line: null, message: `So it is with ${more} more balances.` }] : []),
    ];
  }
}

const text = (cents: number): string => toDecimalText(cents as Cents);

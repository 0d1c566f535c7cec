/** The result of checking the digits of an account number. `unknown`: the bank's rule for such a number is not public. */
export type CheckDigits = "right" | "doubtful" | "wrong" | "unknown";

/** Numbers of a bank that one rule covers. */
interface Rule {
  readonly pattern: RegExp;
  /** One weight for each digit, from the first: the weighted sum of the digits is divisible by 11. */
  readonly weights: readonly number[];
  /** Whether every number that breaks the rule is wrong; without it, such a number only looks wrong. */
  readonly strict: boolean;
}

interface Bank {
  readonly name: string;
  readonly rules: readonly Rule[];
}

const NINE = [9, 8, 7, 6, 5, 4, 3, 2, 1];
const TEN = [10, ...NINE];
const ELEVEN = [2, 1, ...NINE];

/**
 * South African banks by the universal branch code that accepts payments for all their branches, with the public rules of their check digits
 * (decisions.md#check-digits-refuse-only-what-is-proved).
 */
const BANKS: ReadonlyMap<string, Bank> = new Map([
  ["051001", bank("Standard Bank", [rule(/^10\d{9}$/, ELEVEN, true), rule(/^\d{9}$/, NINE, false)])],
  ["198765", bank("Nedbank", [rule(/^1\d{9}$/, TEN, false)])],
  ["470010", bank("Capitec", [rule(/^\d{10}$/, [1, ...NINE], false)])],
  ["250655", bank("FNB", [])],
  ["430000", bank("African Bank", [])],
  ["462005", bank("Bidvest Bank", [])],
  ["580105", bank("Investec", [])],
  ["632005", bank("Absa", [])],
  ["678910", bank("TymeBank", [])],
  ["679000", bank("Discovery Bank", [])],
]);

function bank(name: string, rules: readonly Rule[]): Bank {
  return { name, rules };
}

function rule(pattern: RegExp, weights: readonly number[], strict: boolean): Rule {
  return { pattern, weights, strict };
}

/** The bank of a universal branch code; null for any other code. */
export const bankOfBranch = (branchCode: string): string | null => BANKS.get(branchCode)?.name ?? null;

/** Checks an account number, of digits only, by the rule of its bank. */
export function checkDigits(branchCode: string, accountNumber: string): CheckDigits {
  const known = BANKS.get(branchCode)?.rules.find(({ pattern }) => pattern.test(accountNumber));
  if (!known) return "unknown";
  const sum = known.weights.reduce((total, weight, at) => total + weight * Number(accountNumber[at]), 0);
  if (sum % 11 === 0) return "right";
  return known.strict ? "wrong" : "doubtful";
}

/** The warning about an account number that the check digits do not confirm (interface 4.10); null when they do. */
export function checkDigitWarning(result: CheckDigits, branchCode: string): string | null {
  const name = bankOfBranch(branchCode) ?? `branch ${branchCode}`;
  switch (result) {
    case "doubtful":
      return `The account number does not look like one of ${name}. Check it with the customer.`;
    case "unknown":
      return `The check digits of this account number at ${name} could not be verified.`;
    default:
      return null;
  }
}

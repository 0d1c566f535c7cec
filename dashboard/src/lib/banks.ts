/** South African banks with the universal branch code that accepts payments for all their branches, by name. */
const BANKS = [
  ["Absa", "632005"],
  ["African Bank", "430000"],
  ["Bidvest Bank", "462005"],
  ["Capitec", "470010"],
  ["Discovery Bank", "679000"],
  ["FNB", "250655"],
  ["Investec", "580105"],
  ["Nedbank", "198765"],
  ["Standard Bank", "051001"],
  ["TymeBank", "678910"],
] as const;

/** The names of the banks, in the order of their list. */
export const BANK_NAMES: readonly string[] = BANKS.map(([name]) => name);

/** The universal branch code of a bank, however its name is written; null for any other. */
export const branchOfBank = (bank: string): string | null =>
  BANKS.find(([name]) => name.toLowerCase() === bank.trim().toLowerCase())?.[1] ?? null;

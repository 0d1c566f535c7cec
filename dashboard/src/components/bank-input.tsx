import { Autocomplete, type AutocompleteProps } from "@mantine/core";
import { BANK_NAMES, branchOfBank } from "../lib/banks.ts";

/** A bank by its name, of which South African ones are offered; the name of one of these fills in its branch code. */
export const BankInput = ({
  onChange,
  fill,
  ...props
}: Omit<AutocompleteProps, "data"> & { fill(branchCode: string): void }) => (
  <Autocomplete
    {...props}
    data={[...BANK_NAMES]}
    autoComplete="off"
    onChange={(name) => {
      onChange?.(name);
      const code = branchOfBank(name);
      if (code !== null) fill(code);
    }}
  />
);

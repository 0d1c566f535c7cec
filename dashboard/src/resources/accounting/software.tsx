import { Group, NativeSelect, Stack } from "@mantine/core";
import { useState } from "react";
import { useList } from "../../api/lists.ts";
import { Frame, Loaded } from "../../components/frame.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { Permitted } from "../../components/notice.tsx";
import { Rows, Section } from "../../components/resource-page.tsx";
import { Words } from "../../components/values.tsx";
import { formatMonth } from "../../lib/months.ts";
import { pathTo } from "../../lib/paths.ts";
import { words } from "../../lib/words.ts";
import { SOFTWARE_NAMES, type Software, taxInWords, useSoftware } from "./codes.ts";
import { SoftwareFiles } from "./software-files.tsx";

/** The names of the ledger accounts and VAT in each accounting software, and the files of a month that it imports. */
export function Page() {
  const software = useSoftware();
  return (
    <Frame title="Accounting software">
      <Loaded of={software}>
        {({ data }) => (
          <Stack gap="lg">
            <Section title="Codes of ledger accounts" actions={<Changes of={data} />}>
              <Codes
                label="Codes of ledger accounts"
                first="Account"
                of={data}
                codes={({ accounts }) => accounts}
                called={words}
              />
            </Section>
            <Section title="Names of VAT rates">
              <Codes
                label="Names of VAT rates"
                first="VAT"
                of={data}
                codes={({ taxCodes }) => taxCodes}
                called={taxInWords}
              />
            </Section>
          </Stack>
        )}
      </Loaded>
      <Permitted to="exports:read">
        <Files />
      </Permitted>
    </Frame>
  );
}

const Changes = ({ of }: { readonly of: readonly Software[] }) => (
  <Permitted to="accounting:write">
    <Group gap="xs">
      {of.map(({ software }) => (
        <ButtonLink key={software} to={pathTo("accounting/software", software)} size="xs" variant="default">
          Change {SOFTWARE_NAMES[software]}
        </ButtonLink>
      ))}
    </Group>
  </Permitted>
);

/** A row for each account or kind of VAT, a column for each software. */
const Codes = ({
  label,
  first,
  of,
  codes,
  called,
}: {
  readonly label: string;
  /** The kind of the rows. */
  readonly first: string;
  readonly of: readonly Software[];
  codes(of: Software): Readonly<Record<string, string>>;
  called(name: string): string;
}) => (
  <Rows
    label={label}
    items={of[0] ? Object.keys(codes(of[0])) : []}
    keyOf={(name) => name}
    none="Nothing has a code."
    columns={[
      { label: first, cell: called },
      ...of.map((one) => ({
        label: SOFTWARE_NAMES[one.software],
        cell: (name: string) => <Words of={codes(one)[name]} />,
      })),
    ]}
  />
);

/** The files of the chosen month, the newest first. */
function Files() {
  const months = useList("/accounting/months", {});
  const [chosen, setChosen] = useState<string | null>(null);
  const month = chosen ?? months.data?.data[0]?.month;
  return month === undefined ? null : (
    <Stack gap="sm">
      <NativeSelect
        label="Month"
        maw={240}
        data={(months.data?.data ?? []).map((one) => ({ value: one.month, label: formatMonth(one.month) }))}
        value={month}
        onChange={({ currentTarget }) => setChosen(currentTarget.value)}
      />
      <SoftwareFiles month={month} />
    </Stack>
  );
}

import { Group, NativeSelect, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { FileButton } from "../../components/file.tsx";
import { Permitted } from "../../components/notice.tsx";
import { Section } from "../../components/resource-page.tsx";
import { lastDayOf } from "../../lib/months.ts";
import { SOFTWARE_NAMES } from "./codes.ts";

const SOFTWARE = Object.entries(SOFTWARE_NAMES).map(([value, label]) => ({ value, label }));

/** A month as the files that accounting software imports (interface 18.8). */
export function SoftwareFiles({ month }: { readonly month: string }) {
  const [software, setSoftware] = useState("xero");
  const query = `from=${month}-01&to=${lastDayOf(month)}`;
  return (
    <Permitted to="exports:read">
      <Section
        title="Export to Xero, Sage or QuickBooks"
        actions={
          <NativeSelect
            aria-label="Accounting software"
            size="xs"
            data={SOFTWARE}
            value={software}
            onChange={({ currentTarget }) => setSoftware(currentTarget.value)}
          />
        }
      >
        <Stack gap="sm">
          <Text size="sm" c="dimmed">
            Import invoices, credit notes and journal, in this order. Or the whole journal alone, when your books need
            no single documents. Close the month first, so that the files stay what they are.
          </Text>
          <Group gap="sm">
            <FileButton path={`/exports/${software}/invoices.csv?${query}`}>Invoices</FileButton>
            <FileButton path={`/exports/${software}/credit-notes.csv?${query}`}>Credit notes</FileButton>
            <FileButton path={`/exports/${software}/journal.csv?${query}`}>Journal</FileButton>
            <FileButton path={`/exports/${software}/journal.csv?${query}&documents=included`}>Whole journal</FileButton>
          </Group>
        </Stack>
      </Section>
    </Permitted>
  );
}

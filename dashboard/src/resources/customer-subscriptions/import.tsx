import { Alert, Button, FileInput, Group, Paper, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { api, got, type Shape } from "../../api/client.ts";
import { SubmitButton } from "../../components/allowed.tsx";
import { FormError } from "../../components/form.tsx";
import { Frame } from "../../components/frame.tsx";
import { Rows, Section } from "../../components/resource-page.tsx";
import { IdLink, Status, Words } from "../../components/values.tsx";
import { counted, words } from "../../lib/words.ts";

type Report = Shape<"SubscriptionImport">;

const COLUMNS =
  "customer.externalReference, plan, externalReference and paidThrough; if wanted status, currentPeriodStart, trialEnd, cancelAtPeriodEnd, quantity and metadata.importedFrom, the platform's name";

/** Records subscriptions that another platform bills, from a CSV file: first a dry run, with a report for each row. */
export function Page() {
  const [file, setFile] = useState<File | null>(null);
  const cache = useQueryClient();
  const run = useMutation({
    mutationFn: ({ dryRun, chosen }: { dryRun: boolean; chosen: File }) => send(chosen, dryRun),
    onSuccess: () => cache.invalidateQueries({ queryKey: ["/customer-subscriptions"] }),
  });
  const busy = useRef(false);
  /** A second click while an import is running does nothing. */
  const start = (dryRun: boolean) => {
    if (!file || busy.current) return;
    busy.current = true;
    run.mutate(
      { dryRun, chosen: file },
      {
        onSettled: () => {
          busy.current = false;
        },
      },
    );
  };
  const choose = (chosen: File | null) => {
    setFile(chosen);
    run.reset();
  };
  const tried = run.data?.dryRun === true;
  return (
    <Frame title="Import subscriptions" back={{ label: "Subscriptions", to: "/customer-subscriptions" }}>
      <Text>
        For subscriptions that another platform bills. They are recorded beside your own; nothing is billed, mailed or
        charged for them, and the parallel run shows what Tefo would have billed.
      </Text>
      <FormError error={run.error} title="Nothing was imported" />
      <Paper withBorder p="lg">
        <Stack gap="md">
          <FileInput
            label="CSV file"
            placeholder="Choose a file"
            description={`At most 10 MB, with the columns ${COLUMNS}.`}
            accept=".csv,text/csv"
            value={file}
            onChange={choose}
            clearable
            clearButtonProps={{ "aria-label": "Clear the file" }}
          />
          <Group gap="sm">
            <Button
              variant={tried ? "default" : "filled"}
              disabled={!file}
              loading={run.isPending}
              onClick={() => start(true)}
            >
              Try it
            </Button>
            {tried && (run.data?.totals.create ?? 0) > 0 && (
              <SubmitButton busy={run.isPending} onClick={() => start(false)}>
                Import {counted(run.data?.totals.create ?? 0, "subscription")}
              </SubmitButton>
            )}
          </Group>
        </Stack>
      </Paper>
      {run.data && <Reported of={run.data} />}
    </Frame>
  );
}

function send(file: File, dryRun: boolean): Promise<Report> {
  const form = new FormData();
  form.append("dryRun", String(dryRun));
  form.append("file", file);
  return got(
    api.POST("/customer-subscriptions/imports", {
      body: { file: "", dryRun: dryRun ? "true" : "false" },
      bodySerializer: () => form,
    }),
  );
}

const Reported = ({ of: { dryRun, totals, rows } }: { readonly of: Report }) => (
  <>
    <Alert color={totals.error > 0 ? "red" : "teal"} role="status" title={dryRun ? "What will happen" : "Imported"}>
      {counted(totals.rows, "row")}: {totals.create} {dryRun ? "will be made" : "made"}, {totals.exists} there already,{" "}
      {totals.error} with a fault.
      {dryRun &&
        totals.error > 0 &&
        " Rows with a fault are left out; correct the file and try again, or import the others."}
    </Alert>
    <Section title="Rows">
      <Rows
        label="Rows"
        items={[...rows]
          .sort((one, other) => Number(other.action === "error") - Number(one.action === "error"))
          .slice(0, SHOWN)}
        keyOf={({ line }) => String(line)}
        none="The file has no row."
        columns={[
          { label: "Row", cell: ({ line }) => line },
          { label: "Outcome", cell: ({ action }) => <Status of={action === "error" ? "failed" : OUTCOMES[action]} /> },
          { label: "Your reference", cell: ({ externalReference }) => <Words of={externalReference} /> },
          { label: "Subscription", cell: ({ subscriptionId }) => <IdLink id={subscriptionId} /> },
          {
            label: "Fault",
            cell: ({ field, message }) => <Words of={message && (field ? `${words(field)}: ${message}` : message)} />,
          },
        ]}
      />
      {rows.length > SHOWN && (
        <Text size="sm">The first {SHOWN} rows are shown, those with faults before the others.</Text>
      )}
    </Section>
  </>
);

const SHOWN = 500;
const OUTCOMES = { create: "new", exists: "unchanged" } as const;

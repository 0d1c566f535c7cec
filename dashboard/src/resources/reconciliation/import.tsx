import { Alert, FileInput, Group, NativeSelect, Paper, Stack, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, got, type Shape } from "../../api/client.ts";
import { useList } from "../../api/lists.ts";
import { useChange, useRecord } from "../../api/records.ts";
import { useMay } from "../../api/session.ts";
import { SubmitButton } from "../../components/allowed.tsx";
import { DateInput } from "../../components/date-input.tsx";
import { Fieldset, FormError } from "../../components/form.tsx";
import { Frame } from "../../components/frame.tsx";
import { Failure, showDone } from "../../components/notice.tsx";
import { Rows, Section } from "../../components/resource-page.tsx";
import { Money, Time, Words } from "../../components/values.tsx";
import { pathTo } from "../../lib/paths.ts";
import { formatDay } from "../../lib/time.ts";
import { counted } from "../../lib/words.ts";
import { Columns, Unsigned } from "./import-columns.tsx";
import { FileRows, Warnings } from "./rows.tsx";

type Preview = Shape<"StatementPreview">;
type Mapping = NonNullable<Preview["mapping"]>;

interface Chosen {
  readonly account: string;
  readonly file: File | null;
  /** Null: the file is read as the API understands it. */
  readonly mapping: Mapping | null;
  /** Days, and a currency code; empty: as in the file. */
  readonly periodStart: string;
  readonly periodEnd: string;
  readonly currency: string;
  /** The bank transfer account of this bank account; empty: the stored one. */
  readonly gatewayId: string;
}

const NOTHING: Chosen = {
  account: "",
  file: null,
  mapping: null,
  periodStart: "",
  periodEnd: "",
  currency: "",
  gatewayId: "",
};

/** Imports a bank statement: first a preview of how it is read, then the import. */
export function Page() {
  const navigate = useNavigate();
  const [chosen, setChosen] = useState<Chosen>(NOTHING);
  const preview = usePreview(chosen);
  const run = useChange(send, ["/reconciliation"], ({ id, totals }) => {
    showDone(`${counted(totals.items - totals.notReceived, "line")}: ${totals.matched} matched.`);
    void navigate({ to: pathTo("reconciliation/runs", id) });
  });
  const change = (changes: Partial<Chosen>) => {
    run.reset();
    setChosen({ ...chosen, ...changes });
  };
  const ready = chosen.file !== null && chosen.account.trim() !== "" && preview.data?.problem === null;
  return (
    <Frame title="Import a statement" back={{ label: "Statements", to: "/reconciliation/runs" }}>
      <FormError error={run.error} title="Nothing was imported" />
      <Paper withBorder p="lg">
        <Stack gap="md">
          <AccountField value={chosen.account} change={(account) => change({ account, gatewayId: "" })} />
          <TransfersField chosen={chosen} change={(gatewayId) => change({ gatewayId })} />
          <FileInput
            label="File"
            placeholder="Choose a file"
            description="CSV, OFX or CAMT.053, at most 20 MB, as the bank writes it."
            value={chosen.file}
            onChange={(file) => change({ file, mapping: null, currency: "" })}
            clearable
            clearButtonProps={{ "aria-label": "Clear the file" }}
          />
        </Stack>
      </Paper>
      {preview.isError && <Failure error={preview.error} again={() => void preview.refetch()} />}
      {preview.data && chosen.file && (
        <>
          <Read of={preview.data} mapping={chosen.mapping} map={(mapping) => change({ mapping })} />
          <Period preview={preview.data} chosen={chosen} change={change} />
        </>
      )}
      <Group justify="flex-end">
        <SubmitButton
          disabled={!ready || preview.isEarlier}
          busy={run.isPending}
          onClick={() => !run.isPending && run.mutate(chosen)}
        >
          {preview.data && ready ? `Import ${counted(preview.data.count, "line")}` : "Import"}
        </SubmitButton>
      </Group>
    </Frame>
  );
}

/** Values that the file may lack: the days that it covers, when no line is on the first or last of them, and its currency. */
function Period(props: { readonly preview: Preview; readonly chosen: Chosen; change(changes: Partial<Chosen>): void }) {
  const { preview, chosen, change } = props;
  return (
    <Fieldset
      legend="Period and currency"
      about="Payments of this period that the statement lacks are listed as not received. Left empty, it runs from the first line to the last."
    >
      <div className="tefo-facts">
        <DateInput label="From" value={chosen.periodStart} onChange={(periodStart) => change({ periodStart })} />
        <DateInput label="To" value={chosen.periodEnd} onChange={(periodEnd) => change({ periodEnd })} />
        {preview.currency === null && (
          <TextInput
            label="Currency"
            description="Currency, for example ZAR"
            placeholder="ZAR"
            maxLength={3}
            value={chosen.currency}
            onChange={(event) => change({ currency: event.currentTarget.value.toUpperCase() })}
          />
        )}
      </div>
    </Fieldset>
  );
}

/** The name of the account, with the known ones as choices. */
function AccountField({ value, change }: { readonly value: string; change(value: string): void }) {
  const accounts = useList("/reconciliation/accounts", {});
  return (
    <>
      <TextInput
        label="Account"
        description="What you call the bank account: always the same, since lines of one account are known again."
        withAsterisk
        maxLength={100}
        list="tefo-accounts"
        autoComplete="off"
        value={value}
        onChange={(event) => change(event.currentTarget.value)}
      />
      <datalist id="tefo-accounts">
        {(accounts.data?.data ?? []).map(({ account }) => (
          <option key={account} value={account} />
        ))}
      </datalist>
    </>
  );
}

/** The bank transfer account whose transfers arrive at this bank account, when there are several. */
function TransfersField({ chosen, change }: { readonly chosen: Chosen; change(gatewayId: string): void }) {
  const may = useMay();
  const accounts = useList("/reconciliation/accounts", {});
  const gateways = useRecord(["/gateways"], () => got(api.GET("/gateways")), may("gateways:read"));
  const transfers = (gateways.data?.data ?? []).filter(({ type }) => type === "manual_eft");
  if (transfers.length < 2) return null;
  const kept = accounts.data?.data.find(({ account }) => account === chosen.account.trim())?.gatewayId;
  return (
    <NativeSelect
      label="Bank transfers that arrive here"
      description="Only they are looked for: those to your other accounts are not called missing."
      data={[
        ...(kept ? [] : [{ value: "", label: "Not said" }]),
        ...transfers.map(({ id, name }) => ({ value: id, label: name })),
      ]}
      value={chosen.gatewayId || (kept ?? "")}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}

function formOf({ account, file, mapping }: Pick<Chosen, "account" | "file" | "mapping">): FormData {
  const form = new FormData();
  if (account.trim()) form.append("account", account.trim());
  if (mapping) form.append("mapping", JSON.stringify(mapping));
  if (file) form.append("file", file);
  return form;
}

/** How the file is read; `isEarlier` while it is that of an earlier choice. */
function usePreview(chosen: Chosen) {
  const [account] = useDebouncedValue(chosen.account.trim(), 400);
  const { file, mapping } = chosen;
  const preview = useQuery({
    queryKey: ["/reconciliation-preview", account, file?.name, file?.size, file?.lastModified, mapping],
    queryFn: () => {
      const form = formOf({ account, file, mapping });
      return got(api.POST("/reconciliation/imports/preview", { body: { file: "" }, bodySerializer: () => form }));
    },
    enabled: file !== null,
    placeholderData: keepPreviousData,
    retry: false,
  });
  // The button would be disabled under the pointer of who presses it before the account is read.
  return { ...preview, isEarlier: preview.isPlaceholderData || account !== chosen.account.trim() };
}

function send(chosen: Chosen) {
  const form = formOf(chosen);
  for (const name of ["periodStart", "periodEnd", "currency", "gatewayId"] as const)
    if (chosen[name] !== "") form.set(name, chosen[name]);
  return got(api.POST("/reconciliation/imports", { body: { file: "" }, bodySerializer: () => form }));
}

function Read(props: { readonly of: Preview; readonly mapping: Mapping | null; map(mapping: Mapping): void }) {
  const { of: preview } = props;
  const currency = preview.currency ?? "ZAR";
  const kind = preview.format === "csv" ? "CSV" : preview.format === "ofx" ? "OFX" : "CAMT.053";
  return (
    <>
      {preview.problem === null ? (
        <Alert color="teal" role="status" title={preview.bank ? `${kind} of ${preview.bank}` : kind}>
          {counted(preview.count, "line")}
          {preview.periodStart && preview.periodEnd
            ? `, ${formatDay(preview.periodStart)} – ${formatDay(preview.periodEnd)}`
            : ""}
          , in {currency}.<FileRows of={preview.rowCounts} />
        </Alert>
      ) : (
        <Alert color="red" role="alert" title="It cannot be imported yet">
          {preview.problem}
        </Alert>
      )}
      <Warnings of={preview.warnings} />
      {preview.format === "csv" && (
        <Columns preview={preview} mapping={props.mapping ?? preview.mapping ?? {}} map={props.map} />
      )}
      {preview.format === "ofx" && (preview.question === "direction" || props.mapping !== null) && (
        <Unsigned preview={preview} mapping={props.mapping ?? {}} map={props.map} />
      )}
      {preview.lines.length > 0 && (
        <Section title="The first lines, as they are read">
          <Rows
            label="The first lines"
            items={preview.lines}
            keyOf={(_line, index) => String(index)}
            none=""
            columns={[
              { label: "Date", cell: ({ date }) => <Time at={date} /> },
              { label: "Description", cell: ({ description }) => <Words of={description} /> },
              { label: "Reference", cell: ({ reference }) => <Words of={reference} /> },
              { label: "Amount", figures: true, cell: ({ amount }) => <Money amount={amount} currency={currency} /> },
            ]}
          />
        </Section>
      )}
    </>
  );
}

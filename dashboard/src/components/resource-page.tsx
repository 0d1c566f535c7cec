import { Code, Group, Paper, Skeleton, Stack, Table, Text, Title } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import { Fragment, type ReactNode } from "react";
import { api, got } from "../api/client.ts";
import { useRecord } from "../api/records.ts";
import { useMay } from "../api/session.ts";
import { pathTo } from "../lib/paths.ts";
import { words } from "../lib/words.ts";
import { Icon } from "./icon.tsx";
import { ButtonAnchor, TextLink } from "./link.tsx";
import { Failure } from "./notice.tsx";
import { Timeline } from "./timeline.tsx";
import { useTitle } from "./title.ts";
import { CopyId, IdLink, Status } from "./values.tsx";

/** A fact of a record: its name, and its value as shown. */
export type Fact = readonly [label: string, value: ReactNode];

/** The contents of a record's page. */
export interface RecordShown {
  /** The record's name: an invoice's number, a customer's name. */
  readonly title: ReactNode;
  /** The same as text, for the browser's tab. */
  readonly name: string;
  readonly id: string;
  readonly status?: string | undefined;
  /** The most important figure, such as an invoice's total. */
  readonly figure?: ReactNode;
  readonly facts: readonly Fact[];
  /** Buttons: `MoneyAction` and links. */
  readonly actions?: ReactNode;
  /** Sections with lines and related records. */
  readonly sections?: ReactNode;
  /** Left out for records without a history. */
  readonly timeline?: boolean;
}

/** The page of one record: its name and status, its facts, related records, history and raw object. */
export function ResourcePage<T extends object>({
  resource,
  list,
  record,
  show,
}: {
  readonly resource: string;
  /** Label of the list to which the page links back. */
  readonly list: string;
  readonly record: UseQueryResult<T>;
  show(record: T): RecordShown;
}) {
  return (
    <Stack gap="lg">
      <TextLink to={pathTo(resource)} size="sm" className="tefo-back">
        <Icon name="left" size={14} /> {list}
      </TextLink>
      {record.isPending && <Skeleton height={240} aria-busy="true" aria-label="Loading" />}
      {record.isError && <Unread list={list} error={record.error} again={() => void record.refetch()} />}
      {record.data && <Shown record={record.data} {...show(record.data)} />}
    </Stack>
  );
}

/** The page for a record that does not exist, or could not be read. */
function Unread({ list, error, again }: { readonly list: string; readonly error: unknown; again(): void }) {
  useTitle(list);
  return (
    <>
      <Title order={1} size="h2">
        {list}
      </Title>
      <Failure error={error} again={again} />
    </>
  );
}

function Shown({ record, ...shown }: RecordShown & { readonly record: object }) {
  const may = useMay();
  useTitle(shown.name);
  const payerUrl = useRelated(shown.id).data?.payerUrl;
  return (
    <>
      <Group justify="space-between" align="flex-start" gap="md">
        <div>
          <Group gap="sm">
            <Title order={1} size="h2" dir="auto" className="tefo-words">
              {shown.title}
            </Title>
            {shown.status && <Status of={shown.status} />}
          </Group>
          {shown.figure && <div className="tefo-figure">{shown.figure}</div>}
          <CopyId id={shown.id} />
        </div>
        <Group gap="sm">
          {payerUrl && (
            <ButtonAnchor href={payerUrl} out>
              <Icon name="out" size={16} /> View as customer
            </ButtonAnchor>
          )}
          {shown.actions}
        </Group>
      </Group>
      <Paper withBorder p="lg">
        <Facts of={shown.facts} />
      </Paper>
      <RelatedRecords subject={shown.id} record={record} />
      {shown.sections}
      {shown.timeline !== false && may("notes:read") && (
        <Section title="Timeline">
          <Timeline subject={shown.id} />
        </Section>
      )}
      <details className="tefo-raw">
        <summary>JSON</summary>
        <Code block tabIndex={0} role="region" aria-label="JSON">
          {JSON.stringify(record, null, 2)}
        </Code>
      </details>
    </>
  );
}

/** Facts as names and values. */
export const Facts = ({ of }: { readonly of: readonly Fact[] }) => (
  <dl className="tefo-facts">
    {of.map(([label, value]) => (
      <Fragment key={label}>
        <div>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      </Fragment>
    ))}
  </dl>
);

/** A part of a record's page with a heading of its own. */
export const Section = ({
  title,
  actions,
  children,
}: {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) => (
  <section aria-label={title}>
    <Group justify="space-between" mb="xs">
      <Title order={2} size="h4">
        {title}
      </Title>
      {actions}
    </Group>
    <Paper withBorder p="lg">
      {children}
    </Paper>
  </section>
);

/** A small table within a page: of lines, payments, related records. */
export function Rows<T>({
  label,
  items,
  columns,
  keyOf,
  none,
  foot,
}: {
  readonly label: string;
  readonly items: readonly T[];
  readonly columns: readonly { readonly label: string; readonly figures?: boolean; cell(item: T): ReactNode }[];
  keyOf(item: T, index: number): string;
  /** The text when there are no rows. */
  readonly none: string;
  /** Rows below: a label and a value each, such as totals. */
  readonly foot?: readonly (readonly [string, ReactNode])[];
}) {
  if (items.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {none}
      </Text>
    );
  return (
    <div className="tefo-table">
      <Table aria-label={label} verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ label: name, figures }) => (
              <Table.Th key={name} scope="col" data-figures={figures} data-label={name}>
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {items.map((item, index) => (
            <Table.Tr key={keyOf(item, index)}>
              {columns.map((column) => (
                <Table.Td key={column.label} data-label={column.label} data-figures={column.figures}>
                  <div>{column.cell(item)}</div>
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {foot && (
        <dl className="tefo-totals">
          {foot.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}

/** The payer's page of a record, and its related records. */
const useRelated = (subject: string) =>
  useRecord(["/related-records", subject], () => got(api.GET("/related-records", { params: { query: { subject } } })));

/** Relations whose name in the API is unclear, or differs from the dashboard's word. */
const CALLED: Readonly<Record<string, string>> = {
  checkout_session: "Checkout",
  customer_subscription: "Subscription",
  eft_order: "Bank transfer",
  reconciliation_item: "Bank line",
  subscription: "Gateway subscription",
  transaction: "Payment",
};

/** The related records that a record does not name itself, by their relation; nothing while there are none. */
function RelatedRecords({ subject, record }: { readonly subject: string; readonly record: object }) {
  const { data } = useRelated(subject);
  // Records that the object names are among the facts and sections of its page.
  const own = JSON.stringify(record);
  const others = (data?.data ?? []).filter(({ id }) => !own.includes(JSON.stringify(id)));
  if (others.length === 0) return null;
  return (
    <Section title="Related records">
      <Facts
        of={[...new Set(others.map(({ relation }) => relation))].map((relation) => [
          CALLED[relation] ?? words(relation),
          others
            .filter((one) => one.relation === relation)
            .map(({ id }) => (
              <div key={id}>
                <IdLink id={id} />
              </div>
            )),
        ])}
      />
    </Section>
  );
}

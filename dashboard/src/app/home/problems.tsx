import type { Shape } from "../../api/client.ts";
import { useMay } from "../../api/session.ts";
import { Card } from "../../components/card.tsx";
import { Icon } from "../../components/icon.tsx";
import { TextLink } from "../../components/link.tsx";
import { pageOf } from "../../components/tile.tsx";
import { formatMoney } from "../../lib/money.ts";
import { formatDay } from "../../lib/time.ts";
import { counted } from "../../lib/words.ts";

type Overview = Shape<"StaffOverview">;

interface Problem {
  readonly label: string;
  readonly about: string;
  readonly count: number;
  readonly amount?: string;
  readonly list: string;
}

/** What went wrong and is not mended. */
function problemsOf({ money, toDo, unpaidDebits, recurringRevenue = [], webhookFailures }: Overview): Problem[] {
  return [
    ...money.flatMap(({ currency, overdue }) =>
      overdue
        ? {
            label: "Overdue invoices",
            about: "Due before today",
            ...overdue,
            amount: formatMoney(overdue.amount, currency),
          }
        : [],
    ),
    ...(unpaidDebits
      ? [
          {
            label: "Debit orders returned unpaid",
            about: "Still owed",
            ...unpaidDebits,
            amount: formatMoney(unpaidDebits.amount, "ZAR"),
          },
        ]
      : []),
    ...recurringRevenue.map(({ currency, failed }) => {
      const retrying = money.find((one) => one.currency === currency)?.retrying?.count ?? 0;
      return {
        label: "Failed payments",
        about: retrying > 0 ? `Of subscriptions, ${retrying} retrying` : "Of subscriptions",
        ...failed,
        amount: formatMoney(failed.amount, currency),
      };
    }),
    ...toDo
      .filter(({ kind }) => kind === "disputes_open")
      .map(({ count, amounts, since, list }) => ({
        label: "Disputed payments",
        about: `Respond by ${formatDay(since)}`,
        count,
        amount: amounts.map(({ currency, amount }) => formatMoney(amount, currency)).join(" · "),
        list,
      })),
    ...(webhookFailures
      ? [
          {
            label: "Webhooks not delivered",
            about: `To ${counted(webhookFailures.endpoints, "endpoint")}`,
            count: webhookFailures.count,
            list: webhookFailures.list,
          },
        ]
      : []),
  ].filter(({ count }) => count > 0);
}

/** What a role may have to see of what can go wrong: invoices, debits, subscriptions, deliveries. */
const READ_BY = ["invoices:read", "mandates:read", "subscriptions:read", "events:read"] as const;

/** What went wrong in the last thirty days, or is wrong now, and what was recovered. */
export function Problems({ overview }: { readonly overview: Overview }) {
  const may = useMay();
  const readable = READ_BY.filter(may);
  if (readable.length === 0) return null;
  const problems = problemsOf(overview);
  return (
    <Card title="Problems" aside={<span className="tefo-quiet">Last 30 days</span>}>
      {problems.length === 0 ? (
        <p className="tefo-quiet tefo-reason">
          {readable.length === READ_BY.length
            ? "No problems in the last 30 days"
            : "No problems in the last 30 days among what your role may see"}
        </p>
      ) : (
        <ul className="tefo-tasks">
          {problems.map(({ label, about, count, amount, list }) => (
            <li key={list}>
              <TextLink {...pageOf(list)} underline="never" className="tefo-plain" data-count={count}>
                <span className="tefo-grow">
                  <b>{label}</b>
                  <span className="tefo-quiet">{about}</span>
                </span>
                <span className="tefo-quiet tefo-figures">{count}</span>
                {amount && <b className="tefo-figures tefo-bad">{amount}</b>}
              </TextLink>
            </li>
          ))}
        </ul>
      )}
      {(overview.recurringRevenue ?? [])
        .filter(({ recovered }) => recovered.count > 0)
        .map(({ currency, recovered }) => (
          <TextLink
            key={currency}
            {...pageOf(recovered.list)}
            underline="never"
            className="tefo-plain tefo-callout"
            data-tone="good"
          >
            <Icon name="check" size={16} />
            <span>{formatMoney(recovered.amount, currency)} of failed payments recovered</span>
          </TextLink>
        ))}
    </Card>
  );
}

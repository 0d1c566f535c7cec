import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { useMay } from "../../api/session.ts";
import { Card } from "../../components/card.tsx";
import { Icon, type IconName } from "../../components/icon.tsx";
import { TextLink } from "../../components/link.tsx";
import { pageOf } from "../../components/tile.tsx";
import { formatMoney } from "../../lib/money.ts";
import { formatDay } from "../../lib/time.ts";
import { counted } from "../../lib/words.ts";

type Task = Shape<"OverviewTask">;

interface Said {
  title(count: number): string;
  about(day: string): string;
  readonly icon: IconName;
  /** Repair it now. */
  readonly bad?: true;
}

const oldest = (day: string) => `Oldest from ${day}`;

/** What each task is called. */
const SAID: Readonly<Record<Task["kind"], Said>> = {
  disputes_open: {
    title: (count) => (count === 1 ? "Respond to a dispute" : `Respond to ${count} disputes`),
    about: (day) => `By ${day}`,
    icon: "flag",
    bad: true,
  },
  endpoints_disabled: {
    title: (count) => (count === 1 ? "Fix a webhook endpoint" : `Fix ${count} webhook endpoints`),
    about: (day) => `Disabled on ${day}`,
    icon: "bolt",
    bad: true,
  },
  emails_failed: {
    title: (count) => `${counted(count, "email")} not delivered`,
    about: (day) => `Latest on ${day}`,
    icon: "mail",
    bad: true,
  },
  gateways_down: {
    title: (count) => (count === 1 ? "A gateway does not answer" : `${count} gateways do not answer`),
    about: (day) => `Since ${day}`,
    icon: "bolt",
    bad: true,
  },
  batches_refused: {
    title: (count) => (count === 1 ? "A debit batch was not accepted" : `${count} debit batches were not accepted`),
    about: (day) => `For ${day}`,
    icon: "bank",
    bad: true,
  },
  lines_to_match: {
    title: (count) => `Reconcile ${counted(count, "bank line")}`,
    about: oldest,
    icon: "match",
  },
  proofs_to_check: {
    title: (count) => (count === 1 ? "Check a proof of payment" : `Check ${count} proofs of payment`),
    about: oldest,
    icon: "check",
  },
  mandates_pending: {
    title: (count) => `${counted(count, "mandate")} to sign or approve`,
    about: oldest,
    icon: "bank",
  },
  quotes_to_invoice: {
    title: (count) => (count === 1 ? "Invoice an accepted quote" : `Invoice ${count} accepted quotes`),
    about: (day) => `Accepted since ${day}`,
    icon: "quote",
  },
  drafts_to_send: {
    title: (count) => (count === 1 ? "Send a draft invoice" : `Send ${count} draft invoices`),
    about: oldest,
    icon: "document",
  },
  cards_expiring: {
    title: (count) => (count === 1 ? "A subscription's card expires" : `The cards of ${count} subscriptions expire`),
    about: (day) => `Before the next charge; the first on ${day}`,
    icon: "repeat",
  },
  vat_return_due: {
    title: () => "Submit the VAT return",
    about: (day) => `By ${day}; it is done when its months are closed`,
    icon: "report",
  },
};

/** The page of a task's list; a VAT return is a record of the API, and a page of its own here. */
function pageOfTask({ kind, list }: Task): ReturnType<typeof pageOf> {
  const month = kind === "vat_return_due" ? /\d{4}-\d{2}/.exec(list)?.[0] : undefined;
  return month ? { to: "/accounting/vat-return", search: { month } } : pageOf(list);
}

/** How many steps of setting up are left; a team is optional. */
function useStepsLeft(): number {
  const may = useMay();
  const steps = useRecord(["/first-steps"], () => got(api.GET("/first-steps")), may("settings:read"));
  return (steps.data?.steps ?? []).filter(({ key, done }) => !done && key !== "team").length;
}

/** What needs a person, the most urgent first; what is left to set up comes last. */
export function ToDo({ tasks }: { readonly tasks: readonly Task[] }) {
  const stepsLeft = useStepsLeft();
  return (
    <Card title="To do" aside={tasks.length > 0 && <span className="tefo-count">{tasks.length}</span>}>
      {tasks.length === 0 && stepsLeft === 0 ? (
        <p className="tefo-quiet tefo-reason">Nothing waits for you.</p>
      ) : (
        <ul className="tefo-tasks">
          {tasks.map((task) => {
            const { kind, count, amounts, since } = task;
            const { title, about, icon, bad } = SAID[kind];
            return (
              <li key={kind}>
                <TextLink {...pageOfTask(task)} underline="never" className="tefo-plain" data-count={count}>
                  <span className="tefo-square" data-tone={bad ? "bad" : "off"}>
                    <Icon name={icon} size={16} />
                  </span>
                  <span className="tefo-grow">
                    <b>{title(count)}</b>
                    <span className="tefo-quiet">{about(formatDay(since))}</span>
                  </span>
                  <span className="tefo-figures">
                    {amounts.map(({ currency, amount }) => (
                      <span key={currency} className="tefo-amount">
                        {formatMoney(amount, currency)}
                      </span>
                    ))}
                  </span>
                </TextLink>
              </li>
            );
          })}
          {stepsLeft > 0 && (
            <li>
              <TextLink to="/set-up" underline="never" className="tefo-plain">
                <span className="tefo-square" data-tone="off">
                  <Icon name="gear" size={16} />
                </span>
                <span className="tefo-grow">
                  <b>Finish setting up</b>
                  <span className="tefo-quiet">{counted(stepsLeft, "step")} left</span>
                </span>
              </TextLink>
            </li>
          )}
        </ul>
      )}
    </Card>
  );
}

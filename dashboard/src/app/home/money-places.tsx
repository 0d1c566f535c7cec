import { Skeleton } from "@mantine/core";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { Icon } from "../../components/icon.tsx";
import { Failure } from "../../components/notice.tsx";
import { Words } from "../../components/values.tsx";
import { formatMoney, sumOf } from "../../lib/money.ts";

type Money = Shape<"MoneyPlaces">["currencies"][number];
type Place = Money["places"][number];

/** What each ledger account is called, as the way of the money goes; `tone` is its colour. */
const PLACES: Readonly<Record<Place["place"], { readonly label: string; readonly tone: string }>> = {
  bank_reconciled: { label: "In your bank", tone: "bank" },
  bank: { label: "Not on a statement yet", tone: "awaited" },
  gateway_clearing: { label: "On its way from gateways", tone: "coming" },
  gateway_fees: { label: "Gateway fees", tone: "cost" },
  bank_charges: { label: "Bank charges", tone: "cost" },
  own_transfers: { label: "Between own accounts", tone: "own" },
};

/** Where all money is that was ever received in a currency; read once it is `wanted`, so that nothing waits for it. */
export function MoneyPlaces({ currency, wanted }: { readonly currency: string; readonly wanted: boolean }) {
  const read = useRecord(["/overview", "money-places"], () => got(api.GET("/overview/money-places")), wanted);
  if (read.isError) return <Failure error={read.error} again={() => void read.refetch()} />;
  if (read.isPending) return wanted ? <Skeleton height={120} aria-busy="true" aria-label="Loading" /> : null;
  const money = read.data.currencies.find((one) => one.currency === currency);
  return money && money.places.length > 0 ? <Places of={money} /> : null;
}

const Places = ({ of: { currency, total, places } }: { readonly of: Money }) => (
  <section aria-label="Where the money is">
    <h3 className="tefo-quiet tefo-reason">Where the money is</h3>
    <p className="tefo-figure-row tefo-reason">
      <b className="tefo-figures">{formatMoney(total, currency)}</b>
      <span className="tefo-quiet">All money ever received, by where it is today</span>
    </p>
    <Bar of={places.filter(({ amount }) => amount > 0)} />
    <ul className="tefo-places">
      {places.map((place) => (
        <li key={place.place}>
          {place.parts.length > 1 ? (
            <details>
              <summary>
                <Row of={place} currency={currency} opens />
              </summary>
              <Parts of={place} currency={currency} />
            </details>
          ) : (
            <Row of={place} currency={currency} />
          )}
        </li>
      ))}
    </ul>
  </section>
);

/** The share of each in the money that is above zero; the rows below say the same in words. */
function Bar({ of }: { readonly of: readonly Place[] }) {
  const all = sumOf(of.map(({ amount }) => amount));
  return (
    <div className="tefo-parts" aria-hidden="true">
      {of.map(({ place, amount }) => (
        <span key={place} data-place={PLACES[place].tone} style={{ flexGrow: amount / all }} />
      ))}
    </div>
  );
}

const Row = ({
  of: { place, amount },
  currency,
  opens = false,
}: {
  readonly of: Place;
  readonly currency: string;
  readonly opens?: boolean;
}) => (
  <span className="tefo-place">
    <span className="tefo-dot" data-place={PLACES[place].tone} />
    <span>{PLACES[place].label}</span>
    {opens && <Icon name="right" size={14} />}
    <b className="tefo-figures">{formatMoney(amount, currency)}</b>
  </span>
);

/** The bank or gateway accounts that a row adds up. */
const Parts = ({ of: { place, parts }, currency }: { readonly of: Place; readonly currency: string }) => (
  <ul aria-label={`${PLACES[place].label}, by account`}>
    {parts.map(({ name, id, amount }) => (
      <li key={id ?? `of ${name}`} className="tefo-place tefo-quiet">
        {name === null ? "Other" : <Words of={name} />}
        <span className="tefo-figures">{formatMoney(amount, currency)}</span>
      </li>
    ))}
  </ul>
);

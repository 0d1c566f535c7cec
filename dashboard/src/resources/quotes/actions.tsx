import { NumberInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { api, got, type Shape } from "../../api/client.ts";
import { useSaidSent } from "../../api/session.ts";
import { ButtonLink } from "../../components/link.tsx";
import { MoneyAction } from "../../components/money-action.tsx";
import { Permitted } from "../../components/notice.tsx";
import { formatMoney } from "../../lib/money.ts";
import { pathTo } from "../../lib/paths.ts";

type Quote = Shape<"Quote">;
const TOUCHES = ["/quotes", "/invoices", "/emails", "/audit-log"];
const OPEN = ["draft", "sent", "expired"];

/** The actions on a quote in its present state (interface 3.4). */
export function Actions({ quote }: { readonly quote: Quote }) {
  const open = OPEN.includes(quote.status);
  const editable = quote.status === "draft" || quote.status === "sent";
  return (
    <>
      {editable && (
        <Permitted to="quotes:write">
          <ButtonLink to={`${pathTo("quotes", quote.id)}/edit`} variant="default">
            Edit
          </ButtonLink>
        </Permitted>
      )}
      {open && <Send quote={quote} />}
      {open && quote.status !== "draft" && <ToDraft quote={quote} />}
      {open && <Accept quote={quote} />}
      {(open || quote.status === "accepted") && <Decline quote={quote} />}
      {(open || quote.status === "accepted") && <Convert quote={quote} />}
      {quote.status === "draft" && <Delete quote={quote} />}
    </>
  );
}

function Send({ quote }: { readonly quote: Quote }) {
  const saidSent = useSaidSent();
  return (
    <MoneyAction
      label={quote.status === "draft" ? "Send" : "Send again"}
      title={`Send ${quote.number}`}
      permission="quotes:write"
      initial={{}}
      what={() =>
        `${quote.customer.email ?? "The customer"} gets an email with the quote, and a page to accept or decline it.`
      }
      send={(_values, keyFor) => {
        const params = { path: { id: quote.id }, header: { "Idempotency-Key": keyFor(null) } };
        return got(api.POST("/quotes/{id}/send", { params }));
      }}
      touches={TOUCHES}
      said={({ number }) => saidSent(number)}
      button={{ variant: quote.status === "draft" ? "filled" : "default", disabled: quote.customer.email === null }}
    />
  );
}

const ToDraft = ({ quote }: { readonly quote: Quote }) => (
  <MoneyAction
    label="Back to draft"
    title={`Move ${quote.number} back to draft`}
    permission="quotes:write"
    initial={{}}
    what={() =>
      `The customer can neither accept nor decline ${quote.number} until you send it again. It can be changed.`
    }
    send={() => got(api.POST("/quotes/{id}/draft", { params: { path: { id: quote.id } } }))}
    touches={TOUCHES}
    said={({ number }) => `${number} moved back to draft`}
    button={{ variant: "default" }}
  />
);

const Accept = ({ quote }: { readonly quote: Quote }) => (
  <MoneyAction
    label="Accept"
    title={`Accept ${quote.number} for the customer`}
    permission="quotes:write"
    initial={{}}
    what={() =>
      `${quote.number} over ${formatMoney(quote.total, quote.currency)} counts as accepted, as when the customer accepts it.`
    }
    send={(_values, keyFor) => {
      const params = { path: { id: quote.id }, header: { "Idempotency-Key": keyFor(null) } };
      return got(api.POST("/quotes/{id}/accept", { params }));
    }}
    touches={TOUCHES}
    said={({ number }) => `${number} accepted`}
    button={{ variant: "default" }}
  />
);

const Decline = ({ quote }: { readonly quote: Quote }) => (
  <MoneyAction
    label="Decline"
    title={`Decline ${quote.number} for the customer`}
    permission="quotes:write"
    initial={{}}
    danger
    what={() => `${quote.number} counts as declined. This cannot be undone.`}
    send={(_values, keyFor) => {
      const params = { path: { id: quote.id }, header: { "Idempotency-Key": keyFor(null) } };
      return got(api.POST("/quotes/{id}/decline", { params }));
    }}
    touches={TOUCHES}
    said={({ number }) => `${number} declined`}
  />
);

function Convert({ quote }: { readonly quote: Quote }) {
  const navigate = useNavigate();
  return (
    <MoneyAction
      label="Create invoice"
      title={`Make an invoice of ${quote.number}`}
      permission="quotes:write"
      initial={{ dueDays: "" as number | string }}
      fields={(form) => (
        <NumberInput
          label="Days to pay"
          description="Left empty, those of your settings."
          min={0}
          max={365}
          {...form.getInputProps("dueDays")}
        />
      )}
      what={() =>
        `A draft invoice over ${formatMoney(quote.total, quote.currency)} is made, and the quote counts as invoiced.`
      }
      send={async ({ dueDays }, keyFor) => {
        const body = dueDays === "" ? {} : { dueDays: Number(dueDays) };
        const params = { path: { id: quote.id }, header: { "Idempotency-Key": keyFor(body) } };
        const made = await got(api.POST("/quotes/{id}/convert", { params, body }));
        void navigate({ to: pathTo("invoices", made.invoice.id) });
        return made;
      }}
      touches={TOUCHES}
      said={({ invoice }) => `${invoice.number} created`}
      button={{ variant: quote.status === "accepted" ? "filled" : "default" }}
    />
  );
}

function Delete({ quote }: { readonly quote: Quote }) {
  const navigate = useNavigate();
  return (
    <MoneyAction
      label="Delete"
      title={`Delete ${quote.number}`}
      permission="quotes:write"
      initial={{}}
      danger
      what={() => `The draft ${quote.number} is deleted. This cannot be undone.`}
      send={async () => {
        const gone = await got(api.DELETE("/quotes/{id}", { params: { path: { id: quote.id } } }));
        void navigate({ to: "/quotes" });
        return gone;
      }}
      touches={TOUCHES}
      said={({ number }) => `${number} deleted`}
    />
  );
}

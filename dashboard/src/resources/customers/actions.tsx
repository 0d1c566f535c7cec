import { api, got, type Shape } from "../../api/client.ts";
import { ButtonLink } from "../../components/link.tsx";
import { MoneyAction } from "../../components/money-action.tsx";
import { Permitted } from "../../components/notice.tsx";
import { customerName } from "../../lib/customer-name.ts";
import { pathTo } from "../../lib/paths.ts";

/** What can be done with a customer. */
export const Actions = ({ customer }: { readonly customer: Shape<"Customer"> }) => (
  <>
    <MoneyAction
      label="Send portal link"
      title="Send a sign-in link to the portal"
      permission="customers:write"
      initial={{}}
      what={() =>
        `${customer.email ?? "The customer"} gets a mail with a link that signs in ${customerName(customer)} for 15 minutes, once.`
      }
      send={(_values, keyFor) => {
        const body = { email: true };
        const params = { path: { id: customer.id }, header: { "Idempotency-Key": keyFor(body) } };
        return got(api.POST("/customers/{id}/portal-link", { params, body }));
      }}
      touches={["/emails", "/audit-log"]}
      said={({ emailed }) => (emailed ? "The link is on its way." : "The link is made, and was not mailed.")}
      button={{ variant: "default", disabled: customer.email === null }}
    />
    <Permitted to="customers:write">
      <ButtonLink to={`${pathTo("customers", customer.id)}/edit`} variant="default">
        Change
      </ButtonLink>
    </Permitted>
  </>
);

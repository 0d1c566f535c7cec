import { Checkbox, Text } from "@mantine/core";
import { api, got, type Shape } from "../../api/client.ts";
import { DeleteAction } from "../../components/delete-action.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { MoneyAction } from "../../components/money-action.tsx";
import { Permitted } from "../../components/notice.tsx";
import { CopyId } from "../../components/values.tsx";
import { customerName } from "../../lib/customer-name.ts";
import { pathTo } from "../../lib/paths.ts";

/** The actions on a customer. */
export const Actions = ({ customer }: { readonly customer: Shape<"Customer"> }) => (
  <>
    <MoneyAction
      label="Portal link"
      title="A sign-in link to the portal"
      permission="customers:write"
      initial={{ email: customer.email !== null }}
      fields={(form) => (
        <Checkbox
          label={`Email it to ${customer.email ?? "the customer, who has no address"}`}
          disabled={customer.email === null}
          {...form.getInputProps("email", { type: "checkbox" })}
        />
      )}
      what={({ email }) =>
        `A link is created that signs in ${customerName(customer)} within 15 minutes, once. ${email ? `${customer.email} gets it by mail. ` : ""}Who opens it sees the portal as the customer does, and can pay, cancel and change there.`
      }
      send={({ email }, keyFor) => {
        const body = { email };
        const params = { path: { id: customer.id }, header: { "Idempotency-Key": keyFor(body) } };
        return got(api.POST("/customers/{id}/portal-link", { params, body }));
      }}
      touches={["/emails", "/audit-log"]}
      said={({ emailed }) => (emailed ? "Link sent" : "Link created")}
      outcome={({ url, emailed }) =>
        emailed ? null : (
          <>
            <Text size="sm" mb="xs">
              Open it to see the portal as the customer, or give it to them. It is shown this once.
            </Text>
            <CopyId id={url} label="Copy the link" />
          </>
        )
      }
      button={{ variant: "default" }}
    />
    <Permitted to="customers:write">
      <ButtonLink to={`${pathTo("customers", customer.id)}/edit`} variant="default">
        Edit
      </ButtonLink>
    </Permitted>
    <DeleteAction
      name={customerName(customer)}
      permission="customers:write"
      what="The customer is removed for good. One who has documents, payments or other records stays; make that one inactive instead."
      send={() => got(api.DELETE("/customers/{id}", { params: { path: { id: customer.id } } }))}
      touches={["/customers"]}
      to="/customers"
    />
  </>
);

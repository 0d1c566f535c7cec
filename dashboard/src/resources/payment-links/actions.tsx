import { api, got, type Shape } from "../../api/client.ts";
import { MoneyAction } from "../../components/money-action.tsx";

/** The actions on a payment link. */
export const Actions = ({ link }: { readonly link: Shape<"StaffPaymentLink"> }) =>
  link.active ? (
    <MoneyAction
      label="Deactivate"
      title={`Deactivate ${link.title}`}
      permission="payment_links:write"
      initial={{}}
      danger
      what={() =>
        `${link.collectsBalance ? "The invoice can no longer be paid online. Its page says so." : "Its page says that it cannot be paid any more."} Payments that are under way still count. This cannot be undone.`
      }
      send={() => got(api.POST("/payment-links/{id}/deactivate", { params: { path: { id: link.id } } }))}
      touches={["/payment-links", "/audit-log"]}
      said={() => "Link deactivated"}
    />
  ) : null;

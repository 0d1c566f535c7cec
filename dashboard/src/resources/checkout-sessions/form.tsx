import { Group, TextInput } from "@mantine/core";
import { api, got } from "../../api/client.ts";
import type { KeyFor } from "../../api/records.ts";
import { useActing } from "../../api/session.ts";
import { Fieldset, type FormOf, ResourceForm } from "../../components/form.tsx";
import { Frame } from "../../components/frame.tsx";
import { SoldInput } from "../../components/sold-input.tsx";
import { pathTo } from "../../lib/paths.ts";
import { textOrNull } from "../../lib/values.ts";

const EMPTY = {
  planId: "",
  productId: "",
  email: "",
  firstName: "",
  lastName: "",
  company: "",
  phone: "",
  couponCode: "",
  returnUrl: "",
};
type Values = typeof EMPTY;

const CHECK = {
  planId: (planId: string, { productId }: Values) =>
    (planId === "") === (productId === "") ? "Choose either a plan or a product." : null,
};

const bodyOf = ({ planId, productId, couponCode, returnUrl, ...payer }: Values) => ({
  planId: textOrNull(planId),
  productId: textOrNull(productId),
  couponCode: textOrNull(couponCode),
  returnUrl: textOrNull(returnUrl),
  customer: Object.fromEntries(Object.entries(payer).map(([name, value]) => [name, textOrNull(value)])),
});

/** The form of a link to checkout that is filled in for one payer. */
export const Page = () => (
  <Frame title="New checkout link" back={{ label: "Checkouts", to: "/checkout-sessions" }}>
    <ResourceForm
      initial={EMPTY}
      check={CHECK}
      fields={(form) => <Fields form={form} />}
      label="Create link"
      send={(values: Values, keyFor: KeyFor) => {
        const body = bodyOf(values);
        return got(api.POST("/checkout-sessions", { body, params: { header: { "Idempotency-Key": keyFor(body) } } }));
      }}
      touches={["/checkout-sessions"]}
      said="Link created. Copy it from here"
      to={({ id }) => pathTo("checkout-sessions", id)}
      back="/checkout-sessions"
    />
  </Frame>
);

function Fields({ form }: { readonly form: FormOf<Values> }) {
  const { membership } = useActing();
  const sells = membership.plan.features.some((feature) => feature === "recurring_card_billing");
  return (
    <>
      <Fieldset legend="What is sold" about="Either a plan or a product.">
        {sells && <SoldInput label="Plan" path="/plans" {...form.getInputProps("planId")} />}
        <SoldInput label="Product" path="/products" {...form.getInputProps("productId")} />
      </Fieldset>
      <Fieldset legend="Payer" about="The page is filled in with this.">
        <TextInput label="Email address" type="email" autoComplete="off" {...form.getInputProps("email")} />
        <Group grow align="flex-start">
          <TextInput label="First name" autoComplete="off" dir="auto" {...form.getInputProps("firstName")} />
          <TextInput label="Last name" autoComplete="off" dir="auto" {...form.getInputProps("lastName")} />
        </Group>
        <Group grow align="flex-start">
          <TextInput label="Company" autoComplete="off" dir="auto" {...form.getInputProps("company")} />
          <TextInput label="Phone" type="tel" autoComplete="off" {...form.getInputProps("phone")} />
        </Group>
      </Fieldset>
      <Group grow align="flex-start">
        <TextInput label="Coupon code" autoComplete="off" {...form.getInputProps("couponCode")} />
        <TextInput label="Return page" type="url" autoComplete="off" {...form.getInputProps("returnUrl")} />
      </Group>
    </>
  );
}

import { api, got, type Shape } from "../../api/client.ts";
import { ResourceList } from "../../components/resource-list.tsx";
import { switching } from "../../components/switching.ts";
import { Status, Time, Words } from "../../components/values.tsx";
import { durationOf, reductionOf } from "./terms.ts";

const BULK = switching<Shape<"Coupon">>({
  kind: "coupon",
  permission: "coupons:write",
  name: ({ code }) => code,
  disabled: "They cannot be redeemed; who has redeemed them keeps them.",
  enabled: "They can be redeemed again.",
  set: (id, enabled) => got(api.PATCH("/coupons/{id}", { params: { path: { id } }, body: { enabled } })),
  touches: ["/coupons", "/audit-log"],
});

/** The list of coupons. */
export const Page = () => (
  <ResourceList
    resource="coupons"
    title="Coupons"
    path="/coupons"
    exported="/exports/coupons.csv"
    create={{ label: "New coupon", permission: "coupons:write", to: "/coupons/new" }}
    columns={[
      { name: "code", label: "Code", cell: ({ code }) => <Words of={code} /> },
      { name: "name", label: "Name", cell: ({ name }) => <Words of={name} /> },
      { name: "enabled", label: "Status", cell: ({ enabled }) => <Status of={enabled ? "enabled" : "disabled"} /> },
      { name: "reduction", label: "Takes off", figures: true, cell: reductionOf },
      { name: "duration", label: "From", cell: durationOf },
      {
        name: "redemptions",
        label: "Redeemed",
        figures: true,
        cell: ({ redemptions, maxRedemptions }) =>
          maxRedemptions === null ? redemptions : `${redemptions} of ${maxRedemptions}`,
      },
      { name: "endsAt", label: "Ends", cell: ({ endsAt }) => <Time at={endsAt} />, extra: true },
    ]}
    bulk={BULK}
    empty={{
      title: "No coupon yet",
      text: "A coupon lowers what customers are charged who enter its code on a checkout page, once or for some periods. Create the first one here.",
    }}
  />
);

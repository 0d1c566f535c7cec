import { ResourceList } from "../../components/resource-list.tsx";
import { Status, Time, Words } from "../../components/values.tsx";
import { durationOf, reductionOf } from "./terms.ts";

/** The list of coupons. */
export const Page = () => (
  <ResourceList
    resource="coupons"
    title="Coupons"
    path="/coupons"
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
    empty={{
      title: "No coupon yet",
      text: "A coupon lowers what payers are charged who enter its code on a checkout page, once or for some periods. Make the first one here.",
    }}
  />
);

import { useParams } from "@tanstack/react-router";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { DeleteAction } from "../../components/delete-action.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { Permitted } from "../../components/notice.tsx";
import { ResourcePage } from "../../components/resource-page.tsx";
import { IdLink, Time, Words } from "../../components/values.tsx";
import { pathTo } from "../../lib/paths.ts";
import { durationOf, reductionOf } from "./terms.ts";

type Coupon = Shape<"Coupon">;

/** The page of a coupon. */
export function Page() {
  const { id } = useParams({ strict: false }) as { id: string };
  const params = { path: { id } };
  const coupon = useRecord(["/coupons", id], () => got(api.GET("/coupons/{id}", { params })));
  return (
    <ResourcePage
      resource="coupons"
      list="Coupons"
      record={coupon}
      show={(record) => ({
        title: record.code,
        name: record.code,
        id: record.id,
        status: record.enabled ? "enabled" : "disabled",
        figure: reductionOf(record),
        facts: facts(record),
        actions: (
          <>
            <Permitted to="coupons:write">
              <ButtonLink to={`${pathTo("coupons", id)}/edit`} variant="default">
                Edit
              </ButtonLink>
            </Permitted>
            <DeleteAction
              name={record.code}
              permission="coupons:write"
              what="Its code is free for another coupon. A coupon that was redeemed stays; disable it instead."
              send={() => got(api.DELETE("/coupons/{id}", { params }))}
              touches={["/coupons"]}
              to="/coupons"
            />
          </>
        ),
      })}
    />
  );
}

/** The plans and products for which a coupon can be redeemed. */
const Named = ({ of }: { readonly of: readonly string[] }) =>
  of.length === 0
    ? "All"
    : of.map((id) => (
        <div key={id}>
          <IdLink id={id} />
        </div>
      ));

const facts = (coupon: Coupon) =>
  [
    ["Name", <Words key="name" of={coupon.name} />],
    ["Discount", durationOf(coupon)],
    ["Redeemed", String(coupon.redemptions)],
    ["At most", coupon.maxRedemptions === null ? "No limit" : String(coupon.maxRedemptions)],
    [
      "At most by one customer",
      coupon.maxRedemptionsPerCustomer === null ? "No limit" : String(coupon.maxRedemptionsPerCustomer),
    ],
    ["Valid from", <Time key="begins" at={coupon.startsAt} />],
    ["Ends", <Time key="ends" at={coupon.endsAt} />],
    ["For plans", <Named key="plans" of={coupon.planIds} />],
    ["For products", <Named key="products" of={coupon.productIds} />],
    ["Created", <Time key="made" at={coupon.createdAt} />],
    ["Last updated", <Time key="changed" at={coupon.updatedAt} />],
  ] as const;

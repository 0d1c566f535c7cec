import { useParams } from "@tanstack/react-router";
import { api, got, type Shape } from "../../api/client.ts";
import { useList } from "../../api/lists.ts";
import { useRecord } from "../../api/records.ts";
import { useMay } from "../../api/session.ts";
import { DeleteAction } from "../../components/delete-action.tsx";
import { ButtonLink, TextLink } from "../../components/link.tsx";
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
            <DeleteAction
              name={record.code}
              permission="coupons:write"
              what="Its code is free for another coupon. A coupon that was redeemed stays; disable it instead."
              send={() => got(api.DELETE("/coupons/{id}", { params }))}
              touches={["/coupons"]}
              to="/coupons"
            />
            <Permitted to="coupons:write">
              <ButtonLink to={`${pathTo("coupons", id)}/edit`}>Change</ButtonLink>
            </Permitted>
          </>
        ),
      })}
    />
  );
}

/** What a coupon is for, by names; by the id of what the list does not show. */
function Named({ of, path }: { readonly of: readonly string[]; readonly path: "/plans" | "/products" }) {
  const may = useMay();
  const found = useList(
    path,
    { limit: "100" },
    of.length > 0 && may(path === "/plans" ? "packages:read" : "products:read"),
  );
  const items: readonly (Shape<"Plan"> | Shape<"Product">)[] = found.data?.data ?? [];
  if (of.length === 0) return "All";
  return of.map((id) => {
    const one = items.find((item) => item.id === id);
    if (!one || !("packageId" in one))
      return (
        <div key={id}>
          <IdLink id={id}>{one?.name}</IdLink>
        </div>
      );
    return (
      <div key={id}>
        <TextLink to={pathTo("packages", one.packageId)}>
          <Words of={one.name} />
        </TextLink>
      </div>
    );
  });
}

const facts = (coupon: Coupon) =>
  [
    ["Name", <Words key="name" of={coupon.name} />],
    ["Taken off", durationOf(coupon)],
    ["Redeemed", String(coupon.redemptions)],
    ["At most", coupon.maxRedemptions === null ? "No limit" : String(coupon.maxRedemptions)],
    [
      "At most by one customer",
      coupon.maxRedemptionsPerCustomer === null ? "No limit" : String(coupon.maxRedemptionsPerCustomer),
    ],
    ["Begins", <Time key="begins" at={coupon.startsAt} />],
    ["Ends", <Time key="ends" at={coupon.endsAt} />],
    ["For plans", <Named key="plans" of={coupon.planIds} path="/plans" />],
    ["For products", <Named key="products" of={coupon.productIds} path="/products" />],
    ["Made", <Time key="made" at={coupon.createdAt} />],
    ["Changed", <Time key="changed" at={coupon.updatedAt} />],
  ] as const;

import { Alert, Stack, Text } from "@mantine/core";
import { api, got, type Shape } from "../api/client.ts";
import { useRecord } from "../api/records.ts";
import { useMay } from "../api/session.ts";
import { words } from "../lib/words.ts";
import { TextLink } from "./link.tsx";
import { Permitted } from "./notice.tsx";
import { Time, Words } from "./values.tsx";

type Change = Shape<"PayoutHold">["changes"][number];

/**
 * Shows which bank details were changed in the last day, by whom, and until when credit is not paid out; nothing when
 * there was no change.
 */
export function PayoutHold() {
  const may = useMay();
  const hold = useRecord(["/payout-hold"], () => got(api.GET("/payout-hold")), may("gateways:read"));
  if (!hold.data?.heldUntil) return null;
  return (
    <Alert color="red" role="status" title="Bank details were changed">
      <Stack gap="xs">
        {hold.data.changes.map((change) => (
          <What key={change.id} {...change} />
        ))}
        <Text size="sm">
          No credit is refunded to customers until <Time at={hold.data.heldUntil} />. If none of you made the change,
          put the right details back and look at what else was changed.{" "}
          <Permitted to="audit_log:read">
            <TextLink to="/audit-log">Audit log</TextLink>
          </Permitted>
        </Text>
      </Stack>
    </Alert>
  );
}

const What = ({ kind, gatewayId, gatewayName, fields, before, after, changedAt, changedBy }: Change) => (
  <Text size="sm" component="div">
    {kind === "removed" ? (
      <Words of={gatewayName} />
    ) : (
      <TextLink to={`/gateways/${gatewayId}`}>
        <Words of={gatewayName} />
      </TextLink>
    )}{" "}
    was {kind} by <Words of={changedBy.name ?? changedBy.kind} />, <Time at={changedAt} />
    {kind === "changed" && `: ${fields.map((field) => words(field).toLowerCase()).join(", ")}`}.{" "}
    {before && (
      <>
        Before: <Account of={before} />{" "}
      </>
    )}
    {after && (
      <>
        Now: <Account of={after} />
      </>
    )}
  </Text>
);

const Account = ({ of: { bankName, accountNumber, accountName } }: { readonly of: NonNullable<Change["after"]> }) => (
  <>
    <Words of={bankName} /> {accountNumber}, <Words of={accountName} />.
  </>
);

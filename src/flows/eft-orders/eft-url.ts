import type { EftOrderId } from "../../kernel/ids.ts";
import type { Organisation } from "../../modules/organisations/types.ts";
import { signToken } from "../../platform/tokens.ts";
import { linkKeyOf } from "../organisations/link-key.ts";
import type { Services } from "../services.ts";

/** The path of an order's payer page, which carries its own signature (design 4.7). */
export const eftPath = (
  services: Pick<Services, "secrets">,
  organisation: Pick<Organisation, "id" | "tokenKeySealed">,
  order: EftOrderId,
): string => `/eft/${signToken(linkKeyOf(services, organisation), "eft", organisation.id, order)}`;

/** Spec 2.11 `payUrl`, {base_url}/eft/<token>; the same each time it is asked for. */
export const eftUrl = (
  services: Pick<Services, "secrets" | "baseUrl">,
  organisation: Pick<Organisation, "id" | "tokenKeySealed">,
  order: EftOrderId,
): string => services.baseUrl + eftPath(services, organisation, order);

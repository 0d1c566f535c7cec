import type { PaymentLinkId } from "../../kernel/ids.ts";
import type { Organisation } from "../../modules/organisations/types.ts";
import { signToken } from "../../platform/tokens.ts";
import { linkKeyOf } from "../organisations/link-key.ts";
import type { Services } from "../services.ts";

/** The hosted page of a link, {base_url}/pay/<token> (spec 2.3); the same each time it is asked for. */
export const payUrl = (services: Services, organisation: Organisation, link: PaymentLinkId): string =>
  `${services.baseUrl}/pay/${signToken(linkKeyOf(services, organisation), "pay", organisation.id, link)}`;

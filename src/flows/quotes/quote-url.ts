import type { QuoteId } from "../../kernel/ids.ts";
import type { Organisation } from "../../modules/organisations/types.ts";
import { signToken } from "../../platform/tokens.ts";
import { linkKeyOf } from "../organisations/link-key.ts";
import type { Services } from "../services.ts";

/** The page on which the customer accepts or declines it, {base_url}/quote/<token>; the same each time it is asked for. */
export const quoteUrl = (services: Services, organisation: Organisation, quote: QuoteId): string =>
  `${services.baseUrl}/quote/${signToken(linkKeyOf(services, organisation), "quote", organisation.id, quote)}`;

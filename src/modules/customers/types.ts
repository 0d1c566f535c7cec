import type { CustomerId } from "../../kernel/ids.ts";
import type { Metadata } from "../../kernel/metadata.ts";
import type { Instant } from "../../kernel/time.ts";

/** Interface 2.14: how a customer stands with the merchant. */
export const STANDINGS = ["good", "owing", "overdue", "suspended"] as const;
export type Standing = (typeof STANDINGS)[number];

/** Interface 2.4. */
export interface Customer {
  readonly id: CustomerId;
  readonly accountCode: string;
  readonly externalReference: string | null;
  readonly email: string | null;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly company: string | null;
  readonly vatNumber: string | null;
  readonly phone: string | null;
  readonly address: string | null;
  readonly active: boolean;
  readonly metadata: Metadata;
  /** As last told by `customer.standing.changed`. */
  readonly standing: Standing;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

type Changeable =
  | "externalReference"
  | "email"
  | "firstName"
  | "lastName"
  | "company"
  | "vatNumber"
  | "phone"
  | "address"
  | "active"
  | "metadata";

/** What a client may set; a field left out keeps its value. */
export type CustomerChanges = { readonly [Field in Changeable]?: Customer[Field] | undefined };

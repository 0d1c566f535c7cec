import type { CustomerId } from "../../kernel/ids.ts";
import type { Metadata } from "../../kernel/metadata.ts";
import type { Instant } from "../../kernel/time.ts";

/** The standings of a customer (interface 2.14). */
export const STANDINGS = ["good", "owing", "overdue", "suspended"] as const;
export type Standing = (typeof STANDINGS)[number];

/** A customer (interface 2.4). */
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
  /** As last announced by `customer.standing.changed`. */
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

/** What a client may change; a field that is left out stays. */
export type CustomerChanges = { readonly [Field in Changeable]?: Customer[Field] | undefined };

import type { CustomerId } from "../kernel/ids.ts";

/** The short object of a customer that other records embed (interface 2.4). */
export interface CustomerReference {
  readonly id: CustomerId;
  readonly externalReference: string | null;
  readonly email: string | null;
}

/** The API's representation. */
export const customerReferenceView = (customer: CustomerReference) => ({
  id: customer.id,
  externalReference: customer.externalReference,
  email: customer.email,
});

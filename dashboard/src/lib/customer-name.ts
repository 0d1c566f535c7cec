interface Named {
  readonly id: string;
  readonly company: string | null;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly email: string | null;
}

/** The name of a customer: the company, else the person, else the address or the id. */
export const customerName = ({ company, firstName, lastName, email, id }: Named): string =>
  company || [firstName, lastName].filter(Boolean).join(" ") || email || id;

/** Who paid: the customer by name, else the address that the payer gave; null when neither is known. */
export const payerOf = ({
  customer,
  payerEmail,
}: {
  readonly customer?: Named | null;
  readonly payerEmail: string | null;
}): string | null => (customer ? customerName(customer) : payerEmail);

/** Whether a customer was erased, so that nothing identifies them: no record can be made for them. */
export const isErased = ({
  active,
  company,
  firstName,
  lastName,
  email,
  phone,
  externalReference,
}: Named & {
  readonly active: boolean;
  readonly phone: string | null;
  readonly externalReference: string | null;
}): boolean => !active && !(company || firstName || lastName || email || phone || externalReference);

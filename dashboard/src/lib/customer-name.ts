interface Named {
  readonly id: string;
  readonly company: string | null;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly email: string | null;
}

/** What a customer is called: the company, else the person, else the address or the id. */
export const customerName = ({ company, firstName, lastName, email, id }: Named): string =>
  company || [firstName, lastName].filter(Boolean).join(" ") || email || id;

/** First and last name, or the known one; null when neither is known. */
export const personName = ({
  firstName,
  lastName,
}: {
  readonly firstName: string | null;
  readonly lastName: string | null;
}): string | null => [firstName, lastName].filter(Boolean).join(" ") || null;

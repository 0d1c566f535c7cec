/** The slug of the demo organisation (interface 13.7). */
export const DEMO_SLUG = "demo";

const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Why a text cannot be a slug, which is part of URLs and of mail addresses; null when it can. */
export const slugFault = (slug: string): string | null =>
  SLUG.test(slug)
    ? null
    : "A slug is 1 to 63 lower-case letters, digits and hyphens, and begins and ends with a letter or a digit.";

import { z } from "zod";
import { clearable, colour, httpsUrl, text, whole } from "../../platform/schema.ts";

/** How the parts of a checkout page are arranged. */
export const TEMPLATES = ["classic", "split", "minimal"] as const;
/** Whether the form asks for a field of the customer. */
const FIELD_USES = ["required", "optional", "hidden"] as const;

const BADGES_MAX = 5;
const BADGE_CHARACTERS_MAX = 80;
const REDIRECT_SECONDS_MAX = 60;
const object = "must be an object";

const oneOfThese = <const Values extends readonly [string, ...string[]]>(values: Values, fallback: Values[number]) =>
  z
    .enum(values, `must be one of ${values.join(", ")}`)
    .nullish()
    .transform((value) => value ?? fallback);
const textOf = (max: number) =>
  clearable(max)
    .optional()
    .transform((value) => value ?? null);
const url = () =>
  z
    .union([z.literal("").transform(() => null), httpsUrl()])
    .nullish()
    .transform((value) => value ?? null);

/** The text of a result page, and its link. */
const result = (seconds: number) => ({
  message: textOf(2000),
  redirectUrl: url(),
  buttonText: textOf(40),
  autoRedirectSeconds: whole(0, REDIRECT_SECONDS_MAX).default(seconds),
});

/** Body of `PUT /checkout-pages` (interface 4.12): what is left out gets its default. */
export const CheckoutPagePut = z.object({
  template: oneOfThese(TEMPLATES, "classic"),
  headline: textOf(120),
  subheadline: textOf(300),
  accentColour: colour()
    .nullish()
    .transform((value) => value ?? null),
  footer: textOf(500),
  payButtonText: textOf(40),
  trustBadges: z
    .array(text(0, BADGE_CHARACTERS_MAX))
    .max(BADGES_MAX, `must have at most ${BADGES_MAX} lines`)
    .nullish()
    .transform((lines) => (lines ?? []).filter((line) => line !== "")),
  termsUrl: url(),
  success: z.object(result(8), object).prefault({}),
  failure: z.object({ ...result(0), retryButtonText: textOf(40) }, object).prefault({}),
  fields: z
    .object(
      {
        phone: oneOfThese(FIELD_USES, "optional"),
        company: oneOfThese(FIELD_USES, "optional"),
        address: oneOfThese(FIELD_USES, "hidden"),
        vatNumber: oneOfThese(FIELD_USES, "hidden"),
      },
      object,
    )
    .prefault({}),
});
/** The appearance of an organisation's checkout pages, the fields that they ask for, and the links of their result pages. */
export type CheckoutDesign = z.output<typeof CheckoutPagePut>;

const shownText = () => z.string().nullable();
const shownResult = {
  message: shownText(),
  redirectUrl: shownText(),
  buttonText: shownText(),
  autoRedirectSeconds: z.int(),
};
const shownUse = () => z.enum(FIELD_USES);

/** Interface 14.4, checkout page. */
export const CheckoutPageObject = z
  .object({
    template: z.enum(TEMPLATES),
    headline: shownText(),
    subheadline: shownText(),
    accentColour: shownText(),
    footer: shownText(),
    payButtonText: shownText(),
    trustBadges: z.array(z.string()),
    termsUrl: shownText(),
    success: z.object(shownResult),
    failure: z.object({ ...shownResult, retryButtonText: shownText() }),
    fields: z.object({ phone: shownUse(), company: shownUse(), address: shownUse(), vatNumber: shownUse() }),
  })
  .meta({ id: "CheckoutPage" });

/** Answer to `POST /checkout-pages/preview`: pages as HTML. */
export const CheckoutPreview = z.object({
  colours: z
    .object({ accent: z.string(), onAccent: z.string(), ink: z.string() })
    .describe(
      "The accent colour, of text on it, and as it is used for text and lines on white: darkened until it can be read.",
    ),
  templates: z.object({ classic: z.string(), split: z.string(), minimal: z.string() }),
  results: z.object({ success: z.string(), failure: z.string() }),
});

/** The stored design, with defaults for the rest. */
export const designOf = (stored: unknown): CheckoutDesign => CheckoutPagePut.parse(stored);

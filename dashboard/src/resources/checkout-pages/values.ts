import type { Shape } from "../../api/client.ts";
import { textOrNull } from "../../lib/values.ts";

type Design = Shape<"CheckoutPage">;
type Texts = "headline" | "subheadline" | "accentColour" | "footer" | "payButtonText" | "termsUrl";
type Onward = { message: string; redirectUrl: string; buttonText: string; autoRedirectSeconds: number | string };

/** The values of a design's form: texts are empty where the design has none. */
export type Values = Pick<Design, "template" | "trustBadges" | "fields"> &
  Record<Texts, string> & { success: Onward; failure: Onward & { retryButtonText: string } };

const onward = ({ message, redirectUrl, buttonText, autoRedirectSeconds }: Design["success"]): Onward => ({
  message: message ?? "",
  redirectUrl: redirectUrl ?? "",
  buttonText: buttonText ?? "",
  autoRedirectSeconds,
});

/** The form's values of a saved design. */
export const valuesOf = (design: Design): Values => ({
  template: design.template,
  trustBadges: design.trustBadges,
  fields: design.fields,
  headline: design.headline ?? "",
  subheadline: design.subheadline ?? "",
  accentColour: design.accentColour ?? "",
  footer: design.footer ?? "",
  payButtonText: design.payButtonText ?? "",
  termsUrl: design.termsUrl ?? "",
  success: onward(design.success),
  failure: { ...onward(design.failure), retryButtonText: design.failure.retryButtonText ?? "" },
});

const onwardBody = ({ message, redirectUrl, buttonText, autoRedirectSeconds }: Onward) => ({
  message: textOrNull(message),
  redirectUrl: textOrNull(redirectUrl),
  buttonText: textOrNull(buttonText),
  autoRedirectSeconds: Number(autoRedirectSeconds),
});

/** The design in the API's form. */
export const bodyOf = (values: Values) => ({
  template: values.template,
  trustBadges: values.trustBadges,
  fields: values.fields,
  headline: textOrNull(values.headline),
  subheadline: textOrNull(values.subheadline),
  accentColour: textOrNull(values.accentColour),
  footer: textOrNull(values.footer),
  payButtonText: textOrNull(values.payButtonText),
  termsUrl: textOrNull(values.termsUrl),
  success: onwardBody(values.success),
  failure: { ...onwardBody(values.failure), retryButtonText: textOrNull(values.failure.retryButtonText) },
});

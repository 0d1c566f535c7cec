import type { CheckoutChoice } from "../../../flows/checkout/check-out.ts";
import type { PayerDetails } from "../../../flows/checkout/identify-payer.ts";
import { isPaidNow, type Offer } from "../../../flows/checkout/offers.ts";
import type { CheckoutFacts } from "../../../flows/checkout/read-checkout.ts";
import { fixedEmail, takesSavedCard } from "../../../flows/checkout/saved-cards.ts";
import { codePoints } from "../../../kernel/text.ts";
import type { CheckoutDesign } from "../../../modules/checkout-pages/schema.ts";
import { email as emailSchema } from "../../../platform/schema.ts";
import type { PayerField, PayerFieldName } from "../../../templates/pages/fields.ts";
import type { Form } from "../form.ts";
import { invalidFields, type Redisplay, redisplay, type Sent } from "../form-page.ts";

/** Longest value of each field, in characters (interface 4.12). */
const LONGEST: Readonly<Record<PayerFieldName, number>> = {
  email: 200,
  firstName: 100,
  lastName: 100,
  phone: 30,
  company: 200,
  address: 1000,
  vatNumber: 30,
};

const ASKED: readonly PayerFieldName[] = ["email", "firstName", "lastName", "phone", "company", "address", "vatNumber"];

const MISSING: Readonly<Record<PayerFieldName, string>> = {
  email: "Write your email address.",
  firstName: "Write your first name.",
  lastName: "Write your last name.",
  phone: "Write your phone number.",
  company: "Write the name of your company.",
  address: "Write your billing address.",
  vatNumber: "Write your VAT number.",
};

/**
 * Whether the form has a field (interface 4.12): email and first name are required, the last name is optional, settings
 * decide about the others.
 */
function useOf({ fields }: CheckoutDesign, name: PayerFieldName): "required" | "optional" | "hidden" {
  if (name === "email" || name === "firstName") return "required";
  return name === "lastName" ? "optional" : fields[name];
}

const shownFields = (design: CheckoutDesign): PayerFieldName[] =>
  ASKED.filter((name) => useOf(design, name) !== "hidden");

/** The fields of a design's form, empty. */
export const payerFieldsOf = (design: CheckoutDesign): PayerField[] =>
  shownFields(design).map((name) => ({ name, value: "", required: useOf(design, name) === "required", error: null }));

/**
 * The fields of the form, with the values that were just sent or sent earlier, else with those of the session's payer,
 * or of the signed-in customer.
 */
export function fieldsOf(facts: CheckoutFacts, sent: Sent | null): PayerField[] {
  const known: Partial<Record<PayerFieldName, string | null>> = {
    ...facts.customer,
    ...facts.session?.prefill,
    ...facts.session?.entered,
  };
  const fixed = fixedEmail(facts.session);
  return payerFieldsOf(facts.design).map((field) => {
    const { name } = field;
    const isFixed = name === "email" && fixed !== null;
    return {
      ...field,
      value: isFixed ? fixed : (sent?.form?.field(name) ?? known[name] ?? ""),
      error: sent?.errors?.[name] ?? null,
      isFixed,
    };
  });
}

/** The contents of a submission. */
export interface Submission {
  readonly details: PayerDetails;
  readonly choice: CheckoutChoice;
}

type Read<Input> = { readonly input: Input } | { readonly redisplay: Redisplay };

/** Checks a submission by the rules of interface 4.12; the value of a hidden field is not read. */
export function readSubmission(form: Form, facts: CheckoutFacts): Read<Submission> {
  const read = readDetails(form, facts);
  if ("redisplay" in read) return read;
  const { chosen, details } = read.input;
  const gateway = chosen.gateways.find(({ account }) => account.id === form.field("gateway"));
  if (isPaidNow(chosen) && !gateway) return redisplay(400, "Choose how to pay.");
  return {
    input: { details, choice: { gatewayId: gateway?.account.id ?? null, couponCode: facts.coupon?.code ?? null } },
  };
}

/** A submission for a payment by saved card, which its payer confirms on the next page. */
export interface CardSubmission {
  readonly details: PayerDetails;
  readonly offer: Offer;
  readonly cardId: string;
}

/** Like `readSubmission`, for the button that pays by saved card. */
export function readCardSubmission(form: Form, facts: CheckoutFacts): Read<CardSubmission> {
  const read = readDetails(form, facts);
  if ("redisplay" in read) return read;
  const { chosen: offer, details } = read.input;
  if (!takesSavedCard(offer)) return redisplay(400, "A saved card cannot pay this. Use the main button.");
  const card = facts.savedCards.find(({ id }) => id === form.field("card"));
  if (!card) return redisplay(400, "Choose one of your saved cards.");
  if (details.email.toLowerCase() !== facts.customer?.email?.toLowerCase())
    return invalidFields({ email: `Your saved cards pay for ${facts.customer?.email ?? "yourself"} only.` });
  return { input: { details, offer, cardId: card.id } };
}

/** The payer, and the chosen offer. */
function readDetails(
  form: Form,
  facts: CheckoutFacts,
): Read<{ readonly details: PayerDetails; readonly chosen: Offer }> {
  const values = Object.fromEntries(shownFields(facts.design).map((name) => [name, form.field(name)]));
  const fixed = fixedEmail(facts.session);
  if (fixed !== null) values["email"] = fixed;
  const errors: Record<string, string> = {};
  for (const name of shownFields(facts.design)) {
    const fault = faultOf(name, values[name] ?? "", useOf(facts.design, name) === "required");
    if (fault !== null) errors[name] = fault;
  }
  if (facts.coupon?.problem) errors["couponCode"] = facts.coupon.problem;
  if (facts.design.termsUrl !== null && form.field("terms") === "") errors["terms"] = "Agree to the terms to go on.";
  if (Object.keys(errors).length > 0) return invalidFields(errors);
  const { chosen } = facts;
  if (!chosen) return redisplay(400, "Choose one of the plans.");
  const given = (name: PayerFieldName) => values[name] || null;
  return {
    input: {
      details: {
        email: values["email"] ?? "",
        firstName: values["firstName"] ?? "",
        lastName: given("lastName"),
        phone: given("phone"),
        company: given("company"),
        address: given("address"),
        vatNumber: given("vatNumber"),
      },
      chosen,
    },
  };
}

function faultOf(name: PayerFieldName, value: string, isRequired: boolean): string | null {
  if (value === "") return isRequired ? MISSING[name] : null;
  if (codePoints(value) > LONGEST[name]) return `Write at most ${LONGEST[name]} characters.`;
  if (name === "email" && !emailSchema().safeParse(value).success)
    return "Write an email address such as thandi@example.co.za.";
  return null;
}

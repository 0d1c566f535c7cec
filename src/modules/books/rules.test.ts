import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fc } from "../../../test/support/property.ts";
import type { CustomerId } from "../../kernel/ids.ts";
import { cents, ZERO } from "../../kernel/money.ts";
import {
  cancelledInvoicePostings,
  creditApplicationPostings,
  creditNotePostings,
  invoicePostings,
  offlinePaymentPostings,
  paymentPostings,
  refundPostings,
  reversalPostings,
} from "./rules.ts";
import type { Posting } from "./types.ts";

const CUSTOMER = "cus_1" as CustomerId;
/** The amount of each ledger account. */
const shown = (postings: readonly Posting[]) =>
  Object.fromEntries(postings.map(({ account, amount }) => [account, amount]));

describe("the postings of each entry", () => {
  const payment = { fee: cents(4), into: "gateway_clearing", vat: cents(0), customerId: CUSTOMER } as const;
  const zero = cents(0);
  const nothing = { reopened: zero, fromCredit: zero, earned: zero, vat: zero, customerId: CUSTOMER };
  const totals = { total: cents(115), subtotal: cents(100), tax: cents(15) };
  const cases: [string, readonly Posting[], Readonly<Record<string, number>>][] = [
    ["an invoice", invoicePostings(totals, CUSTOMER), { receivable: 115, revenue: -100, vat_output: -15 }],
    [
      "an invoice without VAT",
      invoicePostings({ total: cents(100), subtotal: cents(100), tax: cents(0) }, CUSTOMER),
      { receivable: 100, revenue: -100 },
    ],
    [
      "an invoice cancelled unpaid",
      cancelledInvoicePostings({ ...totals, paid: cents(0), refunded: cents(0) }, CUSTOMER),
      { receivable: -115, revenue: 100, vat_output: 15 },
    ],
    [
      "an invoice cancelled when 50 was paid, and 20 of that given back",
      cancelledInvoicePostings({ ...totals, paid: cents(50), refunded: cents(20) }, CUSTOMER),
      { receivable: -65, revenue: 100, vat_output: 15, refunds: -20, customer_credit: -30 },
    ],
    [
      "a payment of which an invoice takes 60 of 100",
      paymentPostings({ ...payment, amount: cents(100), applied: cents(60), credit: cents(40) }),
      { gateway_clearing: 96, gateway_fees: 4, receivable: -60, customer_credit: -40 },
    ],
    [
      "a payment of nothing that was owed",
      paymentPostings({
        ...payment,
        fee: null,
        into: "bank",
        vat: cents(15),
        amount: cents(115),
        applied: cents(0),
        credit: cents(0),
      }),
      { bank: 115, revenue: -100, vat_output: -15 },
    ],
    ["a payment made elsewhere", offlinePaymentPostings(cents(5), CUSTOMER), { bank: 5, receivable: -5 }],
    [
      "a credit note",
      creditNotePostings({ amount: cents(115), tax: cents(15) }, CUSTOMER),
      { revenue: 100, vat_output: 15, customer_credit: -115 },
    ],
    ["a credit applied", creditApplicationPostings(cents(7), CUSTOMER), { customer_credit: 7, receivable: -7 }],
    [
      "a refund, a part of it out of credit",
      refundPostings({ amount: cents(10), fromCredit: cents(4), vat: ZERO, through: "manual", customerId: CUSTOMER }),
      { refunds: 6, customer_credit: 4, bank: -10 },
    ],
    [
      "a reversal of an invoice's payment, of which credit was refunded",
      reversalPostings({ ...nothing, amount: cents(100), reopened: cents(60), fromCredit: cents(15) }),
      { receivable: 60, customer_credit: 15, refunds: 25, gateway_clearing: -100 },
    ],
    [
      "a reversal of revenue with VAT",
      reversalPostings({ ...nothing, amount: cents(115), earned: cents(115), vat: cents(15) }),
      { revenue: 100, vat_output: 15, gateway_clearing: -115 },
    ],
  ];
  for (const [name, postings, expected] of cases)
    test(name, () => {
      assert.deepEqual(shown(postings), expected);
      const owner = ({ account }: Posting) => ["receivable", "customer_credit", "revenue", "refunds"].includes(account);
      for (const posting of postings)
        assert.equal(posting.customerId, owner(posting) ? CUSTOMER : null, posting.account);
    });
});

test("every entry balances, and none of its lines is empty", () => {
  const amount = fc.nat(1_000_000);
  const part = (of: number) => fc.nat(of);
  const balances = (postings: readonly Posting[]) => {
    assert.equal(
      postings.reduce((sum, { amount: line }) => sum + line, 0),
      0,
    );
    assert.ok(postings.every(({ amount: line }) => line !== 0));
  };
  const cases = fc
    .record({ subtotal: amount, tax: amount })
    .chain(({ subtotal, tax }) =>
      fc.record({
        subtotal: fc.constant(subtotal),
        tax: fc.constant(tax),
        paid: part(subtotal + tax),
        fee: part(subtotal + tax),
      }),
    )
    .chain((given) => fc.record({ given: fc.constant(given), refunded: part(given.paid) }));
  fc.assert(
    fc.property(cases, ({ given, refunded }) => {
      const { subtotal, tax, paid, fee } = given;
      const totals = { subtotal: cents(subtotal), tax: cents(tax), total: cents(subtotal + tax) };
      const { total } = totals;
      balances(invoicePostings(totals, CUSTOMER));
      balances(cancelledInvoicePostings({ ...totals, paid: cents(paid), refunded: cents(refunded) }, CUSTOMER));
      balances(offlinePaymentPostings(total, CUSTOMER));
      balances(creditNotePostings({ amount: total, tax: totals.tax }, CUSTOMER));
      balances(creditApplicationPostings(total, CUSTOMER));
      balances(
        refundPostings({
          amount: cents(paid),
          fromCredit: cents(refunded),
          vat: ZERO,
          through: "gateway",
          customerId: null,
        }),
      );
      const money = {
        amount: total,
        fee: cents(fee),
        applied: cents(paid),
        credit: cents(total - paid),
        vat: cents(0),
      };
      balances(paymentPostings({ ...money, into: "bank", customerId: CUSTOMER }));
      balances(
        paymentPostings({
          ...money,
          applied: cents(0),
          credit: cents(0),
          vat: totals.tax,
          into: "gateway_clearing",
          customerId: null,
        }),
      );
    }),
  );
});

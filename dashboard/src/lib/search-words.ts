/** Further words by which people look for a page, by the name of its resource; in lower case. */
export const ALSO_CALLED: Readonly<Record<string, string>> = {
  "accounting/months": "month end general ledger journal close",
  "accounting/vat-return": "vat vat201 tax sars output",
  "accounting/aged-debtors": "age analysis aged receivables who has not paid outstanding overdue",
  "accounting/software": "xero sage quickbooks",
  transactions: "refund payout card",
  disputes: "chargeback disputed",
  "unpaid-debits": "returned debits came back unpaid bounced",
  "reports/payments": "received by method gateway fees success rate declines reasons unpaid debits report",
  "reports/subscriptions": "mrr waterfall churn recurring revenue recovered dunning",
  receipts: "received income collected money in",
  "eft-orders": "bank transfer eft proof of payment",
  "reconciliation/items": "reconcile match bank statement",
  "reconciliation/runs": "import statement",
  customers: "clients debtors payers",
  emails: "mail messages",
  mandates: "debit order authorisation debicheck",
  "debit-batches": "debit order run collection",
  packages: "plans pricing",
  members: "team users staff invite roles",
  "api-keys": "developer secret token",
  "webhook-endpoints": "webhooks hooks",
  settings: "vat registration branding logo business address",
  gateways: "payment methods payfast paystack netcash stripe ozow yoco peach stitch",
  "set-up": "first steps getting started onboarding email smtp",
};

/** Whether every word of the text begins a word of these. */
export function isMeant(text: string, words: string): boolean {
  const known = words.toLowerCase().split(/[\s,]+/);
  return text
    .trim()
    .toLowerCase()
    .split(/\s+/)
    .every((asked) => known.some((word) => word.startsWith(asked)));
}

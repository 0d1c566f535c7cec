import type { EftPageModel } from "../../src/templates/pages/eft.ts";
import { amount, brand, currency, NOW, title } from "./page-models.ts";

/** A bank transfer that is not paid yet. */
export const eftModel: EftPageModel = {
  brand,
  title,
  amount,
  currency,
  reference: "EFT-7KQM3XWB",
  bank: {
    bankName: "First National Bank",
    accountName: "Karoo Books and Stationers (Pty) Ltd",
    accountNumber: "62 123 456 789",
    branchCode: "250655",
    accountType: "current",
  },
  proofs: [],
  state: openTransfer("awaiting_payment"),
  formToken: "token",
  problem: null,
};
function openTransfer(status: "awaiting_payment" | "awaiting_review" | "rejected", paused = false) {
  return {
    kind: "open",
    status,
    expiresAt: NOW,
    rejectionReason: "Too dark to read.\nPlease take another.",
    paused,
  } as const;
}
/** The other states of a bank transfer. */
export const EFT_STATES: Readonly<Record<string, EftPageModel["state"]>> = {
  "in review": openTransfer("awaiting_review"),
  rejected: openTransfer("rejected"),
  paused: openTransfer("awaiting_payment", true),
  paid: { kind: "paid", at: NOW, onwardUrl: "https://shop.example/back?reference=x&status=complete" },
  cancelled: { kind: "cancelled", onwardUrl: null },
  expired: { kind: "expired", at: NOW },
  "already paid": { kind: "closed", why: { reason: "already_paid" } },
  "invoice paid": { kind: "closed", why: { reason: "invoice_paid", invoiceNumber: "INV-000017" } },
  "invoice cancelled": { kind: "closed", why: { reason: "invoice_cancelled", invoiceNumber: "INV-000017" } },
  "switched off": { kind: "closed", why: { reason: "deactivated" } },
  replaced: { kind: "closed", why: { reason: "replaced", invoiceNumber: "INV-000017", url: "/pay/a" } },
};
/** One proof of payment that was uploaded. */
export const proofs = [{ fileName: "IMG_0042.jpg", size: 2_412_345, createdAt: NOW }];

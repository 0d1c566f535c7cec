import type { GatewayAccount } from "../../src/modules/gateway-accounts/types.ts";
import type { Answer, ApiMerchant, StaffCall } from "./api.ts";
import { formOf, type Part, pdfOf } from "./uploads.ts";

/** Interface 2.11, as JSON. */
export interface EftOrderBody {
  readonly id: string;
  readonly reference: string;
  readonly status: string;
  readonly amount: number;
  readonly currency: string;
  readonly description: string | null;
  readonly externalReference: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly customer: { readonly id: string; readonly externalReference: string | null } | null;
  readonly bankDetails: Readonly<Record<string, string>>;
  readonly paymentReference: string;
  readonly payUrl: string;
  readonly proofs: readonly {
    readonly id: string;
    readonly fileName: string;
    readonly contentType: string;
    readonly size: number;
    readonly source: string;
    readonly createdAt: string;
  }[];
  readonly rejectionReason: string | null;
  readonly expiresAt: string;
  readonly reviewedAt: string | null;
  readonly paidAt: string | null;
  readonly createdAt: string;
}

export const BANK = {
  bankName: "Karoo Bank",
  accountName: "Thandi's Shop (Pty) Ltd",
  accountNumber: "62 123 456 789",
  branchCode: "250655",
  accountType: "current",
} as const;

/** A gateway account of Manual EFT, by default in ZAR. */
export const addTransfers = (shop: Pick<ApiMerchant, "addGateway">, currencies = ["ZAR"]): Promise<GatewayAccount> =>
  shop.addGateway({ type: "manual_eft", credentials: BANK, currencies });

/** Creates an EFT order; throws when it is refused. */
export async function addOrder(shop: ApiMerchant, body: object = {}): Promise<EftOrderBody> {
  const answer = await shop.post<EftOrderBody>("/eft-orders", { amount: 100, ...body });
  if (answer.status !== 201) throw new Error(`no order: ${answer.status} ${answer.text}`);
  return answer.body;
}

/** Uploads with the API key; a new PDF each time unless parts are given. */
export async function upload(
  shop: ApiMerchant,
  id: string,
  ...parts: readonly Part[]
): Promise<Answer<EftOrderBody & { error?: string; message?: string }>> {
  const sent = parts.length > 0 ? parts : [{ field: "file", name: "slip.pdf", bytes: pdfOf(String(Math.random())) }];
  const { body, headers } = await formOf(...sent);
  return shop.call("POST", `/eft-orders/${id}/proof`, { body, headers });
}

/** Review actions of staff on an EFT order. */
export const review = (
  staff: StaffCall,
  id: string,
  action: "approve" | "reject",
  reason = "The amount does not match.",
): Promise<Answer<EftOrderBody & { error?: string; message?: string }>> =>
  staff("POST", `/eft-orders/${id}/${action}`, action === "reject" ? { reason } : undefined);

import { Anchor, Group, Stack } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { QRCodeSVG } from "qrcode.react";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { FileButton } from "../../components/file.tsx";
import { ResourcePage, Rows, Section } from "../../components/resource-page.tsx";
import { SendLinkMessage } from "../../components/send-message.tsx";
import { CopyId, IdLink, Money, Status, Time, Words } from "../../components/values.tsx";
import { oftenInWords } from "../../lib/frequency.ts";
import { formatMoney } from "../../lib/money.ts";
import { includedVatInWords } from "../../lib/vat.ts";
import { Actions } from "./actions.tsx";

type PaymentLink = Shape<"StaffPaymentLink">;

/** The page of a payment link. */
export function Page() {
  const { id } = useParams({ strict: false }) as { id: string };
  const link = useRecord(["/payment-links", id], () =>
    got(api.GET("/payment-links/{id}", { params: { path: { id } } })),
  );
  return (
    <ResourcePage
      resource="payment-links"
      list="Payment links"
      record={link}
      show={(record) => ({
        title: record.title,
        name: record.title,
        id: record.id,
        status: record.active ? "active" : "inactive",
        figure: <Money amount={record.amount} currency={record.currency} />,
        facts: facts(record),
        actions: <Actions link={record} />,
        sections: (
          <>
            <Share link={record} />
            <Payments link={record} />
          </>
        ),
      })}
    />
  );
}

const facts = (link: PaymentLink) =>
  [
    ["Address", <CopyId key="url" id={link.shortUrl} label="Copy the address" />],
    ["Paid", oftenInWords(link.recurring)],
    ["VAT", <Words key="vat" of={includedVatInWords(link)} />],
    ["Can be paid by", link.singleUse ? "One customer" : "Any number of customers"],
    ["Invoice", <IdLink key="invoice" id={link.invoiceId} />],
    ["Description", <Words key="description" of={link.description} />],
    ["Expires", <Time key="expires" at={link.expiresAt} />],
    ["Your reference", <Words key="reference" of={link.externalReference} />],
    ["Return page", <Words key="return" of={link.returnUrl} />],
    ["Created", <Time key="made" at={link.createdAt} />],
  ] as const;

/** The QR code of the address, on screen and as files, and ways to send it. */
function Share({ link }: { readonly link: PaymentLink }) {
  const file = (name: string) => `/payment-links/${link.id}/${name}`;
  const text = `${link.title}: ${formatMoney(link.amount, link.currency)}. Pay here: ${link.shortUrl}`;
  if (!link.active) return null;
  return (
    <Section title="Share">
      <Group align="flex-start" gap="lg">
        <QRCodeSVG value={link.shortUrl} size={168} marginSize={4} level="M" title={`QR code of ${link.title}`} />
        <Stack gap="xs" align="flex-start">
          <CopyId id={link.shortUrl} label="Copy the address" />
          <Anchor href={`https://wa.me/?text=${encodeURIComponent(text)}`} target="_blank" rel="noreferrer">
            Open in WhatsApp
          </Anchor>
          <Anchor href={`mailto:?subject=${encodeURIComponent(link.title)}&body=${encodeURIComponent(text)}`}>
            Send by email
          </Anchor>
          <SendLinkMessage id={link.id} />
          <FileButton path={file("qr.svg")} size="xs">
            Download QR code (SVG)
          </FileButton>
          <FileButton path={file("qr.png?size=1024")} size="xs">
            Download QR code (PNG)
          </FileButton>
        </Stack>
      </Group>
    </Section>
  );
}

const Payments = ({ link }: { readonly link: PaymentLink }) => (
  <Section title="Payments">
    <Rows
      label="Payments"
      items={link.payments}
      keyOf={({ reference }) => reference}
      none="No payments yet"
      columns={[
        { label: "Reference", cell: ({ reference }) => <IdLink id={reference} /> },
        { label: "Status", cell: ({ status }) => <Status of={status} /> },
        { label: "Date", cell: ({ paidAt, createdAt }) => <Time at={paidAt ?? createdAt} /> },
        {
          label: "Amount",
          figures: true,
          cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
        },
      ]}
    />
  </Section>
);

<?php

declare(strict_types=1);

namespace TefoWooCommerce;

/** How Tefo knows what is the shop's: two shops may share an organisation. */
final class Names
{
    private readonly string $shop;

    /** @param string $url the shop's own address */
    public function __construct(string $url)
    {
        $this->shop = substr(hash('sha256', rtrim($url, '/')), 0, 8);
    }

    public function ofOrder(Order $order, string $part): string
    {
        return "wc-{$this->shop}-{$order->id()}-{$part}";
    }

    public function ofUser(int $userId): string
    {
        return "wc-{$this->shop}-user-{$userId}";
    }

    /**
     * What a payment says of its order, by which it is found and checked: never the key itself, which opens pages of the shop.
     *
     * @return array<string, string>
     */
    public function metadata(Order $order): array
    {
        return ['shop' => $this->shop, 'order' => (string) $order->id(), 'orderKey' => $this->keyHash($order)];
    }

    /** @param array<string, mixed> $metadata of a payment; the order's id, or null when it is not an order of this shop */
    public function orderOf(array $metadata): ?int
    {
        $id = $metadata['order'] ?? '';
        return ($metadata['shop'] ?? '') === $this->shop && ctype_digit((string) $id) ? (int) $id : null;
    }

    /** @param array<string, mixed> $metadata */
    public function belongs(array $metadata, Order $order): bool
    {
        return $this->orderOf($metadata) === $order->id() && hash_equals($this->keyHash($order), (string) ($metadata['orderKey'] ?? ''));
    }

    private function keyHash(Order $order): string
    {
        return substr(hash('sha256', $order->key()), 0, 32);
    }
}

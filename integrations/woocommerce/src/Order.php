<?php

declare(strict_types=1);

namespace TefoWooCommerce;

use Tefo\Amount;

/** What the plug-in needs of an order of the shop. */
interface Order
{
    public function id(): int;

    /** As the customer reads it. */
    public function number(): string;

    /** The secret part of the order's addresses. */
    public function key(): string;

    public function total(): Amount;

    public function currency(): string;

    /** The shop's user who ordered; 0 for a guest. */
    public function userId(): int;

    /** @return array{email: string, firstName: string, lastName: string} */
    public function payer(): array;

    /** The page that the payer returns to. */
    public function returnUrl(): string;

    /** Whether the shop takes the order as paid, whatever it was paid with. */
    public function isPaid(): bool;

    /** @return mixed what `set` stored, else null */
    public function get(string $name): mixed;

    /** Stored with `save`; arrays and texts. */
    public function set(string $name, mixed $value): void;

    public function save(): void;

    public function note(string $text): void;

    /** Takes the order as paid by a transaction. */
    public function complete(string $reference): void;

    /** Keeps the order until somebody has looked. */
    public function hold(string $why): void;

    public function fail(string $why): void;

    /** Records a refund that was made already. */
    public function recordRefund(Amount $amount, string $reason): void;
}

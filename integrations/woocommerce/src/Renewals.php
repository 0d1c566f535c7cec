<?php

declare(strict_types=1);

namespace TefoWooCommerce;

use Tefo\Errors\Conflict;
use Tefo\Errors\PermissionRequired;
use Tefo\Errors\TefoError;
use Tefo\Tefo;

/**
 * Charges the saved card of a customer for a renewal of WooCommerce Subscriptions. A charge takes one to three business
 * days, and at most one that has not failed exists for an order, so that asking again charges nothing twice.
 */
final class Renewals
{
    /** The part of a charge's name after its order. */
    public const PART = 'renewal';

    public function __construct(private readonly Tefo $tefo, private readonly Names $names, private readonly Checkout $checkout)
    {
    }

    /**
     * Asks for the charge of a renewal, which the caller has locked; the order fails when there is no card to charge.
     *
     * @throws TefoError when it is not known whether the card was charged: ask again
     */
    public function charge(Order $order): void
    {
        $refusal = Checkout::refusal($order->currency(), $order->total());
        if ($refusal === null && $order->userId() === 0) {
            $refusal = 'A guest has no saved card.';
        }
        if ($refusal !== null) {
            $order->fail($refusal);
            return;
        }
        if ($order->isPaid()) {
            return;
        }
        try {
            $charge = $this->tefo->customers->chargeCard($this->checkout->customer($order), 'default', [
                'amount' => $order->total(),
                'currency' => $order->currency(),
                'description' => "Order {$order->number()}",
                'externalReference' => $this->names->ofOrder($order, self::PART),
                'metadata' => $this->names->metadata($order),
            ]);
        } catch (Conflict $conflict) {
            if ($conflict->errorCode !== 'charge_exists' && $conflict->error !== 'charge_exists') {
                $order->fail("The saved card was not charged: {$conflict->getMessage()}");
                return;
            }
            $charge = $conflict->details['charge'];
        } catch (PermissionRequired $refused) {
            $order->fail("The saved card was not charged: {$refused->getMessage()} (The key needs the permission to charge saved cards.)");
            return;
        }
        $order->set(Settlement::CHARGE, $charge['reference']);
        $order->save();
        $order->hold("The saved card ending in {$charge['card']['last4']} is being charged ({$charge['reference']}): banks answer within three business days.");
    }
}

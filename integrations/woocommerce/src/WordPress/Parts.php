<?php

declare(strict_types=1);

namespace TefoWooCommerce\WordPress;

use Tefo\Tefo;
use TefoWooCommerce\Checkout;
use TefoWooCommerce\Names;
use TefoWooCommerce\Orders;
use TefoWooCommerce\Payments;
use TefoWooCommerce\Refunds;
use TefoWooCommerce\Renewals;
use TefoWooCommerce\Settlement;

/** The plug-in's logic over one client. */
final class Parts
{
    public readonly Checkout $checkout;
    public readonly Payments $payments;
    public readonly Refunds $refunds;
    public readonly Renewals $renewals;

    public function __construct(Tefo $tefo, public readonly Orders $orders, Names $names, bool $isTest)
    {
        $this->checkout = new Checkout($tefo, $names, $isTest);
        $this->payments = new Payments($tefo, $orders, $names, new Settlement($names));
        $this->refunds = new Refunds($tefo, $names);
        $this->renewals = new Renewals($tefo, $names, $this->checkout);
    }
}

<?php

declare(strict_types=1);

namespace TefoWooCommerce;

/** The orders of the shop. */
interface Orders
{
    /**
     * The work's result, with the order as it is now; null when there is no such order. Nobody else works on the order
     * meanwhile, so that a webhook and a returning payer do nothing twice.
     *
     * @template T
     * @param callable(Order): T $work
     * @return T|null
     * @throws Busy when another has it for too long
     */
    public function locked(int $id, callable $work): mixed;

    /** Has the order checked in so many seconds, for the n-th time. */
    public function checkLater(int $id, int $seconds, int $count): void;
}

<?php

declare(strict_types=1);

namespace TefoWooCommerce;

/** Another process works on the order. */
final class Busy extends \RuntimeException
{
}

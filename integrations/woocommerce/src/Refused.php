<?php

declare(strict_types=1);

namespace TefoWooCommerce;

/** What cannot be done, in words for whoever asked for it. */
final class Refused extends \RuntimeException
{
}

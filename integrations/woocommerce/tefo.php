<?php

/**
 * Plugin Name: Tefo for WooCommerce
 * Description: Card, instant EFT and bank transfer in South African rand, on a payment page of your own Tefo service.
 * Version: 1.0.0-rc.1
 * Requires at least: 6.4
 * Requires PHP: 8.1
 * Requires Plugins: woocommerce
 * WC requires at least: 8.2
 * License: Apache-2.0
 * Text Domain: tefo
 */

declare(strict_types=1);

defined('ABSPATH') || exit;

require_once __DIR__ . '/autoload.php';

TefoWooCommerce\WordPress\Hooks::register(__FILE__);

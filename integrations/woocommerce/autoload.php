<?php

/*
 * Loads the plug-in's classes and the client: that of vendor/ in an installed plug-in, that beside it in a checkout.
 */

declare(strict_types=1);

if (is_file(__DIR__ . '/vendor/autoload.php')) {
    require_once __DIR__ . '/vendor/autoload.php';
    return;
}
require_once __DIR__ . '/../../clients/php/autoload.php';
spl_autoload_register(static function (string $class): void {
    $prefix = 'TefoWooCommerce\\';
    $file = __DIR__ . '/src/' . strtr(substr($class, strlen($prefix)), '\\', '/') . '.php';
    if (str_starts_with($class, $prefix) && is_file($file)) {
        require $file;
    }
});

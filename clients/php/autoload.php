<?php

/*
 * Loads the client where there is no Composer, as in a plug-in that carries it: `require 'tefo/autoload.php';`.
 */

declare(strict_types=1);

spl_autoload_register(static function (string $class): void {
    if (!str_starts_with($class, 'Tefo\\')) {
        return;
    }
    $file = __DIR__ . '/src/' . strtr(substr($class, 5), '\\', '/') . '.php';
    if (is_file($file)) {
        require $file;
    }
});

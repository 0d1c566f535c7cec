<?php

declare(strict_types=1);

namespace Tefo;

/** A file to upload. */
final class Upload
{
    /** @param string $bytes its content */
    public function __construct(public readonly string $name, public readonly string $bytes)
    {
        if ($name === '') {
            throw new \InvalidArgumentException('A file to upload needs a name.');
        }
    }

    /** The file at a path, under its own name or another. */
    public static function fromPath(string $path, ?string $name = null): self
    {
        $bytes = is_file($path) ? file_get_contents($path) : false;
        if ($bytes === false) {
            throw new \InvalidArgumentException("There is no file {$path} that can be read.");
        }
        return new self($name ?? basename($path), $bytes);
    }
}

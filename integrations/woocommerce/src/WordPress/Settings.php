<?php

declare(strict_types=1);

namespace TefoWooCommerce\WordPress;

/** What the shop's owner has entered. */
final class Settings
{
    /** @param array<string, mixed> $values */
    public function __construct(private readonly array $values)
    {
    }

    public function baseUrl(): string
    {
        return trim((string) ($this->values['base_url'] ?? ''));
    }

    public function key(): string
    {
        return $this->of('key');
    }

    /** @return list<string> secrets of webhooks, of both modes: orders of the other mode may still change */
    public function secrets(): array
    {
        $given = [$this->values['test_secret'] ?? '', $this->values['live_secret'] ?? ''];
        return array_values(array_filter(array_map(static fn (mixed $one): string => trim((string) $one), $given)));
    }

    public function isComplete(): bool
    {
        return $this->key() !== '' && preg_match('#^https?://[^/]#', $this->baseUrl()) === 1 && $this->of('secret') !== '';
    }

    public function isTest(): bool
    {
        return ($this->values['test'] ?? 'yes') === 'yes';
    }

    private function of(string $name): string
    {
        $mode = $this->isTest() ? 'test' : 'live';
        return trim((string) ($this->values["{$mode}_{$name}"] ?? ''));
    }
}

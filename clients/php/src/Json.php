<?php

declare(strict_types=1);

namespace Tefo;

use Tefo\Generated\AmountNames;

/**
 * JSON in which amounts have the digits that they have, without a float in between.
 *
 * @internal
 */
final class Json
{
    /** Before the digits of a number with decimals, while they are read as a text. No text of the API has it. */
    private const MARK = "\0";

    /**
     * @param mixed $value arrays, texts, numbers, amounts, objects of stdClass for empty objects
     * @throws \InvalidArgumentException when an amount is a plain number
     */
    public static function encode(mixed $value, string $name = ''): string
    {
        if ($value instanceof Amount) {
            return preg_replace('/\.?0+$/D', '', (string) $value) ?? (string) $value;
        }
        if (is_int($value) || is_float($value)) {
            return self::number($value, $name);
        }
        if ($value instanceof \DateTimeInterface) {
            return self::text($value->format('Y-m-d\TH:i:sP'));
        }
        if ($value instanceof \stdClass || ($value === [] && $name === 'metadata')) {
            return self::map((array) $value);
        }
        if (is_array($value)) {
            return array_is_list($value) ? self::sequence($value, $name) : self::map($value);
        }
        return self::text($value);
    }

    /** The body of a request: always an object. @param array<string, mixed> $body */
    public static function body(array $body): string
    {
        return self::map($body);
    }

    /**
     * Objects become arrays, amounts `Amount`, other numbers with decimals floats.
     *
     * @throws \JsonException
     */
    public static function decode(string $text): mixed
    {
        $marked = preg_replace_callback(
            '/"(?:[^"\\\\]++|\\\\.)*+"|-?\d++(?:\.\d++)?+(?:[eE][+-]?\d++)?+/s',
            static fn (array $found): string => $found[0][0] === '"' || ctype_digit(ltrim($found[0], '-'))
                ? $found[0]
                : '"\u0000' . $found[0] . '"',
            $text,
        );
        if ($marked === null) {
            throw new \JsonException('The JSON could not be read: ' . preg_last_error_msg());
        }
        return self::read(json_decode($marked, true, 512, JSON_THROW_ON_ERROR), '', '');
    }

    private static function read(mixed $value, string $name, string $parent): mixed
    {
        if (is_array($value)) {
            $isList = array_is_list($value);
            foreach ($value as $key => $one) {
                $value[$key] = $isList ? self::read($one, $name, $parent) : self::read($one, (string) $key, $name);
            }
            return $value;
        }
        $isMarked = is_string($value) && str_starts_with($value, self::MARK);
        if (!$isMarked && !is_int($value)) {
            return $value;
        }
        $digits = $isMarked ? substr((string) $value, 1) : (string) $value;
        if (isset(AmountNames::AMOUNTS[$name]) && !isset(AmountNames::COUNTS["{$parent}.{$name}"])) {
            return Amount::rand($digits);
        }
        return $isMarked ? (float) $digits : $value;
    }

    private static function number(int|float $value, string $name): string
    {
        if (isset(AmountNames::AMOUNTS[$name])) {
            throw new \InvalidArgumentException(
                "{$name} is an amount: write Amount::rand('{$value}') if these are rand, or Amount::cents(…) for cents.",
            );
        }
        if (is_float($value) && !is_finite($value)) {
            throw new \InvalidArgumentException("{$name} is not a number.");
        }
        // json_encode would follow a setting of the machine, by which 0.1 may become 0.10000000000000001.
        $short = is_int($value) ? (string) $value : sprintf('%.15G', $value);
        return (float) $short === (float) $value ? $short : sprintf('%.17G', $value);
    }

    private static function text(mixed $value): string
    {
        return json_encode($value, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE);
    }

    /** @param array<mixed> $values */
    private static function map(array $values): string
    {
        $pairs = [];
        foreach ($values as $key => $value) {
            $pairs[] = self::text((string) $key) . ':' . self::encode($value, (string) $key);
        }
        return '{' . implode(',', $pairs) . '}';
    }

    /** @param list<mixed> $values */
    private static function sequence(array $values, string $name): string
    {
        return '[' . implode(',', array_map(static fn (mixed $one): string => self::encode($one, $name), $values)) . ']';
    }
}

<?php

declare(strict_types=1);

namespace Tefo;

/**
 * An amount of money in major units, as the API has them. It is made in rand or in cents and never from a float, so that
 * nobody takes the one for the other and no cent is lost.
 */
final class Amount implements \JsonSerializable, \Stringable
{
    private const MILLION = 1_000_000;

    private function __construct(private readonly int $millionths)
    {
    }

    /**
     * An amount in major units of any currency: `Amount::rand('12.50')`.
     *
     * @param string|int $value with at most 12 digits before the point and 6 after it; a float is refused
     * @throws \InvalidArgumentException
     */
    public static function rand(string|int|float $value): self
    {
        $text = (string) $value;
        if (is_float($value) || preg_match('/^(-?)(\d{1,12})(?:\.(\d{1,6}))?$/D', $text, $found) !== 1) {
            $wrong = is_float($value) ? 'A float loses cents' : "\"{$text}\" is not an amount";
            throw new \InvalidArgumentException("{$wrong}: write Amount::rand('12.50').");
        }
        $size = (int) $found[2] * self::MILLION + (int) str_pad($found[3] ?? '', 6, '0');
        return new self($found[1] === '-' ? -$size : $size);
    }

    /**
     * An amount of so many whole cents: `Amount::cents(1250)` is 12.50.
     *
     * @param int $value a float, even a whole one, is refused
     * @throws \InvalidArgumentException
     */
    public static function cents(int|float $value): self
    {
        if (is_float($value) || abs($value) >= 100 * 10 ** 12) {
            throw new \InvalidArgumentException('Amount::cents takes a whole number of cents.');
        }
        return new self($value * intdiv(self::MILLION, 100));
    }

    /**
     * The whole cents of this amount.
     *
     * @throws \RangeException when it has a fraction of a cent, as a unit price may
     */
    public function toCents(): int
    {
        $cent = intdiv(self::MILLION, 100);
        if ($this->millionths % $cent !== 0) {
            throw new \RangeException("{$this} is not a whole number of cents.");
        }
        return intdiv($this->millionths, $cent);
    }

    public function plus(self $other): self
    {
        return new self($this->millionths + $other->millionths);
    }

    public function minus(self $other): self
    {
        return new self($this->millionths - $other->millionths);
    }

    /** Below zero when this is the smaller amount, zero when both are the same, above zero when it is the greater one. */
    public function compare(self $other): int
    {
        return $this->millionths <=> $other->millionths;
    }

    public function equals(self $other): bool
    {
        return $this->compare($other) === 0;
    }

    /** In major units, with two decimals or as many more as it has: `12.50`. */
    public function __toString(): string
    {
        $size = abs($this->millionths);
        $decimals = str_pad(rtrim(sprintf('%06d', $size % self::MILLION), '0'), 2, '0');
        return ($this->millionths < 0 ? '-' : '') . intdiv($size, self::MILLION) . '.' . $decimals;
    }

    /** A text, so that what you store keeps its digits. Requests of the client have numbers. */
    public function jsonSerialize(): string
    {
        return (string) $this;
    }
}

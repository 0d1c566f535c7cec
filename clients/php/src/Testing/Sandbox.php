<?php

declare(strict_types=1);

namespace Tefo\Testing;

use Tefo\Errors\Conflict;
use Tefo\Errors\ConnectionFailed;
use Tefo\Tefo;

/**
 * A sandbox organisation in the hands of your tests: its clock, its snapshots, and what its gateway does next. The key needs
 * `test_clock:write`; a live organisation refuses with 403.
 */
final class Sandbox
{
    public function __construct(private readonly Tefo $tefo)
    {
    }

    /** Where the organisation's clock stands. */
    public function now(): string
    {
        return $this->tefo->testClock->get()['now'];
    }

    /**
     * Moves the clock on by `90m`, `12h`, `30d`, `2w`, `1mo` or `1y`. Everything that is due by then has been done when it
     * answers.
     *
     * @return array{now: string, ran: array<string, int>}
     */
    public function forward(string $by): array
    {
        return $this->to(self::later($this->now(), $by));
    }

    /**
     * Moves the clock to a time, as `forward` does.
     *
     * @return array{now: string, ran: array<string, int>}
     */
    public function to(string $time): array
    {
        $before = $this->now();
        while (true) {
            try {
                return $this->tefo->testClock->move(['now' => $time]);
            } catch (Conflict | ConnectionFailed $error) {
                // A move that takes longer than one request may has come some way; the same request goes on from there.
                $now = $this->now();
                if (new \DateTimeImmutable($now) <= new \DateTimeImmutable($before)) {
                    throw $error;
                }
                $before = $now;
            }
        }
    }

    /**
     * Runs a test and puts the organisation back as it was before, clock included, whether the test ends well or throws.
     *
     * @template Result
     * @param callable(): Result $test
     * @return Result
     */
    public function rewinding(callable $test): mixed
    {
        $snapshot = $this->tefo->testClock->createSnapshot(['name' => 'rewinding']);
        try {
            return $test();
        } finally {
            $this->tefo->testClock->rewindSnapshot($snapshot['id']);
            $this->tefo->testClock->deleteSnapshot($snapshot['id']);
        }
    }

    /**
     * Says how the next attempts of a kind (`payment`, `card_charge`, `renewal`, `debit`, `refund`) end, in their order; null
     * leaves one to its course: `next('renewal', [null, null, 'insufficient_funds'])` lets the third renewal fail.
     *
     * @param list<string|null> $outcomes
     */
    public function next(
        string $kind,
        array $outcomes,
        ?string $customerId = null,
        ?string $subscriptionId = null,
        ?int $delayDays = null,
    ): void {
        $of = array_filter(['customerId' => $customerId, 'subscriptionId' => $subscriptionId], 'is_string');
        $delay = $delayDays === null ? [] : ['delayDays' => $delayDays];
        $steps = [];
        foreach ($outcomes as $at => $outcome) {
            if ($outcome !== null) {
                $steps[] = ['match' => ['kind' => $kind, 'nth' => $at + 1] + $of, 'outcome' => $outcome] + $delay;
            }
        }
        $this->tefo->sandbox->createOutcomes(['steps' => $steps]);
    }

    /** A time so much later. In a month that has no such day it is the last one. */
    public static function later(string $time, string $by): string
    {
        if (preg_match('/^(\d{1,5})(m|h|d|w|mo|y)$/D', $by, $found) !== 1) {
            throw new \InvalidArgumentException("{$by} is no duration: 90m, 12h, 30d, 2w, 1mo, 1y");
        }
        $at = (new \DateTimeImmutable($time))->setTimezone(new \DateTimeZone('UTC'));
        $seconds = ['m' => 60, 'h' => 3600, 'd' => 86400, 'w' => 604800][$found[2]] ?? null;
        if ($seconds !== null) {
            $at = $at->modify('+' . (int) $found[1] * $seconds . ' seconds');
        } else {
            $months = (int) $found[1] * ($found[2] === 'y' ? 12 : 1);
            $first = $at->modify('first day of this month')->modify("+{$months} months");
            $day = min((int) $at->format('j'), (int) $first->format('t'));
            $at = $first->setDate((int) $first->format('Y'), (int) $first->format('n'), $day);
        }
        return $at->format('Y-m-d\TH:i:s.v\Z');
    }
}
